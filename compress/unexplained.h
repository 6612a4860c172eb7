/*
 * What clusters leave unexplained: the share of what varies that varies within them.
 *
 * For clustering.c only.  Takes no memory.  A cell that varies at random, by itself, is as
 * different within clusters as it is at large, whatever weight it has; one that clusters can
 * follow is not, once it has some.  That tells the two apart where single variances cannot.
 */
#ifndef TSPROF_UNEXPLAINED_H
#define TSPROF_UNEXPLAINED_H

#include "compress/pairs.h"
#include "compress/pool.h"
#include "compress/scaling.h"

/*
 * Measures it for SCALING, of the totals and of the features in force, all of whose iterations
 * must be in the clusters of POOL.  Takes some microseconds with 64 clusters, and more with
 * more; pauses as PAIRS does.  With a cluster for every iteration nothing is known.
 */
void unexplained_measure(const struct pairs *pairs, const struct pool *pool,
                         struct scaling *scaling);

#endif
