/* See stream.h. */
#include "trace/stream.h"

bool stream_extend_async(struct stream *stream)
{
    const uint32_t number = chunk_take_async(&stream->store);
    if (number == CHUNK_NONE)
        return false;
    struct event_chunk *chunk = chunk_at_async(number);
    struct chunk_links *links = chunk_links_async(number);
    *links = (struct chunk_links){.sequence = stream->sequence};
    *chunk = (struct event_chunk){
        .sequence = stream->sequence++, .used = EVENT_CHUNK_HEADER, .base_ns = stream->last_ns};
    /* The file may be looked at after any of these steps. */
    __atomic_store_n(&chunk->owner, stream->owner, __ATOMIC_RELEASE);
    if (stream->chunk) {
        links->older = stream->current + 1;
        chunk_links_async(stream->current)->newer = number + 1;
    }
    stream->chunk = chunk;
    stream->current = number;
    stream->at = (unsigned char *)chunk + EVENT_CHUNK_HEADER;
    stream->end = (unsigned char *)chunk + EVENT_CHUNK_BYTES;
    return true;
}

struct stream_place stream_place_async(const struct stream *stream)
{
    return (struct stream_place){stream->current, chunk_links_async(stream->current)->sequence,
                                 (uint32_t)(stream->at - (unsigned char *)stream->chunk),
                                 stream->last_ns};
}

/* Takes chunk NUMBER out of the stream and gives it back. */
static void remove_async(struct stream *stream, uint32_t number)
{
    const struct chunk_links *links = chunk_links_async(number);
    if (links->older)
        chunk_links_async(links->older - 1)->newer = links->newer;
    if (links->newer)
        chunk_links_async(links->newer - 1)->older = links->older;
    chunk_give_back_async(&stream->store, number);
}

void stream_rewind_async(struct stream *stream, const struct stream_place *place)
{
    while (stream->current != place->chunk) {
        const uint32_t last = stream->current;
        stream->current = chunk_links_async(last)->older - 1;
        stream->chunk = chunk_at_async(stream->current);
        remove_async(stream, last);
    }
    stream->sequence = place->sequence + 1;
    stream->last_ns = place->last_ns;
    stream->end = (unsigned char *)stream->chunk + EVENT_CHUNK_BYTES;
    stream_wrote_async(stream, (unsigned char *)stream->chunk + place->offset);
}

void stream_keep_async(struct stream *stream, const struct stretch *stretch)
{
    (void)stream;
    for (uint32_t number = stretch->first.chunk;;
         number = chunk_links_async(number)->newer - 1) {
        chunk_links_async(number)->users++;
        if (number == stretch->last.chunk)
            return;
    }
}

void stream_let_go_async(struct stream *stream, const struct stretch *stretch, uint32_t busy)
{
    for (uint32_t number = stretch->first.chunk, next;; number = next) {
        struct chunk_links *links = chunk_links_async(number);
        next = links->newer - 1;
        if (--links->users == 0 && links->sequence < busy)
            remove_async(stream, number);
        if (number == stretch->last.chunk)
            return;
    }
}

void stream_tidy_async(struct stream *stream, const struct stream_place *place)
{
    for (uint32_t number = place->chunk, next; number != stream->current; number = next) {
        const struct chunk_links *links = chunk_links_async(number);
        next = links->newer - 1;
        if (links->users == 0)
            remove_async(stream, number);
    }
}
