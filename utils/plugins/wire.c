/* Events as bytes.  See wire.h; host_events.c and tsprof_pattern.py read them. */
#include "plugins/wire.h"

#include "base/base.h"

#include <stdlib.h>

void batch_free(struct batch *batch)
{
    encoder_free(&batch->bytes);
    free(batch->calls);
}

void batch_clear(struct batch *batch)
{
    batch->bytes.size = 0;
    batch->call_count = 0;
}

static void add_point(struct encoder *out, const struct tsprof_point *point)
{
    encode_u32(out, point->thread);
    encode_u32(out, point->path);
    encode_u64(out, point->time_ns);
}

static void add_message(struct encoder *out, const struct tsprof_message *message)
{
    add_point(out, &message->send);
    add_point(out, &message->receive);
    encode_u64(out, message->bytes);
    encode_u64(out, message->order);
    encode_u64(out, message->oldest);
    encode_u32(out, message->from);
    encode_u32(out, message->to);
    encode_u32(out, message->tag);
    encode_u32(out, message->comm);
    encode_u32(out, message->is_buffered);
}

static void add_messages(struct encoder *out, const struct tsprof_call *call)
{
    for (const struct tsprof_message *at = call->arrived; at; at = at->next_arrived)
        add_message(out, at);
    for (const struct tsprof_message *at = call->sent; at; at = at->next_sent)
        add_message(out, at);
}

static void note_call(struct batch *batch, const struct tsprof_call *call)
{
    if (batch->call_count == batch->call_room) {
        batch->call_room = batch->call_room ? 2 * batch->call_room : 256;
        batch->calls = reallocate(batch->calls, batch->call_room, sizeof *batch->calls);
    }
    const uint64_t enter_ns = call->enter.time_ns;
    batch->calls[batch->call_count++] = (struct told_call){
        call->enter.path, call->leave_ns > enter_ns ? call->leave_ns - enter_ns : 0};
}

/* Messages of a call are only complete where it is told of by itself. */
static void add_call(struct batch *batch, const struct tsprof_call *call, bool with_messages)
{
    struct encoder *out = &batch->bytes;
    uint32_t arrived = 0, sent = 0;
    for (const struct tsprof_message *at = call->arrived; at; at = at->next_arrived)
        arrived++;
    for (const struct tsprof_message *at = call->sent; at; at = at->next_sent)
        sent++;
    note_call(batch, call);
    add_point(out, &call->enter);
    encode_u64(out, call->leave_ns);
    encode_u32(out, call->region);
    encode_u32(out, call->process);
    encode_u32(out, call->blocks);
    encode_u32(out, with_messages ? arrived : 0);
    encode_u32(out, with_messages ? sent : 0);
    if (with_messages)
        add_messages(out, call);
}

/* An event of KIND; its calls, CALLS of them, and what else it has follow. */
static void begin(struct batch *batch, enum wire_event kind, size_t calls)
{
    encode_u32(&batch->bytes, kind);
    encode_u32(&batch->bytes, (uint32_t)calls);
}

static void end(const struct batch *batch)
{
    if (batch->bytes.failed)
        out_of_memory();
}

void batch_call(struct batch *batch, const struct tsprof_call *call)
{
    begin(batch, WIRE_CALL, 1);
    add_call(batch, call, true);
    end(batch);
}

static size_t count_transfers(const struct tsprof_collective *collective)
{
    size_t count = 0;
    for (size_t i = 0; i < collective->member_count; i++)
        count += collective->members[i].transfer_count;
    return count;
}

/* Of all members, and after them of all their transfers. */
static void add_calls_of(struct batch *batch, const struct tsprof_collective *collective)
{
    for (size_t i = 0; i < collective->member_count; i++)
        add_call(batch, collective->members[i].call, false);
    for (size_t i = 0; i < collective->member_count; i++)
        for (size_t j = 0; j < collective->members[i].transfer_count; j++)
            add_call(batch, collective->members[i].transfers[j].call, false);
}

static void add_member(struct encoder *out, const struct tsprof_member *member)
{
    add_point(out, &member->start);
    encode_u32(out, member->rank);
    encode_u32(out, member->is_remote);
    encode_u32(out, (uint32_t)member->transfer_count);
    for (size_t i = 0; i < member->transfer_count; i++)
        encode_u32(out, member->transfers[i].target);
    encode_u32(out, (uint32_t)member->source_count);
    for (size_t i = 0; i < member->source_count; i++)
        encode_u32(out, member->sources[i]);
}

void batch_collective(struct batch *batch, const struct tsprof_collective *collective)
{
    struct encoder *out = &batch->bytes;
    begin(batch, WIRE_COLLECTIVE, collective->member_count + count_transfers(collective));
    add_calls_of(batch, collective);
    encode_u32(out, collective->operation);
    encode_u32(out, collective->comm);
    encode_u32(out, collective->root);
    encode_u32(out, (uint32_t)collective->member_count);
    for (size_t i = 0; i < collective->member_count; i++)
        add_member(out, &collective->members[i]);
    end(batch);
}

void batch_epoch(struct batch *batch, const struct tsprof_epoch *epoch)
{
    struct encoder *out = &batch->bytes;
    begin(batch, WIRE_EPOCH, epoch->call_count);
    for (size_t i = 0; i < epoch->call_count; i++)
        add_call(batch, epoch->calls[i], false);
    encode_u32(out, epoch->window);
    encode_u32(out, epoch->process);
    encode_u32(out, epoch->is_exposure);
    for (size_t i = 0; i < epoch->call_count; i++)
        encode_u32(out, epoch->targets ? epoch->targets[i] : TSPROF_NONE);
    encode_u32(out, (uint32_t)epoch->partner_count);
    for (size_t i = 0; i < epoch->partner_count; i++) {
        const struct tsprof_partner *partner = &epoch->partners[i];
        add_point(out, &partner->ready);
        encode_u64(out, partner->last_ns);
        encode_u32(out, partner->process);
        encode_u32(out, partner->is_used);
    }
    end(batch);
}

void batch_locked(struct batch *batch, const struct tsprof_locked *locked)
{
    begin(batch, WIRE_LOCKED, 1);
    add_call(batch, locked->call, false);
    add_point(&batch->bytes, &locked->holder);
    add_point(&batch->bytes, &locked->progress);
    encode_u32(&batch->bytes, locked->is_transfer);
    end(batch);
}

void batch_visit(struct batch *batch, enum wire_event kind, const struct tsprof_visit *visit)
{
    begin(batch, kind, 0);
    add_point(&batch->bytes, &visit->enter);
    encode_u64(&batch->bytes, visit->leave_ns);
    encode_u32(&batch->bytes, visit->region);
    encode_u32(&batch->bytes, visit->process);
    end(batch);
}

void batch_finding(struct batch *batch, const struct tsprof_finding *finding)
{
    begin(batch, WIRE_SEVERITY, finding->call ? 1 : 0);
    if (finding->call)
        add_call(batch, finding->call, true);
    add_point(&batch->bytes, &finding->cause);
    encode_u64(&batch->bytes, finding->amount);
    encode_u32(&batch->bytes, finding->path);
    encode_string(&batch->bytes, finding->metric);
    end(batch);
}
