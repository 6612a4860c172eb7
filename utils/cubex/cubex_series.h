/*
 * The iterations that a CUBE file keeps apart, as blocks: what is the same subtree in the file.
 *
 * With CUBEX_CLUSTERS a block is a cluster and holds sums over its iterations, as CUBE's own
 * clusters do; with CUBEX_NODES it is one iteration and holds its values.  CUBE knows clusters
 * of processes, not of threads: where several threads of one have clusters of their own, a
 * block stands for a combination of them, and holds for each thread as many times the mean of
 * its cluster as there are iterations in the block.
 *
 * What is not in a block is in the base: whole run less blocks.  So the file adds up to the
 * whole run whichever iterations are kept apart.
 */
#ifndef TSPROF_CUBEX_SERIES_H
#define TSPROF_CUBEX_SERIES_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cubex_iterations { CUBEX_CLUSTERS, CUBEX_NODES, CUBEX_SUM };

/* In place of a block: what is in none. */
#define CUBEX_BASE UINT32_MAX

struct cubex_series;

/*
 * What is kept apart of SELECTION, of the phase PHASE; nothing if HOW is CUBEX_SUM or PHASE
 * SUMMARY_NONE.  NULL, and why, if it is more than a CUBE file can reasonably hold.  The
 * selection must outlive it.
 */
struct cubex_series *cubex_series_create(const struct selection *selection, uint32_t phase,
                                         enum cubex_iterations how, struct error *error);
void cubex_series_free(struct cubex_series *series);

/* The iterations that are kept apart: `count` of them, from `first` on. */
struct cubex_span {
    uint64_t first, count;
};
struct cubex_span cubex_series_span(const struct cubex_series *series);

enum cubex_iterations cubex_series_how(const struct cubex_series *series);
uint32_t cubex_series_phase(const struct cubex_series *series);

/* Blocks, numbered from 0. */
uint32_t cubex_series_blocks(const struct cubex_series *series);

/*
 * Calls VISIT for every profile that is a part of BLOCK (or CUBEX_BASE) on the location of that
 * index: TIMES / OF of it, where OF is positive.
 */
typedef void cubex_visit(void *context, const struct profile *profile, int64_t times,
                         uint64_t of);
void cubex_series_visit(const struct cubex_series *series, uint32_t block, uint32_t location,
                        cubex_visit *visit, void *context);

/*
 * CUBEX_CLUSTERS only: the block of ITERATION for every process of the selection, in their
 * order. A process without a profile of it is in the last block, which is empty for all then.
 */
void cubex_series_row(struct cubex_series *series, uint64_t iteration, uint32_t *blocks);

/* TIMES / OF of VALUE as a whole number; false if it is none. */
bool cubex_share(int64_t value, int64_t times, uint64_t of, int64_t *share);

#endif
