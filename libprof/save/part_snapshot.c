/* See part_snapshot.h. */
#include "save/part_snapshot.h"

#include "common/crc32.h"
#include "encode/encode.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
#include "save/part_file.h"
#include "save/part_image.h"

enum { SNAPSHOT_LEAST = 4096 /* bytes of room */ };

static void encode_open_async(const struct part_image *image, struct encoder *out)
{
    const struct thread *thread = &image->thread;
    encode_varint(out, image->iterations_open);
    for (const struct level *level = thread->levels; level <= thread->level; level++) {
        if (!level->kept || level->is_pass)
            continue;
        encode_varint(out, thread->iterations->series[level->series].shown_as);
        encode_varint(out, iteration_count_async(thread, level->series));
        encode_varint(out, (uint64_t)level->begin_ns);
    }
    if (image->iterations_open == 0)
        return;
    encode_varint(out, (uint64_t)(thread->last_ns - image->open_ns));
    snapshot_profile_encode_async(&thread->tree, &image->inside, out);
}

static void encode_snapshot_async(const struct part_image *image, struct encoder *out)
{
    const struct thread *thread = &image->thread;
    encode_varint(out, thread->stopped);
    encode_varint(out, (uint64_t)thread->last_ns);
    encode_varint(out, thread->part->log.nodes);
    encode_varint(out, thread->part->log.phases);
    encode_open_async(image, out);
    location_encode_own_async(thread, image->open_ns, &image->outside, image->closed,
                              &image->proposed, image->room, out);
}

/* Writes a snapshot into SLOT; false if it did not fit. */
static bool write_snapshot_async(struct part_thread *part, const struct slot *slot)
{
    part_sink_open_async(&part->sink, part->buffer, slot->offset, slot->room);
    encode_snapshot_async(part->image, &part->sink.encoder);
    return part_sink_close_async(&part->sink);
}

/* Writes the header of a slot, which makes its snapshot valid. */
static bool write_slot_async(const struct part_thread *part, unsigned number, uint32_t sequence)
{
    unsigned char header[PART_SLOT_BYTES + 8];
    struct encoder out = {.bytes = header, .capacity = sizeof header};
    encode_u64(&out, part->slots[number].offset);
    encode_u64(&out, part->sink.size);
    encode_u32(&out, sequence);
    encode_u32(&out, part->sink.crc);
    encode_u32(&out, 0);
    encode_u32(&out, crc32_update(0, header, out.size));
    return part_file_write_async(part_thread_record_async(&part->image->thread) + PART_SLOTS +
                                     number * PART_SLOT_BYTES,
                                 header, PART_SLOT_BYTES);
}

/* Moves SLOT to where a snapshot of SIZE bytes has room. */
static void move_slot_async(struct slot *slot, uint64_t size)
{
    /* With as much again, so that a growing snapshot is seldom moved. */
    const uint64_t room = size < SNAPSHOT_LEAST / 2 ? SNAPSHOT_LEAST : 2 * size;
    *slot = (struct slot){part_file_extend_async(room), room};
}

bool part_snapshot_save_async(struct part_thread *part)
{
    const uint32_t sequence = part->sequence + 1;
    const unsigned number = sequence % 2;
    struct slot *slot = &part->slots[number];
    /* As large as the last one, and a bit: what does not fit is written twice. */
    const uint64_t expected = part->snapshot_bytes + part->snapshot_bytes / 4;
    if (slot->room < expected)
        move_slot_async(slot, expected);
    while (!write_snapshot_async(part, slot)) {
        if (part->sink.encoder.failed)
            return false;
        move_slot_async(slot, part->sink.size);
    }
    part->snapshot_bytes = part->sink.size;
    if (!write_slot_async(part, number, sequence))
        return false;
    part->sequence = sequence;
    return true;
}
