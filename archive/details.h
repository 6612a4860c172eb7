/*
 * An MPI call and all that is known about it, until it can be written: what comes with its
 * beginning is known only later.  For this folder.
 */
#ifndef TSPROF_DETAILS_H
#define TSPROF_DETAILS_H

#include "archive/out.h"

/* What one record says about the call. */
struct detail {
    unsigned tag, count;
    uint64_t numbers[8];
};

/* Whom the latest epoch of a window is with; `ranks` from malloc. */
struct epoch {
    uint64_t *ranks;
    uint32_t count, capacity;
};

/* By the number of the window, COUNT of them from malloc. */
struct epochs {
    struct epoch *list;
    size_t count;
};

/* Start from all zeros. */
struct details {
    bool open; /* there is a call */
    uint64_t node;
    int64_t enter_ns, leave_ns;
    struct detail *list;
    size_t count, capacity;
    /* A set of those that began in what is written and are not complete, by open addressing. */
    uint64_t *requests;
    size_t request_capacity, request_count;
    struct epochs exposed, accessed; /* post; start */
    uint64_t files;                  /* operations on them that had no request, so far */
    uint64_t operations;             /* one-sided ones so far */
    bool *told; /* by number of a communicator: the process's sources in it are written */
    size_t told_count;
    int64_t counts[RECORD_NUMBERS_MOST]; /* of counters, since the beginning */
    bool failed;
};

/* RECORD is a call; the one before it has been written. */
void details_begin(struct details *details, const struct record *record);

/* RECORD says more about it. */
void details_add(struct details *details, const struct record *record);

/* Writes the call, which is NODE in the program's call tree. */
void details_write(struct details *details, struct out *out, const struct event_maps *maps,
                   uint32_t node);

void details_free(struct details *details);

#endif
