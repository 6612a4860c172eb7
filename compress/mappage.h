/*
 * Pages: how a map stores the labels of iterations.
 *
 * For itermap.c and the files it is built from.  A page is
 *
 *     head | segments ->     ... free ...     <- table of labels
 *
 * Segments refer to labels by their place in the table, so that the labels of a page change
 * without its segments.  A segment begins with a varint, 4 * iterations + kind, and stands for
 * that many iterations:
 *
 *     RUN      varint place                    the same label
 *     PACKED   byte width, bits                a place each, of so many bits, lowest bits first
 *     PATTERN  varint period, 2 bytes each     these places, over and over
 *     AGAIN                                    the page's last pattern goes on, as if what came
 *                                              in between had followed it, too
 */
#ifndef TSPROF_MAPPAGE_H
#define TSPROF_MAPPAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of a page with its head, in bytes; always a multiple of 8. */
enum { PAGE_LEAST = 256, PAGE_MOST = 8192 };

enum { MAX_PERIOD = 128 };

enum segment_kind { SEGMENT_RUN, SEGMENT_PACKED, SEGMENT_PATTERN, SEGMENT_AGAIN };

#define NOWHERE UINT32_MAX

struct page {
    struct page *next;
    uint64_t iterations; /* iterations in its segments */
    uint32_t size;       /* bytes of the whole page */
    uint32_t used;       /* bytes of segments */
    uint32_t labels;     /* labels in the table */
    uint32_t settled;    /* distinct labels at the last attempt to shrink it; 0: none */
    uint32_t last;       /* where its last segment begins, or NOWHERE */
    uint32_t pattern;    /* where its last pattern begins, or NOWHERE */
    uint32_t period;     /* of that pattern */
    uint32_t phase;      /* place in it of the iteration after this page */
    uint8_t bytes[];
};

/* The pages of a map in the order of their iterations; the last one is still being written. */
struct page_list {
    struct page *first;
    struct page *last;
    uint32_t count;
    size_t bytes;
};

/* Makes PAGE of SIZE bytes empty. */
void page_start(struct page *page, uint32_t size);

/* The label at PLACE of the table, which grows downwards from the end. */
static inline uint32_t *page_label(const struct page *page, uint32_t place)
{
    return (uint32_t *)((char *)page + page->size) - 1 - place;
}

/* Bytes in use, and bytes free. */
static inline uint32_t page_content(const struct page *page)
{
    return page->used + page->labels * (uint32_t)sizeof(uint32_t);
}

static inline uint32_t page_room(const struct page *page)
{
    return page->size - (uint32_t)sizeof(*page) - page_content(page);
}

/* The number of bits that distinguish N things. */
static inline unsigned bits_for(uint32_t n)
{
    return n > 1 ? 32 - (unsigned)__builtin_clz(n - 1) : 0;
}

/* The bytes that a segment of COUNT iterations takes, by kind. */
uint32_t run_bytes(uint64_t count, uint32_t place);
uint32_t packed_bytes(uint64_t count, unsigned width);
uint32_t pattern_bytes(uint64_t count, uint32_t period);

/* Each appends a segment of COUNT iterations, at least 1; false, and nothing changed, if there
 * is no room. */
bool page_add_run(struct page *page, uint32_t place, uint64_t count);
bool page_add_packed(struct page *page, const uint16_t *places, uint32_t count, unsigned width);
bool page_add_pattern(struct page *page, const uint16_t *places, uint32_t period,
                      uint64_t count);

/*
 * Continues the page's last pattern, which must exist, for COUNT more iterations; false, with
 * nothing changed, if there is no room.
 */
bool page_add_again(struct page *page, uint64_t count);

/* The place of element INDEX of the page's last pattern. */
uint32_t page_pattern_place(const struct page *page, uint32_t index);

/* Walks over the iterations of pages that are not changed meanwhile. */
struct page_reader {
    const struct page *page;
    uint32_t at;    /* where the next segment begins */
    uint64_t left;  /* iterations of this segment not read yet */
    uint32_t cycle; /* labels of this segment repeat after so many; 0: they do not */
    uint32_t place; /* of a run */
    uint32_t pattern, period, phase; /* the last pattern: its first place, its length, and the
                                        element of the next iteration */
    unsigned width;                  /* bits of a packed place; 0: a run of place 0 */
    uint64_t bit;                    /* the next packed place, in the page */
    enum segment_kind kind;
};

/* Places READER at the first iteration of PAGE. */
void reader_start(struct page_reader *reader, const struct page *page);

/* Whether iterations are left in the page.  If so, `left` is above 0 afterwards. */
bool reader_more(struct page_reader *reader);

/* The label of the next iteration, which must exist. */
uint32_t reader_label(const struct page_reader *reader);

/* Skips COUNT iterations, at most `left`. */
void reader_skip(struct page_reader *reader, uint64_t count);

#endif
