/*
 * How long tsprof has kept a thread at once, and with what.
 *
 * A stall is one uninterrupted stay in tsprof: from the end of an MPI call to the return to the
 * program, a marker, a run of the signal handler, a save.  What a job on many ranks pays is
 * decided by the longest of them, since all ranks wait for the one that was kept.  Stays below
 * STALL_LEAST_NS are not counted here, so that this costs an ordinary call one comparison; they
 * are in the costs of calls, markers and samples.  A stay includes the time in which the system
 * gave the processor to others.
 */
#ifndef TSPROF_STALLS_H
#define TSPROF_STALLS_H

#include <stdint.h>

/* What tsprof was doing; of several things in one stay the last one here counts. */
enum stall {
    STALL_CALL,       /* accounting for an MPI call */
    STALL_MARKER,     /* a marker of a phase or iteration */
    STALL_SAMPLE,     /* the signal handler */
    STALL_LOOPS,      /* looking for the main loop */
    STALL_CLUSTERING, /* closing iterations */
    STALL_SAVE,       /* saving */
    STALL_KINDS
};

enum {
    STALL_FIRST_BIN = 11, /* bin n holds stays from 2^n up to, but not including, 2^(n+1) ns */
    STALL_BINS = 20,      /* the last one also holds all longer stays */
    STALL_LEAST_NS = 1 << STALL_FIRST_BIN
};

struct stall_count {
    uint32_t bins[STALL_BINS]; /* number of stays, from bin STALL_FIRST_BIN on */
    int64_t longest_ns;
};

struct stalls {
    struct stall_count kinds[STALL_KINDS];
};

/* The name of KIND, as cost facts of the summary have it: a static string.  Any context. */
const char *stall_name_async(enum stall kind);

/* Counts a stay of NS, at least STALL_LEAST_NS, with KIND. */
void stalls_count_async(struct stalls *stalls, enum stall kind, int64_t ns);

#endif
