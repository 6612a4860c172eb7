/* A trace as it is asked about: the graph of whatif/ with the names that belong to it. */
#ifndef TSPROF_PREDICT_STUDY_H
#define TSPROF_PREDICT_STUDY_H

#include "clocks/clocks.h"
#include "print/print.h"
#include "waits/waits.h"
#include "whatif/whatif.h"

struct study {
    const struct trace *trace;
    struct feed *feed;
    struct feed own; /* unless somebody else feeds the events */
    struct replay_result result;
    struct whatif *whatif;
    uint32_t *outer; /* by instance: the iteration that it is in; WHATIF_NONE */
    size_t instance_count;
    bool is_cut; /* the trace could not be read to its end: `reason` says why */
    struct error reason;
    bool *paths, *nodes, *instances; /* room for those that are meant: see chosen.h */
};

/* Reads the trace PATH; free with study_free.  False, and ERROR, if it cannot be opened. */
bool study_open(struct study *study, const char *path, struct error *error);
void study_free(struct study *study);

/* The same of events that somebody else feeds: to be called before the first, and after the
 * last event.  FEED must outlive the study. */
struct whatif_recorder *study_listen(struct feed *feed);
void study_make(struct study *study, struct feed *feed, struct whatif_recorder *recorder);

/* How long recording was off, in nanoseconds, in the mean of the threads that call MPI: as long
 * predictions keep it. */
uint64_t study_paused(const struct study *study);

/* Adds the regions from the root to NODE, joined by ";". */
void study_add_path(const struct study *study, uint32_t node, struct text *text);
/* Adds as many of the last of them as it takes to tell NODE from all other nodes. */
void study_add_short_path(const struct study *study, uint32_t node, struct text *text);
/* Adds the iteration: PHASE:NUMBER. */
void study_add_iteration(const struct study *study, uint32_t instance, struct text *text);
const char *study_region(const struct study *study, uint32_t region);
/* The rank of THREAD's process; TRACE_NONE if it has none. */
uint32_t study_rank(const struct study *study, uint32_t thread);

#endif
