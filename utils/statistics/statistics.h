/*
 * What searches ask of numbers: medians, trends and spreads that outliers hardly change, and
 * how well lines and levels explain values.  It knows nothing of summaries.
 */
#ifndef TSPROF_STATISTICS_H
#define TSPROF_STATISTICS_H

#include "statistics/fit.h"
#include "statistics/robust.h"

#endif
