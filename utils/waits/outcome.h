/* The summary of what the engine has found. */
#ifndef TSPROF_OUTCOME_H
#define TSPROF_OUTCOME_H

#include "clocks/clocks.h"
#include "file/file.h"
#include "waits/feed.h"

/* Free with summary_free; the texts of the trace are copied. */
struct summary *outcome_make(const struct feed *feed, const struct clocks *clocks);

#endif
