/*
 * Labels: what the entries of a map carry in place of clusters.
 *
 * For itermap.c and the files it is built from.  A disjoint-set forest whose roots know the
 * owner (the caller's number of the cluster).  When two clusters become one, one of their
 * labels becomes the other: entries stay as they are.  A label that is no root any more may be
 * used anew as soon as no entry carries it.  Who knows that is the owner of the entries:
 *
 *     labels_retire      from here on entries are rid, one after the other, of labels that are
 *                        no roots now
 *     labels_reuse       none is left
 *
 * Every tree has its larger rank on top, so that a lookup takes few steps without compressing
 * paths, and changes nothing.
 */
#ifndef TSPROF_MAPLABELS_H
#define TSPROF_MAPLABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/mapmemory.h"

/* There from the beginning, roots for ever, with themselves as owners. */
enum { LABEL_NONE, LABEL_UNMAPPED, FIRST_LABEL };

/* Of labels, each twice as large as the one before it; enough for 2^31. */
enum { LABEL_SEGMENTS = 26, LABEL_SEGMENT_BITS = 5 };

struct label {
    uint32_t link;  /* of a root: its owner; of others: the label that it became */
    uint32_t next;  /* in its list, if it is no root; 0: the last */
    uint16_t at[2]; /* where it may stand in the table of a page, one for each writer */
    uint8_t rank;   /* the tree below it is not higher */
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
    uint32_t used;              /* labels from here on were never used */
    struct label_list merged;   /* no roots any more */
    struct label_list retiring; /* those of them that entries are being rid of */
    struct label_list unused;   /* those that no entry carries */
};

/* Makes LABELS, all zeros but for memory, ready for use; false if memory is out. */
__attribute__((warn_unused_result)) bool labels_start(struct labels *labels);

static inline struct label *labels_at(const struct labels *labels, uint32_t label)
{
    uint32_t place = label + (1u << LABEL_SEGMENT_BITS);
    unsigned log = 31 - (unsigned)__builtin_clz(place);
    return &labels->segments[log - LABEL_SEGMENT_BITS][place - (1u << log)];
}

/* The label that LABEL has become: itself if it is a root. */
static inline uint32_t labels_root(const struct labels *labels, uint32_t label)
{
    const struct label *entry = labels_at(labels, label);
    while (!entry->root) {
        label = entry->link;
        entry = labels_at(labels, label);
    }
    return label;
}

/* A new root for OWNER; LABEL_UNMAPPED if memory is out. */
uint32_t labels_add(struct labels *labels, uint32_t owner);

/* Makes one of two roots, neither of them one of the two special ones, the other; returns the
 * one that stays, with its owner as it was. */
uint32_t labels_join(struct labels *labels, uint32_t a, uint32_t b);

void labels_retire(struct labels *labels);
void labels_reuse(struct labels *labels);

/* Gives all memory back. */
void labels_clear(struct labels *labels);

#endif
