/* Visits of instrumented functions by thread, and what they cost.  For this room alone. */
#ifndef TSPROF_SCORE_SUMS_H
#define TSPROF_SCORE_SUMS_H

#include "score/score.h"

/* Of one thread: visits of functions that are kept, that are hidden, and that have no call
 * path, so no filter can name them.  `walked` are those that are kept and called by functions
 * that are hidden. */
struct thread_visits {
    long double kept, walked, hidden, nameless;
};

struct thread_visits score_thread_visits(const struct score *score,
                                         const struct location *location);

/* Fills in `now`, of a score without hidden functions. */
void score_share_now(struct score *score);

#endif
