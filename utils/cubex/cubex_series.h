/*
 * The iterations that a CUBE file keeps apart, in blocks.  Each block is a subtree of the
 * file's call tree.
 *
 * With CUBEX_CLUSTERS a block is a cluster and has the sums over its iterations, as in CUBE's
 * own clusters; with CUBEX_NODES it is one iteration and has its values.  CUBE has clusters of
 * processes, not of threads.  If several threads of a process have clusters of their own, a
 * block is a combination of these; each thread's values in it are the mean of its cluster times
 * the number of iterations in the block.
 *
 * What is in no block is in the base, which is the whole run minus all blocks.  So the file
 * adds up to the whole run, whichever iterations are kept apart.
 */
#ifndef TSPROF_CUBEX_SERIES_H
#define TSPROF_CUBEX_SERIES_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cubex_iterations { CUBEX_CLUSTERS, CUBEX_NODES, CUBEX_SUM };

/* Stands for the base where a block is expected. */
#define CUBEX_BASE UINT32_MAX

struct cubex_series;

/*
 * Divides the selected iterations of PHASE into blocks; there are none if HOW is CUBEX_SUM or
 * PHASE is SUMMARY_NONE.  NULL, and ERROR, if there are more than a CUBE file can reasonably
 * hold.  The selection must outlive the result.
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

/* Blocks, numbered from 0; never more than iterations that are kept apart. */
uint32_t cubex_series_blocks(const struct cubex_series *series);

/*
 * Calls VISIT for every profile that contributes to BLOCK (or CUBEX_BASE) on the location with
 * index LOCATION.  The contribution is the profile times TIMES / OF; OF is positive.
 */
typedef void cubex_visit(void *context, const struct profile *profile, int64_t times,
                         uint64_t of);
void cubex_series_visit(const struct cubex_series *series, uint32_t block, uint32_t location,
                        cubex_visit *visit, void *context);

/*
 * With CUBEX_CLUSTERS only: fills in the block of ITERATION for every selected process, in
 * order.  For a process without a profile of the iteration it is a block in which this process
 * has nothing; others may use it.
 */
void cubex_series_row(struct cubex_series *series, uint64_t iteration, uint32_t *blocks);

/* Computes VALUE times TIMES / OF; false if that is not a whole number. */
bool cubex_share(int64_t value, int64_t times, uint64_t of, int64_t *share);

#endif
