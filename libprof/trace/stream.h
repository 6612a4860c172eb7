/*
 * A stream of records in chunks (common/event_format.h): appending, and letting go of what is
 * not wanted.
 *
 * A stretch of the stream is kept by counting it as used in each chunk that it touches.  Chunks
 * that no stretch uses are given back, except those of the stretch that is being written.
 *
 * For the thread that owns the stream and holds its context; any context otherwise.
 */
#ifndef TSPROF_STREAM_H
#define TSPROF_STREAM_H

#include "trace/chunks.h"

/* A place in a stream, between two records. */
struct stream_place {
    uint32_t chunk, sequence, offset;
    int64_t last_ns;
};

/* From FIRST to LAST; their chunks stay where they are as long as the stretch is kept. */
struct stretch {
    struct stream_place first, last;
};

struct stream {
    unsigned char *at, *end; /* the rest of the chunk that is written to; equal: none */
    int64_t last_ns;         /* the latest time in it */
    struct event_chunk *chunk;
    uint32_t current; /* its number */
    uint32_t owner, sequence;
    struct chunk_store store;
};

/* Begins a new chunk; false if there is no memory, and then nothing has changed. */
bool stream_extend_async(struct stream *stream);

/* Whether a record of EVENT_RECORD_MOST bytes can be appended, maybe after getting a chunk. */
static inline bool stream_has_room_async(struct stream *stream)
{
    return __builtin_expect(stream->end - stream->at >= EVENT_RECORD_MOST, 1) ||
           stream_extend_async(stream);
}

/* What was written up to AT is a whole record. */
static inline void stream_wrote_async(struct stream *stream, unsigned char *at)
{
    stream->at = at;
    const uint32_t used = (uint32_t)(at - (unsigned char *)stream->chunk);
    __atomic_store_n(&stream->chunk->used, used, __ATOMIC_RELEASE);
}

/* Where the next record goes.  There must be room. */
struct stream_place stream_place_async(const struct stream *stream);

/* Forgets all that was written since PLACE, none of which may be kept. */
void stream_rewind_async(struct stream *stream, const struct stream_place *place);

/* Keeps STRETCH.  Later it may be let go of. */
void stream_keep_async(struct stream *stream, const struct stretch *stretch);

/*
 * Lets go of STRETCH, which was kept, and gives back those of its chunks that nothing else
 * keeps, up to the one with sequence number BUSY, from which on all are in use.
 */
void stream_let_go_async(struct stream *stream, const struct stretch *stretch, uint32_t busy);

/* Gives back the chunks since PLACE that nothing keeps, but not the current one. */
void stream_tidy_async(struct stream *stream, const struct stream_place *place);

#endif
