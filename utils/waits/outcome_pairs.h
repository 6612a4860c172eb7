/* Who waited for whom, for the summary of what the engine has found. */
#ifndef TSPROF_OUTCOME_PAIRS_H
#define TSPROF_OUTCOME_PAIRS_H

#include "file/file.h"
#include "waits/feed.h"

/* Fills in `waits` of SUMMARY, whose other tables are complete; METRICS has the numbers in it
 * of the metrics of RESULT. */
void outcome_add_pairs(struct summary *summary, const struct feed *feed,
                       const struct replay_result *result, const uint32_t *metrics);

#endif
