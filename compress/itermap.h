/*
 * Which cluster an iteration belongs to: a compressed map with a bound.
 *
 * For clustering.c only.  The entries of the map are labels.  A cluster has one; when two
 * clusters become one, so do their labels.  Iterations are appended in order, each with the
 * label of its cluster:
 *
 *     label = itermap_label(map, owner)            for a new cluster
 *     itermap_append(map, label)                   for every iteration that is in it
 *     label = itermap_merge(map, one, other, owner)
 *
 * The owner is the caller's number for the cluster (below ITERMAP_UNMAPPED); it is what lookups
 * answer.  Ask for a label only for a cluster that stays, after the iteration's way is known:
 * an iteration that at once became part of an older cluster is appended with that one's label.
 *
 * What a map holds is compressed: sequences that repeat, with few exceptions, take some bytes
 * however long they are, others less than seven bits an iteration for 64 clusters (mappage.h,
 * mapwriter.h).  As clusters merge, what was written is written again, in steps: appending is
 * O(1) but for a step that is bounded (mapsweep.h).
 *
 * Where the bound is reached, or memory out, iterations are in clusters, but the map does not
 * know in which: they are unmapped.  When merging makes room again the map goes on.  Nothing
 * that was appended before is ever forgotten.
 *
 * Takes no lock and calls nothing but its account and memcpy and its like.  The same calls give
 * the same map, bit for bit.
 */
#ifndef TSPROF_ITERMAP_H
#define TSPROF_ITERMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compress/account.h"
#include "compress/mappage.h"

/* Owners that lookups answer of iterations without one. */
#define ITERMAP_NONE     UINT32_MAX       /* it has no profile: it was skipped, or lost */
#define ITERMAP_UNMAPPED (UINT32_MAX - 1) /* it is in a cluster, which is not known */

/* Labels that are always there. */
#define ITERMAP_LABEL_NONE     0 /* of iterations in no cluster */
#define ITERMAP_LABEL_UNMAPPED 1 /* of clusters that have no label yet */

struct itermap;

/* A new, empty map that takes at most BOUND bytes (0: no bound) from ACCOUNT, which has to
 * outlive it; NULL if memory is out or the bound too small for an empty map. */
struct itermap *itermap_create(struct account *account, size_t bound);

/* Gives everything back to the account.  NULL is allowed. */
void itermap_destroy(struct itermap *map);

/* A label for a new cluster; ITERMAP_LABEL_UNMAPPED if there is none: the cluster may do with
 * that one, and ask again whenever an iteration is added to it. */
uint32_t itermap_label(struct itermap *map, uint32_t owner);

/* The cluster with LABEL, one of those from itermap_label, has a new owner number. */
void itermap_own(struct itermap *map, uint32_t label, uint32_t owner);

/* Two clusters, with labels A and B, become one that belongs to OWNER.  Returns its label, the
 * other is not to be used any more.  ITERMAP_LABEL_UNMAPPED for one of them or both is
 * allowed. */
uint32_t itermap_merge(struct itermap *map, uint32_t a, uint32_t b, uint32_t owner);

/* Appends one or COUNT iterations; false if any of them is unmapped: because it has no label,
 * or because the map is full (then those that have no profile count as unmapped, too).  The
 * time does not depend on COUNT. */
bool itermap_append(struct itermap *map, uint32_t label);
bool itermap_append_many(struct itermap *map, uint32_t label, uint64_t count);

/* Iterations appended so far, and those of them that are unmapped. */
uint64_t itermap_iterations(const struct itermap *map);
uint64_t itermap_unmapped(const struct itermap *map);

/* Bytes now held. */
size_t itermap_memory(const struct itermap *map);

/* The owner of ITERATION; ITERMAP_NONE beyond the last one.  Walks over pages: for all
 * iterations use a cursor. */
uint32_t itermap_owner(const struct itermap *map, uint64_t iteration);

/* Iterations FIRST to FIRST + LENGTH - 1. */
struct itermap_run {
    uint64_t first;
    uint64_t length;
    uint32_t owner;
};

/* Walks over a map in order; valid until the map changes.  The fields are itermap.c's. */
struct itermap_cursor {
    const struct itermap *map;
    struct page_reader reader; /* of a page; after the last one its page is NULL */
    uint64_t at;               /* the next iteration */
};

/* Places CURSOR before iteration FIRST. */
void itermap_start(const struct itermap *map, struct itermap_cursor *cursor, uint64_t first);

/* The next iterations, all that have one owner; false at the end. */
bool itermap_next(struct itermap_cursor *cursor, struct itermap_run *run);

#endif
