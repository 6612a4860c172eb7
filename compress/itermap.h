/*
 * The map from iterations to clusters, compressed and bounded in size.
 *
 * For clustering.c only.  The entries of the map are labels.  Each cluster has one; when two
 * clusters are merged, so are their labels.  Iterations are appended in order, each with the
 * label of its cluster:
 *
 *     label = itermap_label(map, owner)            for a new cluster
 *     itermap_append(map, label)                   for every iteration that is in it
 *     label = itermap_merge(map, one, other, owner)
 *
 * The owner is the caller's number of the cluster (below ITERMAP_UNMAPPED), which lookups
 * return.  A label should be taken only for a cluster that stays: an iteration that is merged
 * into an older cluster at once is appended with that cluster's label.
 *
 * The map is compressed.  Repeating sequences with few exceptions take some bytes however long
 * they are; others take less than seven bits for an iteration with 64 clusters (mappage.h,
 * mapwriter.h).  As clusters merge, what was written is written again in steps, so that
 * appending takes O(1) time but for one bounded step (mapsweep.h).
 *
 * When the bound is reached, or memory runs out, further iterations are unmapped: they are in
 * clusters, but the map does not know in which.  Once mergers make room again the map goes on.
 * What was appended is never forgotten.
 *
 * Takes no lock, and calls only its account and functions like memcpy.  The same calls give the
 * same map, bit for bit.
 */
#ifndef TSPROF_ITERMAP_H
#define TSPROF_ITERMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/codec.h"
#include "compress/account.h"
#include "compress/mappage.h"

/* What lookups return for iterations without an owner. */
#define ITERMAP_NONE     UINT32_MAX       /* no profile: skipped or lost */
#define ITERMAP_UNMAPPED (UINT32_MAX - 1) /* in a cluster that is not known */

/* Labels that always exist. */
#define ITERMAP_LABEL_NONE     0 /* of iterations in no cluster */
#define ITERMAP_LABEL_UNMAPPED 1 /* of clusters that have no label yet */

struct itermap;

/*
 * Creates an empty map that takes at most BOUND bytes (0: no bound) from ACCOUNT, which must
 * outlive it.  NULL if out of memory or the bound is too small for an empty map.
 */
struct itermap *itermap_create(struct account *account, size_t bound);

/* Gives everything back to the account.  NULL is allowed. */
void itermap_destroy(struct itermap *map);

/*
 * A label for a new cluster with number OWNER.  ITERMAP_LABEL_UNMAPPED if none can be had: the
 * cluster may use that one, and ask again whenever an iteration is added to it.
 */
uint32_t itermap_label(struct itermap *map, uint32_t owner);

/* Changes the owner of LABEL, which came from itermap_label. */
void itermap_own(struct itermap *map, uint32_t label, uint32_t owner);

/*
 * Merges the labels A and B of two clusters that become one, which belongs to OWNER.  Returns
 * the label of the result; the other must not be used any more.  Either of them, or both, may
 * be ITERMAP_LABEL_UNMAPPED.
 */
uint32_t itermap_merge(struct itermap *map, uint32_t a, uint32_t b, uint32_t owner);

/*
 * Appends one iteration, or COUNT of them in time that does not depend on COUNT.  False if any
 * of them is unmapped, because LABEL is or because the map is full; in a full map even
 * iterations without a profile count as unmapped.
 */
bool itermap_append(struct itermap *map, uint32_t label);
bool itermap_append_many(struct itermap *map, uint32_t label, uint64_t count);

/* The number of iterations appended so far, and how many of them are unmapped. */
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

/*
 * A cursor that walks over a map in order; valid until the map changes.  Its fields are private
 * to itermap.c.
 */
struct itermap_cursor {
    const struct itermap *map;
    struct page_reader reader; /* page is NULL after the last page */
    uint64_t at;               /* the next iteration */
};

/* Places CURSOR before iteration FIRST. */
void itermap_start(const struct itermap *map, struct itermap_cursor *cursor, uint64_t first);

/* Gets the next run of iterations with the same owner; false at the end. */
bool itermap_next(struct itermap_cursor *cursor, struct itermap_run *run);

/* What is written for owners, ITERMAP_NONE and ITERMAP_UNMAPPED among them. */
struct itermap_names {
    uint64_t (*name)(const void *context, uint32_t owner);
    const void *context;
};

/*
 * Appends the map to OUT as it is in memory (doc/parts.md, "Map"), with NAMES, and pauses every
 * few microseconds.  Takes as long as the map is large, and not as there are iterations.
 */
void itermap_save(const struct itermap *map, const struct itermap_names *names,
                  struct encoder *out);

#endif
