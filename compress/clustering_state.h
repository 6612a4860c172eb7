/*
 * What a clustering consists of, and how many clusters it has room for.
 *
 * For clustering.c, which changes it, room.c, which knows how many clusters there may be and
 * merges nothing, and clustering_reading.c only.
 */
#ifndef TSPROF_CLUSTERING_STATE_H
#define TSPROF_CLUSTERING_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/cells.h"
#include "compress/clustering.h"
#include "compress/equivalence.h"
#include "compress/itermap.h"
#include "compress/pairs.h"
#include "compress/pool.h"
#include "compress/reweighing.h"
#include "compress/scaling.h"

struct clustering {
    struct account account;
    uint32_t max_clusters; /* in the end; CLUSTERS_AUTO: chosen so far */
    uint32_t room;         /* most clusters while iterations are added */
    uint32_t condensed_count;
    bool is_auto;
    bool full; /* CLUSTERS_AUTO: there is no room any more to keep every iteration */
    size_t auto_bytes;
    double error_bound;
    bool broke_bound;
    bool merged;    /* some cluster has several iterations */
    bool may_relax; /* EQUIVALENCE_AUTO or SIMILAR, and not come to NONE */
    uint64_t iterations;
    uint64_t lost;
    struct classes classes;
    struct pool pool;
    struct pairs pairs;
    struct itermap *map;
    uint32_t landed; /* slot of the cluster that the newest iteration is in */
    struct cells cells;
    struct scaling scaling;
    struct reweighing change;
    double *row;   /* the condensed row of the iteration being added */
    float *point;  /* the same, for costs */
    double rows[]; /* memory of `row` and of the rows of `scaling` */
};

/*
 * Room: how many clusters there may be while iterations are added, as many as asked for and
 * some to spare, or with CLUSTERS_AUTO as many as memory allows and then as the error requires.
 */

/* The least number of clusters allowed until the end, in all and to spare. */
enum { ROOM_LEAST = 64, ROOM_SPARE = 4 };

/*
 * The number of clusters allowed until the end, if there may be MAX then.  Which of the latest
 * iterations belong together shows only later: with some spare clusters nothing has to be
 * decided at once.  The fewer clusters, the more that matters, and the less memory it takes.
 */
uint32_t room_for(uint32_t max, enum clustering_method method);

/*
 * There are more clusters than allowed only if every class has just one.  Then clusters were
 * never merged across classes, and the class number is the position of its cluster.
 */
bool room_is_crowded(const struct clustering *c);

/* Sets the number of clusters that there may be now, and with it that in the end. */
void room_set(struct clustering *c, uint32_t room);

/* Whether three quarters of the room are used: time to compute costs. */
bool room_fills_up(const struct clustering *c);

/*
 * CLUSTERS_AUTO: whether there is no room to keep every iteration any more, before another one
 * is added; and what follows: from now on there may be ROOM clusters.
 */
bool room_is_full(const struct clustering *c);
void room_fill_up(struct clustering *c, uint32_t room);

/*
 * Whether merging the clusters at two positions would move their iterations so far that more
 * clusters are worth their memory, or would break the error bound.
 */
bool room_is_too_dear(const struct clustering *c, uint32_t earlier, uint32_t later);

/* CLUSTERS_AUTO: whether there may be one more instead of merging two. */
bool room_allows_more(const struct clustering *c, uint32_t earlier, uint32_t later);

/*
 * CLUSTERS_AUTO: whether there may be fewer clusters than now, and whether there may be as many
 * as long as it would be too dear to have fewer.
 */
bool room_may_fall(const struct clustering *c);
bool room_is_worth_it(const struct clustering *c);

#endif
