/*
 * What a job whose ranks wait for each other pays for what holds them up one at a time.
 *
 * Between two synchronizations every rank loses the sum of the stalls that it happens to have,
 * and then all wait for the rank that has lost most.  Stalls come independently of each other,
 * as Poisson processes; the sum then has a compound Poisson distribution F, calculated by
 * Panjer's recursion on a grid, and the largest of n ranks the distribution F(x)^n.  That the
 * noise of a job is its maximum over the ranks: Petrini, Kerbyson, Pakin, "The Case of the
 * Missing Supercomputer Performance", SC 2003; Tsafrir, Etsion, Feitelson, Kirkpatrick, "System
 * Noise, OS Clock Ticks, and Fine-Grained Parallel Applications", ICS 2005.
 * bench/job_model.py is the same model for jobs that are only imagined.
 */
#ifndef TSPROF_SLOWEST_RANK_H
#define TSPROF_SLOWEST_RANK_H

#include <stddef.h>
#include <stdint.h>

/* Stalls of one length on one rank. */
struct stall_rate {
    double seconds;
    double per_second; /* so many begin in a second of the run */
};

/*
 * The expected largest loss, in seconds, among RANKS ranks in DURATION seconds, in which each
 * has stalls of COUNT RATES; negative and infinite ones are left out.  0 if there are none.
 */
double slowest_rank_loss(const struct stall_rate *rates, size_t count, double duration,
                         uint64_t ranks);

/*
 * The same of stalls that all ranks have at the same moment, each of a length of its own: the
 * sum over the moments of the expected longest one.  RATES must ascend by length.
 */
double slowest_rank_loss_together(const struct stall_rate *rates, size_t count, double duration,
                                  uint64_t ranks);

#endif
