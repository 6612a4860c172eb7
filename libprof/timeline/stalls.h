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

/*
 * Work that goes on from stay to stay: how long a piece of it is, longer where there is seldom
 * occasion for one, up to a part of the time between two, and the least in any stay.
 */
enum {
    STALL_PIECE_LEAST_NS = 8000,
    STALL_PIECE_MOST_NS = 35000,
    STALL_PIECE_PART = 64,
    STALL_REST_LEAST_NS = 4000
};

/*
 * Until when a piece that begins at NS may go on, in a stay that began at STAY_NS, where it has
 * waited for GAP_NS: what was done before in the same stay counts.
 */
static inline int64_t stall_piece_end(int64_t stay_ns, int64_t ns, int64_t gap_ns)
{
    const int64_t part_ns = gap_ns / STALL_PIECE_PART;
    const int64_t piece_ns = part_ns < STALL_PIECE_LEAST_NS  ? STALL_PIECE_LEAST_NS
                             : part_ns > STALL_PIECE_MOST_NS ? STALL_PIECE_MOST_NS
                                                             : part_ns;
    const int64_t least_ns = ns + STALL_REST_LEAST_NS, stay_end_ns = stay_ns + piece_ns;
    return stay_end_ns > least_ns ? stay_end_ns : least_ns;
}

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
