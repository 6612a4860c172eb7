/*
 * Turns labels, appended one by one, into segments of pages.
 *
 * For itermap.c and the files that it is built from.  The newest iterations wait in the writer:
 *
 *     written pages | `length` iterations that follow the pattern | `count` labels in the block
 *
 * Labels that follow the pattern (a single label is a pattern of one) are only counted; others
 * go into the block.  If the labels after them follow the pattern again, those few were
 * exceptions, and the pattern continues.  If not, then once the block is full its end is
 * searched for a new pattern, and the rest is written as runs or packed, whichever is smaller.
 * A writer that meets many exceptions drops its pattern, so that a better one may be found.
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
    /*
     * Returns a page with room for at least BYTES, NULL if none can be had.  The current page
     * is finished then.
     */
    struct page *(*next)(void *context, uint32_t bytes);
    void *context;
};

struct map_writer {
    struct labels *labels;
    struct page_source source;
    struct page *page; /* NULL: none yet */
    uint64_t length;
    uint32_t period; /* of the pattern; 0: there is none */
    uint32_t phase;  /* its element for the next iteration */
    uint32_t exceptions;
    uint32_t trail; /* labels at the end of the block that follow the pattern */
    uint32_t count; /* in the block */
    unsigned side;  /* which entry of a label's `at` is this writer's */
    bool in_page;   /* the page's last pattern is this one */
    uint32_t pattern[MAX_PERIOD];
    uint32_t block[MAP_BLOCK];
};

/* The label of element INDEX of the pattern as its `length` iterations follow it. */
static inline uint32_t writer_pattern_label(const struct map_writer *writer, uint32_t index)
{
    const uint32_t period = writer->period;
    const uint32_t since = (uint32_t)((writer->length + writer->count) % period);
    return writer->pattern[(writer->phase + period - since + index) % period];
}

/* Starts WRITER behind what PAGE holds; if PAGE is NULL it will ask for its first page. */
void writer_start(struct map_writer *writer, struct page *page);

/*
 * Adds an iteration with the root LABEL; false, with nothing added, if that needs a page and
 * none can be had.
 */
bool writer_add(struct map_writer *writer, uint32_t label);

/*
 * Whether a sequence will follow the pattern for ever.  Its labels repeat after CYCLE
 * iterations, and the last ADDED iterations are of it.  If so, writer_follow may add any number
 * of its iterations at once.
 */
bool writer_follows(const struct map_writer *writer, uint64_t added, uint32_t cycle);
void writer_follow(struct map_writer *writer, uint64_t count);

/* Adds up to COUNT iterations with the root LABEL; returns how many it added. */
uint64_t writer_add_many(struct map_writer *writer, uint32_t label, uint64_t count);

/*
 * Writes everything that waits in the writer.  False if that needs a page and none can be had;
 * some of it may be written then.
 */
bool writer_finish(struct map_writer *writer);

/*
 * Replace labels by their roots, in PAGE and in WRITER, after labels were joined. page_relabel
 * returns the number of distinct labels in the table of PAGE; afterwards the labels' places for
 * SIDE refer to PAGE.
 */
uint32_t page_relabel(struct page *page, const struct labels *labels, unsigned side);
void writer_relabel(struct map_writer *writer);

#endif
