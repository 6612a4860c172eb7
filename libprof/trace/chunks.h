/*
 * The memory for events: chunks of EVENT_CHUNK_BYTES, TSPROF_TRACE_MEMORY of them in all.
 *
 * Chunks are handed to streams by the dozen, so that threads hardly ever compete for them, and
 * one by one when few are left, the very last to streams that have hardly any.  What a stream
 * gives back it alone uses again.
 *
 * The memory is laid out like the file that it may be mapped from (chunk_file.h).  Anybody may
 * write into that file; so what the process relies upon is not in the chunks themselves.
 */
#ifndef TSPROF_CHUNKS_H
#define TSPROF_CHUNKS_H

#include "common/event_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHUNK_NONE UINT32_MAX

/* The chunks of one owner that it does not use. */
struct chunk_store {
    uint32_t free;       /* the first of a list by `newer`, as number + 1; 0: none */
    uint32_t fresh, end; /* those that were never used */
    uint32_t got;        /* how many it has been handed */
};

/* Reserves address space for BYTES of chunks; false if there is none.  Once, program context.
 */
bool chunks_start(size_t bytes);

/* Chunk NUMBER.  Any context. */
struct event_chunk *chunk_at_async(uint32_t number);

/* What its stream knows about a chunk. */
struct chunk_links {
    uint32_t older, newer; /* neighbours in the stream, as number + 1; 0: none */
    uint32_t users;        /* iterations that are kept and have events here */
    uint32_t sequence;
};

struct chunk_links *chunk_links_async(uint32_t number);

/* The series of THREAD as the file has them; NULL: it has no room for them. */
struct event_series *chunk_series_async(unsigned thread);

/* What THREAD let go of each series, and when it ended recording, likewise. */
struct event_lost *chunk_lost_async(unsigned thread);
int64_t *chunk_ended_async(unsigned thread);

/* The chunks that were handed out so far lie in one piece: how many. */
uint32_t chunks_count_async(void);

/* The memory as the file has it: its begin, and the bytes up to the last such chunk. */
char *chunks_image_async(void);
size_t chunks_image_bytes_async(void);

/* Takes a chunk from STORE; CHUNK_NONE if no memory is left.  By the store's owner. */
uint32_t chunk_take_async(struct chunk_store *store);

/* Gives chunk NUMBER back to STORE. */
void chunk_give_back_async(struct chunk_store *store, uint32_t number);

#endif
