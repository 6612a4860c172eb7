/*
 * The trace of a job from what its processes have left of events: which iterations all have,
 * and the archive of these.  One file of events is in memory at a time.
 */
#ifndef TSPROF_JOB_TRACE_H
#define TSPROF_JOB_TRACE_H

#include "base/base.h"
#include "common/codec.h"
#include "events/event_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A process's clock: readings in ticks. */
struct event_clock {
    uint64_t first_tick; /* at 0 ns of its time line */
    uint64_t multiplier; /* nanoseconds per tick, scaled by 2^32 */
    int64_t epoch_ns;    /* 0 ns of its time line, since 1970 */
};

struct eventful_thread {
    uint32_t thread;
    size_t location;                    /* by which struct job_facts knows its nodes */
    uint32_t phases[EVENT_FILE_SERIES]; /* of its series; UINT32_MAX: not shown */
};

struct eventful_process {
    char *path; /* of the file with its events; for free() */
    struct event_owner owner;
    struct event_clock clock;
    uint32_t rank, host;
    unsigned counters;               /* how many it counts; 0 if others than the job's */
    struct eventful_thread *threads; /* from allocate */
    size_t thread_count, thread_room;
};

/* Start from all zeros.  By rank. */
struct job_trace {
    struct eventful_process *processes;
    size_t count, room;
};

/* Adds PROCESS, which is the list's from then on. */
void job_trace_add(struct job_trace *trace, const struct eventful_process *process);
void job_trace_free(struct job_trace *trace);

/* What else is known of the job. */
struct job_facts {
    const struct encoder *regions, *calltree, *phases; /* sections */
    const char *const *hosts;
    size_t host_count;
    const char *const *counters; /* their names */
    unsigned counter_count;
    uint32_t ranks;
    const char *choice;  /* what TSPROF_TRACE said */
    const char *program; /* the file */
    uint64_t sample_ns;  /* between samples; 0: none are taken */
    /*
     * The numbers in the call tree of the nodes of a location, for free(); UINT32_MAX where
     * there is none.  NULL if they cannot be found out.
     */
    uint32_t *(*nodes)(void *context, size_t location, uint32_t *count);
    void *context;
};

/* What there is in the archive. */
struct job_trace_written {
    uint64_t calls;
    size_t iterations;
    size_t processes; /* with events */
    bool all;         /* everything that was recorded, not just chosen iterations */
};

/*
 * Creates the archive DIRECTORY; if REPLACES is true, instead of one that is there.  If false,
 * ERROR says why there is none.
 */
bool job_trace_write(const struct job_trace *trace, const struct job_facts *facts,
                     const char *directory, bool replaces, struct job_trace_written *written,
                     struct error *error);

#endif
