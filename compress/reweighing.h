/*
 * A change of weights, and with them of all points and costs, without a long stop.
 *
 * For clustering.c only.  Few clusters change over at once.  With many the points are computed
 * for the new weights while the old ones are still in force, some with every iteration; then
 * the new ones come into force, and costs are computed anew, some with every iteration.
 * Meanwhile costs of both weights are compared with each other.
 */
#ifndef TSPROF_REWEIGHING_H
#define TSPROF_REWEIGHING_H

#include "compress/pairs.h"
#include "compress/pool.h"
#include "compress/scaling.h"

enum reweighing_step { REWEIGHING_NONE, REWEIGHING_POINTS, REWEIGHING_COSTS };

/* All zeros: no change is under way. */
struct reweighing {
    enum reweighing_step step;
    uint32_t slot; /* the next one */
};

/* Begins a change.  There must be a matrix that is built, and no change under way. */
void reweighing_start(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                      struct scaling *scaling);

/* Goes on with what is under way, for one iteration. */
void reweighing_go_on(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                      struct scaling *scaling);

/* To be called when the cluster in SLOT is new or has changed. */
void reweighing_note(const struct reweighing *change, struct pool *pool,
                     struct scaling *scaling, uint32_t slot);

/* Brings all costs to the weights in force at once, after classes have changed. */
void reweighing_end(struct reweighing *change, struct pool *pool, struct pairs *pairs,
                    struct scaling *scaling);

#endif
