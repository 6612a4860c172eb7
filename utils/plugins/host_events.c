/* Events as they come, given to a pattern's functions.  See host.h; wire.c writes them. */
#include "plugins/host.h"

static struct tsprof_point take_point(struct decoder *in)
{
    struct tsprof_point point;
    point.thread = decode_u32(in);
    point.path = decode_u32(in);
    point.time_ns = decode_u64(in);
    return point;
}

static void take_message(struct decoder *in, struct tsprof_message *message)
{
    message->send = take_point(in);
    message->receive = take_point(in);
    message->bytes = decode_u64(in);
    message->order = decode_u64(in);
    message->oldest = decode_u64(in);
    message->from = decode_u32(in);
    message->to = decode_u32(in);
    message->tag = decode_u32(in);
    message->comm = decode_u32(in);
    message->is_buffered = decode_u32(in) != 0;
}

static struct tsprof_message *take_messages(struct host *host, struct decoder *in, size_t count)
{
    struct tsprof_message *list =
        count ? memory_pool_allocate(&host->pool, count, sizeof *list) : NULL;
    for (size_t i = 0; i < count; i++) {
        take_message(in, &list[i]);
        if (i > 0)
            list[i - 1].next_arrived = list[i - 1].next_sent = &list[i];
    }
    return list;
}

static void take_call(struct host *host, struct decoder *in, struct tsprof_call *call)
{
    call->enter = take_point(in);
    call->leave_ns = decode_u64(in);
    call->region = decode_u32(in);
    call->process = decode_u32(in);
    call->blocks = decode_u32(in) != 0;
    const uint32_t arrived = decode_u32(in), sent = decode_u32(in);
    call->arrived = take_messages(host, in, arrived);
    call->sent = take_messages(host, in, sent);
}

static void take_calls(struct host *host, struct decoder *in)
{
    const size_t count = decode_u32(in);
    struct tsprof_call *calls = memory_pool_allocate(&host->pool, count + 1, sizeof *calls);
    host->calls_before += host->call_count;
    for (size_t i = 0; i < count; i++)
        take_call(host, in, &calls[i]);
    host->calls = calls;
    host->call_count = count;
}

static void tell_call(struct host *host, struct decoder *in)
{
    (void)in;
    host->pattern->on_call(host->state, host->calls);
}

/* COUNT transfers; CALLS are theirs. */
static const struct tsprof_transfer *take_transfers(struct host *host, struct decoder *in,
                                                    const struct tsprof_call *calls,
                                                    size_t count)
{
    struct tsprof_transfer *list = memory_pool_allocate(&host->pool, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i].call = &calls[i];
        list[i].target = decode_u32(in);
    }
    return list;
}

static const uint32_t *take_sources(struct host *host, struct decoder *in, size_t count)
{
    uint32_t *list = memory_pool_allocate(&host->pool, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = decode_u32(in);
    return list;
}

/* The calls of transfers lie behind those of members. */
static const struct tsprof_member *take_members(struct host *host, struct decoder *in,
                                                size_t count)
{
    struct tsprof_member *members =
        memory_pool_allocate(&host->pool, count + 1, sizeof *members);
    const struct tsprof_call *of_transfers = host->calls + count;
    for (size_t i = 0; i < count; i++) {
        members[i].call = &host->calls[i];
        members[i].start = take_point(in);
        members[i].rank = decode_u32(in);
        members[i].is_remote = decode_u32(in) != 0;
        members[i].transfer_count = decode_u32(in);
        members[i].transfers =
            take_transfers(host, in, of_transfers, members[i].transfer_count);
        of_transfers += members[i].transfer_count;
        members[i].source_count = decode_u32(in);
        members[i].sources = take_sources(host, in, members[i].source_count);
    }
    return members;
}

static void tell_collective(struct host *host, struct decoder *in)
{
    struct tsprof_collective collective;
    collective.operation = (enum tsprof_operation)decode_u32(in);
    collective.comm = decode_u32(in);
    collective.root = decode_u32(in);
    collective.member_count = decode_u32(in);
    collective.members = take_members(host, in, collective.member_count);
    host->pattern->on_collective(host->state, &collective);
}

static const struct tsprof_partner *take_partners(struct host *host, struct decoder *in,
                                                  size_t count)
{
    struct tsprof_partner *list = memory_pool_allocate(&host->pool, count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list[i].ready = take_point(in);
        list[i].last_ns = decode_u64(in);
        list[i].process = decode_u32(in);
        list[i].is_used = decode_u32(in) != 0;
    }
    return list;
}

static void tell_epoch(struct host *host, struct decoder *in)
{
    struct tsprof_epoch epoch = {.call_count = host->call_count};
    const struct tsprof_call **calls =
        memory_pool_allocate(&host->pool, host->call_count + 1, sizeof(struct tsprof_call *));
    uint32_t *targets =
        memory_pool_allocate(&host->pool, host->call_count + 1, sizeof *targets);
    epoch.window = decode_u32(in);
    epoch.process = decode_u32(in);
    epoch.is_exposure = decode_u32(in) != 0;
    for (size_t i = 0; i < host->call_count; i++) {
        calls[i] = &host->calls[i];
        targets[i] = decode_u32(in);
    }
    epoch.partner_count = decode_u32(in);
    epoch.partners = take_partners(host, in, epoch.partner_count);
    epoch.calls = calls;
    epoch.targets = targets;
    host->pattern->on_epoch(host->state, &epoch);
}

static void tell_locked(struct host *host, struct decoder *in)
{
    struct tsprof_locked locked = {.call = host->calls};
    locked.holder = take_point(in);
    locked.progress = take_point(in);
    locked.is_transfer = decode_u32(in) != 0;
    host->pattern->on_locked(host->state, &locked);
}

static struct tsprof_visit take_visit(struct decoder *in)
{
    struct tsprof_visit visit;
    visit.enter = take_point(in);
    visit.leave_ns = decode_u64(in);
    visit.region = decode_u32(in);
    visit.process = decode_u32(in);
    return visit;
}

static void tell_enter(struct host *host, struct decoder *in)
{
    const struct tsprof_visit visit = take_visit(in);
    host->pattern->on_enter(host->state, &visit);
}

static void tell_leave(struct host *host, struct decoder *in)
{
    const struct tsprof_visit visit = take_visit(in);
    host->pattern->on_leave(host->state, &visit);
}

static void tell_severity(struct host *host, struct decoder *in)
{
    struct tsprof_finding finding = {.call = host->call_count ? host->calls : NULL};
    size_t length;
    finding.cause = take_point(in);
    finding.amount = decode_u64(in);
    finding.path = decode_u32(in);
    const char *metric = decode_string(in, &length);
    finding.metric = memory_pool_copy(&host->pool, metric, length);
    host->pattern->on_severity(host->state, &finding);
}

void host_tell(struct host *host, struct decoder *in)
{
    static void (*const tellers[WIRE_EVENT_KINDS])(struct host *, struct decoder *) = {
        [WIRE_CALL] = tell_call,        [WIRE_COLLECTIVE] = tell_collective,
        [WIRE_EPOCH] = tell_epoch,      [WIRE_LOCKED] = tell_locked,
        [WIRE_ENTER] = tell_enter,      [WIRE_LEAVE] = tell_leave,
        [WIRE_SEVERITY] = tell_severity};
    while (in->at < in->size && !in->failed) {
        const uint32_t kind = decode_u32(in);
        take_calls(host, in);
        if (kind >= WIRE_EVENT_KINDS || in->failed)
            host_fail("an event came that nobody knows");
        tellers[kind](host, in);
    }
    memory_pool_free(&host->pool);
}
