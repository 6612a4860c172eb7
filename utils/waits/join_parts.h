/* How two summaries are joined (join.h); for its files only. */
#ifndef TSPROF_JOIN_PARTS_H
#define TSPROF_JOIN_PARTS_H

#include "common/index.h"
#include "file/file.h"

/* A metric of the waits' summary. */
struct join_metric {
    uint32_t number; /* in the result */
    uint32_t
        whole;   /* the nearest that the run has, of which it is a part; SUMMARY_NONE: none */
    bool is_new; /* the run does not have it */
};

/* Call paths whose functions have the same names, from the root on: lines of calls, which a
 * trace does not have, tell them apart in the run. */
struct join_class {
    uint32_t parent;
    uint32_t region;     /* of the first of its nodes */
    uint32_t first_node; /* of the result */
};

struct join {
    struct summary *run; /* which becomes the result */
    const struct summary *waits;
    struct join_metric *metrics; /* by metric of the waits */
    uint32_t *new_numbers;       /* by metric of the run: its number in the result */
    /* By metric of the result: part of `time`, of `execution`, of `mpi`. */
    bool *is_wall, *is_time, *is_mpi;
    struct join_class *classes;
    size_t class_count;
    uint32_t *class_of;      /* by node of the result */
    uint32_t *wait_class_of; /* by node of the waits */
    uint32_t *location_of;   /* by location of the waits */
    uint32_t *phase_of;      /* by phase of the waits */
    bool notes_changes;      /* while what is joined is part of the whole by itself */
    struct cell *changes;
    size_t change_count, change_room;
    uint64_t cut_ns;   /* waiting that iterations had no time for */
    uint64_t left_out; /* iterations that were traced, but have no profile in the run */
};

/* join_check.c: finds the locations and phases of both; false, and ERROR, if the run is another
 * one. */
bool join_find(struct join *join, struct error *error);
/* The same, after join_definitions, of what was called. */
bool join_check_calls(const struct join *join, struct error *error);

/* join_definitions.c: puts what the waits define into the run, and fills in the tables above;
 * profiles of the run are translated. */
void join_definitions(struct join *join);

/* join_profile.c: what FROM, a profile of the waits, tells of a part of WHOLE, which is that of
 * SIZE iterations.  *PART is one of them, with its waiting; WHOLE is what is left. */
void join_profile(struct join *join, struct profile *whole, uint64_t size,
                  const struct profile *from, struct profile *part);
/* Adds the changes to PROFILE, of the whole run, and begins a new list of them. */
void join_changes(struct join *join, struct profile *profile);

/* join_series.c: the iterations of a series of the waits, in the same of the run. */
void join_series(struct join *join, struct series *run, const struct series *waits);

/* join_bounds.c: maxima of SERIES, with spreads for all of them; what it said of the largest
 * values goes where iterations have changed. */
void join_bounds(struct join *join, struct series *series, const struct series *waits);

/* join_tables.c: who waits for whom. */
void join_tables(struct join *join);

#endif
