/*
 * From labels, one after the other, to segments of a page.
 *
 * For itermap.c and the files it is built from.  The newest iterations wait in the writer:
 *
 *     written pages | `length` iterations that follow the pattern | `count` labels in the block
 *
 * While labels follow the pattern (a single label is a pattern of one) they are only counted.
 * Others go to the block.  If those after them follow the pattern again, the few were
 * exceptions, and the pattern goes on.  Otherwise, when the block is full, its end is looked at
 * for a new pattern, and the rest is written as runs or packed, whichever is smaller.  A writer
 * that meets many exceptions forgets its pattern, so that a better one may be found.
 */
#ifndef TSPROF_MAPWRITER_H
#define TSPROF_MAPWRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "compress/maplabels.h"
#include "compress/mappage.h"

enum {
    MAP_BLOCK = 512,
    LEAST_PATTERN = 48, /* iterations that have to follow a pattern */
    MOST_EXCEPTIONS = 8,
};

/* Where a writer gets pages from. */
struct page_source {
    /* A page with room for BYTES at least; NULL if there is none.  The page until now is
     * finished. */
    struct page *(*next)(void *context, uint32_t bytes);
    void *context;
};

struct map_writer {
    struct labels *labels;
    struct page_source source;
    struct page *page; /* NULL: none yet */
    uint64_t length;
    uint32_t period; /* of the pattern; 0: there is none */
    uint32_t phase;  /* element of the next iteration */
    uint32_t exceptions;
    uint32_t trail; /* labels at the end of the block that follow the pattern */
    uint32_t count; /* in the block */
    unsigned side;  /* which of a label's places in a table are this writer's */
    bool in_page;   /* the page's last pattern is this one */
    uint32_t pattern[MAX_PERIOD];
    uint32_t block[MAP_BLOCK];
};

/* Makes WRITER go on behind what PAGE holds; with NULL it will ask for its first page. */
void writer_start(struct map_writer *writer, struct page *page);

/* Adds an iteration with the root LABEL; false, and nothing added, if that needs a page and
 * there is none. */
bool writer_add(struct map_writer *writer, uint32_t label);

/*
 * Whether a sequence whose labels repeat after CYCLE iterations, and of which ADDED were added,
 * the last ones, follows the pattern for ever.  Then any number may be added by writer_follow.
 */
bool writer_follows(const struct map_writer *writer, uint64_t added, uint32_t cycle);
void writer_follow(struct map_writer *writer, uint64_t count);

/* Adds up to COUNT iterations with the root LABEL; returns how many it added. */
uint64_t writer_add_many(struct map_writer *writer, uint32_t label, uint64_t count);

/* Writes all that waits; false if that needs a page and there is none: then some of it may be
 * written. */
bool writer_finish(struct map_writer *writer);

/* To be called when labels have become others: everything refers to roots again.  Returns how
 * many different labels the table of PAGE has; SIDE's places of labels refer to PAGE
 * afterwards. */
uint32_t page_relabel(struct page *page, const struct labels *labels, unsigned side);
void writer_relabel(struct map_writer *writer);

#endif
