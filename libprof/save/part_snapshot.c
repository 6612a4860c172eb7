/* See part_snapshot.h. */
#include "save/part_snapshot.h"

#include "common/crc32.h"
#include "counters/counters.h"
#include "encode/encode.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
#include "save/part_file.h"
#include "save/part_thread.h"

enum { SNAPSHOT_LEAST = 4096 /* bytes of room */ };

/* Adds the computation that is pending on LEVEL. */
static void add_pending_async(const struct thread *thread, const struct level *level,
                              struct snapshot_profile *sum)
{
    sum->pending[sum->pending_count++] = (struct pending){
        .node = level->last_sample,
        .computation_ns = level->pending_ns,
        .counters = thread->counts ? thread->counts->pending[level - thread->levels] : NULL,
    };
}

/* What the open levels hold, outside of iterations and in them. */
struct open_levels {
    struct snapshot_profile outside; /* of levels outside of every iteration */
    struct snapshot_profile inside;  /* of open iterations */
    const struct level *first;       /* the outermost open iteration; NULL: none */
    unsigned iterations;
};

static void list_open_async(const struct thread *thread, struct open_levels *open)
{
    open->outside.pending_count = open->inside.pending_count = open->inside.profile_count = 0;
    open->outside.profile_count = open->iterations = 0;
    open->first = NULL;
    for (const struct level *level = thread->levels; level <= thread->level; level++) {
        if (level->is_pass) {
            if (level->kept)
                open->outside.profiles[open->outside.profile_count++] = level->profile;
        } else if (level->kept) {
            open->first = open->first ? open->first : level;
            open->inside.profiles[open->inside.profile_count++] = level->profile;
            open->iterations++;
        }
        add_pending_async(thread, level, open->first ? &open->inside : &open->outside);
    }
}

static void encode_open_async(const struct thread *thread, const struct open_levels *open,
                              struct encoder *out)
{
    encode_varint(out, open->iterations);
    for (const struct level *level = thread->levels; level <= thread->level; level++) {
        if (!level->kept || level->is_pass)
            continue;
        encode_varint(out, thread->iterations->series[level->series].shown_as);
        encode_varint(out, iteration_count_async(thread, level->series));
        encode_varint(out, (uint64_t)level->begin_ns);
    }
    if (!open->first)
        return;
    encode_varint(out, (uint64_t)(thread->last_ns - open->first->begin_ns));
    snapshot_profile_encode_async(&thread->tree, &open->inside, out);
}

static void encode_snapshot_async(const struct thread *thread, struct encoder *out)
{
    struct open_levels open;
    struct proposal proposed;
    list_open_async(thread, &open);
    found_propose_async(thread, &proposed);
    encode_varint(out, thread->stopped);
    encode_varint(out, (uint64_t)thread->last_ns);
    encode_varint(out, thread->part->log.nodes);
    encode_varint(out, thread->part->log.phases);
    encode_open_async(thread, &open, out);
    location_encode_own_async(thread, open.first ? open.first->begin_ns : thread->last_ns,
                              &open.outside, &proposed, out);
}

/* Writes a snapshot into SLOT; false if it did not fit. */
static bool write_snapshot_async(struct thread *thread, const struct slot *slot)
{
    struct part_thread *part = thread->part;
    part_sink_open_async(&part->sink, part->buffer, slot->offset, slot->room);
    encode_snapshot_async(thread, &part->sink.encoder);
    return part_sink_close_async(&part->sink);
}

/* Writes the header of a slot, which makes its snapshot valid. */
static bool write_slot_async(const struct thread *thread, unsigned number, uint32_t sequence)
{
    const struct part_thread *part = thread->part;
    unsigned char header[PART_SLOT_BYTES + 8];
    struct encoder out = {.bytes = header, .capacity = sizeof header};
    encode_u64(&out, part->slots[number].offset);
    encode_u64(&out, part->sink.size);
    encode_u32(&out, sequence);
    encode_u32(&out, part->sink.crc);
    encode_u32(&out, 0);
    encode_u32(&out, crc32_update(0, header, out.size));
    return part_file_write_async(part_thread_record_async(thread) + PART_SLOTS +
                                     number * PART_SLOT_BYTES,
                                 header, PART_SLOT_BYTES);
}

bool part_snapshot_save_async(struct thread *thread)
{
    struct part_thread *part = thread->part;
    const uint32_t sequence = part->sequence + 1;
    const unsigned number = sequence % 2;
    struct slot *slot = &part->slots[number];
    preemption_give_async(thread, thread->last_ns);
    while (!write_snapshot_async(thread, slot)) {
        if (part->sink.encoder.failed)
            return false;
        /* With half as much again, so that a growing snapshot is seldom moved. */
        uint64_t room = part->sink.size + part->sink.size / 2;
        room = room < SNAPSHOT_LEAST ? SNAPSHOT_LEAST : room;
        *slot = (struct slot){part_file_extend_async(room), room};
    }
    if (!write_slot_async(thread, number, sequence))
        return false;
    part->sequence = sequence;
    return true;
}
