/* See part_sink.h. */
#include "save/part_sink.h"

#include "common/crc32.h"
#include "save/part_file.h"

static void flush_async(struct encoder *encoder)
{
    struct part_sink *sink = (struct part_sink *)(void *)encoder;
    if (sink->room > 0) {
        sink->crc = crc32_update(sink->crc, encoder->bytes, encoder->size);
        if (sink->size + encoder->size <= sink->room &&
            !part_file_write_async(sink->offset + sink->size, encoder->bytes, encoder->size))
            encoder->failed = true;
    }
    sink->size += encoder->size;
    encoder->size = 0;
    /* Writing may take a while. */
    encoder_pause_async(encoder);
}

static void pause_async(struct encoder *encoder)
{
    struct coroutine *pieces = ((struct part_sink *)(void *)encoder)->pieces;
    if (pieces)
        coroutine_pause_async(pieces);
}

void part_sink_open_async(struct part_sink *sink, void *buffer, uint64_t offset, uint64_t room)
{
    *sink = (struct part_sink){
        .encoder = {.bytes = buffer,
                    .capacity = PART_SINK_BYTES,
                    .flush_async = flush_async,
                    .pause_async = pause_async},
        .pieces = sink->pieces,
        .offset = offset,
        .room = room,
    };
}

bool part_sink_close_async(struct part_sink *sink)
{
    if (!sink->encoder.failed)
        flush_async(&sink->encoder);
    return !sink->encoder.failed && sink->size <= sink->room;
}
