/*
 * How the clocks of a job's hosts relate, as far as round trips of messages tell: one process
 * of each host compares its clock with that of rank 0 when the measurement starts, and again
 * when the trace is written.  A clock's reading at the middle of the shortest of several round
 * trips is taken for that of rank 0 when it answered (Cristian's algorithm).
 *
 * Only traces need it, and only jobs on several hosts.  Program context.
 */
#ifndef TSPROF_CLOCK_OFFSETS_H
#define TSPROF_CLOCK_OFFSETS_H

#include "library/rank_tree.h"

#include <stdbool.h>
#include <stdint.h>

/* Readings at one moment: of this host's clock and of rank 0's, in ticks of each. */
struct clock_pair {
    uint64_t own_ticks, first_ticks;
    uint64_t trip_ticks; /* that the message took there and back, in ticks of rank 0 */
};

struct clock_pairs {
    int count; /* 0: nothing is known, or this is rank 0's host; the first one is older */
    struct clock_pair list[2];
};

/*
 * The processes of MPI_COMM_WORLD compare their clocks, unless all are on this host, as far as
 * its launcher says.  Collective, where MPI has just been initialised, and called once: later
 * calls do nothing.  IS_TRACING: this process will take part when the trace is written; if one
 * does not, nothing is compared.
 */
void clock_offsets_start(bool is_tracing);

/* Does so again, if it was done; collective.  The result is the same in all processes of a
 * host.
 */
struct clock_pairs clock_offsets_end(struct rank_tree *ranks);

/* The clock of this process's host: the same only where readings can be compared. */
uint64_t clock_offsets_host(void);

#endif
