/*
 * The bytes of one iteration for the page, all numbers as varints (common/codec.h):
 *
 *     rows        how many; for each:
 *       calls     how many, in the order of their beginning; for each: region, depth, time
 *                 since the one before began, duration
 *       samples   how many; for each: region plus 1 (0: not known), time since the one before
 *     messages    how many, in the order of sending; for each: row of the sender and of the
 *                 receiver, sent (signed) since the one before, received since it was sent
 *                 (signed), bytes, tag
 *
 * The first time of a row, and of messages, is since the iteration began; times are in
 * nanoseconds.  They are compressed with zstd.
 */
#ifndef TSPROF_WRITE_BLOCK_H
#define TSPROF_WRITE_BLOCK_H

#include "common/codec.h"
#include "timeline/collect.h"

/* The rows of the page: threads, by rank. */
struct timeline_rows {
    uint32_t *threads; /* by row */
    uint32_t *of_thread;
    size_t count;
};

/* Encodes ONE, which it sorts, into OUT, without compressing it. */
void block_encode(struct collected *one, const struct timeline_rows *rows, struct encoder *out);

#endif
