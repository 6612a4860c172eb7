/*
 * Computes one value for each rank.
 */
#ifndef TSPROF_PLOT_RANKS_H
#define TSPROF_PLOT_RANKS_H

#include "plot/plot.h"

/*
 * The plot's statistic over iterations, or the value in the whole run, of each selected rank
 * (NaN: the rank has none); for the caller to free().
 */
double *plot_rank_values(const struct plot *plot);

#endif
