/* See in_step.h. */
#include "sample/in_step.h"

enum {
    SHARED_PARTS = 20, /* that part of the time without a processor is too much */
    ENOUGH =
        32 /* samples; chance makes less than half of them, or twice as many, once in 500 */
};

struct step_tally in_step_between_async(const struct step_tally *begin,
                                        const struct step_tally *end)
{
    return (struct step_tally){
        .wall_ns = end->wall_ns - begin->wall_ns,
        .used_ns = end->used_ns - begin->used_ns,
        .preempted_ns = end->preempted_ns - begin->preempted_ns,
        .computed_ns = end->computed_ns - begin->computed_ns,
        .ahead_ns = end->ahead_ns,
        .samples = end->samples - begin->samples,
    };
}

bool in_step_async(const struct step_tally *tally, int64_t period_ns)
{
    /*
     * The clock says how long the thread was not computing, and it cannot have used more of its
     * processor time there.  Waiting outside MPI counts as computation, but uses none.
     */
    const int64_t least_ns = tally->used_ns - (tally->wall_ns - tally->computed_ns),
                  most_ns = tally->computed_ns + tally->ahead_ns;
    const int64_t least = least_ns / period_ns, most = most_ns / period_ns;
    return tally->preempted_ns > tally->wall_ns / SHARED_PARTS ||
           (least >= ENOUGH && 2 * tally->samples < least) ||
           (tally->samples >= ENOUGH && tally->samples > 2 * most + ENOUGH / 2);
}
