/*
 * Labels: what the entries of a map hold in place of clusters.
 *
 * For itermap.c and the files that it is built from.  They are a disjoint-set forest whose
 * roots know their owner (the caller's number of the cluster).  When two clusters are merged,
 * the label of one becomes a child of the other's, and entries stay as they are.  A label that
 * is not a root any more may be reused once no entry holds it.  The owner of the entries knows
 * when:
 *
 *     labels_retire   from here on it replaces labels that are not roots now, entry by entry
 *     labels_reuse    no entry holds such a label any more
 *
 * The root of higher rank stays the root, so that lookups take few steps without path
 * compression, and change nothing.
 */
#ifndef TSPROF_MAPLABELS_H
#define TSPROF_MAPLABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/mapmemory.h"

/* Exist from the beginning, and stay roots with themselves as owners. */
enum { LABEL_NONE, LABEL_UNMAPPED, FIRST_LABEL };

/* Segments of labels, each twice as large as the one before; enough for 2^31 labels. */
enum { LABEL_SEGMENTS = 26, LABEL_SEGMENT_BITS = 5 };

struct label {
    uint32_t link;  /* root: its owner; others: the parent label */
    uint32_t next;  /* next in its list, if not a root; 0: the last */
    uint16_t at[2]; /* place in the table of a page, perhaps stale; one for each writer */
    uint8_t rank;   /* upper bound of the height of its tree */
    bool root;
};

struct label_list {
    uint32_t first; /* 0: empty */
    uint32_t last;
    uint32_t count;
};

struct labels {
    struct map_memory *memory;
    struct label *segments[LABEL_SEGMENTS];
    uint32_t used;              /* labels from this one on were never used */
    struct label_list merged;   /* no longer roots */
    struct label_list retiring; /* being removed from the entries */
    struct label_list unused;   /* in no entry */
};

/* Initialises LABELS, all zeros except for `memory`; false if out of memory. */
__attribute__((warn_unused_result)) bool labels_start(struct labels *labels);

static inline struct label *labels_at(const struct labels *labels, uint32_t label)
{
    uint32_t place = label + (1u << LABEL_SEGMENT_BITS);
    unsigned log = 31 - (unsigned)__builtin_clz(place);
    return &labels->segments[log - LABEL_SEGMENT_BITS][place - (1u << log)];
}

/* The root of LABEL: itself if it is one. */
static inline uint32_t labels_root(const struct labels *labels, uint32_t label)
{
    const struct label *entry = labels_at(labels, label);
    while (!entry->root) {
        label = entry->link;
        entry = labels_at(labels, label);
    }
    return label;
}

/* Adds a root for OWNER; LABEL_UNMAPPED if out of memory. */
uint32_t labels_add(struct labels *labels, uint32_t owner);

/*
 * Joins two roots, neither of them a special label.  Returns the one that stays a root, with
 * its owner as it was.
 */
uint32_t labels_join(struct labels *labels, uint32_t a, uint32_t b);

void labels_retire(struct labels *labels);
void labels_reuse(struct labels *labels);

/* Gives all memory back. */
void labels_clear(struct labels *labels);

#endif
