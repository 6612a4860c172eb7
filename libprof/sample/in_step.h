/*
 * Whether a thread is in step with the kernel's tick, so that timers of kind cpu, which fire at
 * ticks only, do not find it where it spends its time.
 *
 * That is so where threads share processors: the system switches between them at ticks.  A rank
 * that takes turns begins its turn with a tick, computes, waits in MPI for the others, which
 * have no processor, and loses its own at the next tick, in MPI.  It computes for a fifth of
 * its processor time, and one tick in three hundred finds it there.
 *
 * Pure functions on what was counted.  Any context.
 */
#ifndef TSPROF_IN_STEP_H
#define TSPROF_IN_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* What a thread has counted up to some instant, or between two; times in nanoseconds. */
struct step_tally {
    int64_t wall_ns;
    int64_t used_ns;      /* processor time */
    int64_t preempted_ns; /* without a processor, ready to run */
    int64_t computed_ns;  /* computation that was accounted for */
    int64_t ahead_ns;     /* at the end, not accounted for yet: computation or MPI */
    int64_t samples;      /* that fell into computation */
};

/* What was counted between two instants. */
struct step_tally in_step_between_async(const struct step_tally *begin,
                                        const struct step_tally *end);

/*
 * Whether a timer on the tick does not serve this thread, which wants a sample every PERIOD_NS
 * of processor time:
 *
 *   - it was ready to run and had no processor for more than a twentieth of the time;
 *   - or it computed for so much of its processor time, at least, that 32 samples were to be
 *     expected, and fewer than half as many fell there;
 *   - or more than twice as many fell there as its computation, at most, explains, and 16.
 */
bool in_step_async(const struct step_tally *tally, int64_t period_ns);

#endif
