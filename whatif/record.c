/* Listens to what replay/ matches, and keeps it.  See graph.h. */
#include "whatif/graph.h"

#include "replay/list.h"

#include <stdlib.h>

static void note_end(struct whatif_recorder *recorder, struct recorded_end **list,
                     size_t *count, size_t *room, const struct tsprof_message *message,
                     const struct tsprof_call *call)
{
    if (!list_reserve(list, *count, room, sizeof **list)) {
        recorder->failed = true;
        return;
    }
    (*list)[(*count)++] =
        (struct recorded_end){.send = {message->send.time_ns, message->send.thread},
                              .receive = {message->receive.time_ns, message->receive.thread},
                              .done = {call->enter.time_ns, call->enter.thread},
                              .bytes = message->bytes,
                              .tag = message->tag,
                              .comm = message->comm,
                              .is_buffered = message->is_buffered};
}

static void on_call(void *state, const struct tsprof_call *call)
{
    struct whatif_recorder *recorder = state;
    if (!LIST_RESERVE(recorder->calls)) {
        recorder->failed = true;
        return;
    }
    recorder->calls[recorder->calls_count++] = (struct recorded_call){
        call->enter.time_ns, call->leave_ns, call->enter.thread, call->enter.path};
    for (const struct tsprof_message *at = call->arrived; at; at = at->next_arrived)
        note_end(recorder, &recorder->arrivals, &recorder->arrivals_count,
                 &recorder->arrivals_room, at, call);
    for (const struct tsprof_message *at = call->sent; at; at = at->next_sent)
        note_end(recorder, &recorder->sends, &recorder->sends_count, &recorder->sends_room, at,
                 call);
}

static void on_collective(void *state, const struct tsprof_collective *collective)
{
    struct whatif_recorder *recorder = state;
    if (!LIST_RESERVE(recorder->operations)) {
        recorder->failed = true;
        return;
    }
    recorder->operations[recorder->operations_count++] =
        (struct operation){.kind = collective->operation,
                           .root = collective->root,
                           .first_member = (uint32_t)recorder->members_count,
                           .member_count = (uint32_t)collective->member_count};
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        if (!LIST_RESERVE(recorder->members)) {
            recorder->failed = true;
            return;
        }
        recorder->members[recorder->members_count++] =
            (struct recorded_member){{member->start.time_ns, member->start.thread},
                                     {member->call->enter.time_ns, member->call->enter.thread}};
    }
}

static void note_link(struct whatif_recorder *recorder, struct tsprof_point from,
                      const struct tsprof_call *to)
{
    if (!LIST_RESERVE(recorder->links)) {
        recorder->failed = true;
        return;
    }
    recorder->links[recorder->links_count++] = (struct recorded_link){
        {from.time_ns, from.thread}, {to->enter.time_ns, to->enter.thread}};
}

/* The call that a partner's readiness lets go on: the first that is left after it. */
static const struct tsprof_call *let_go(const struct tsprof_epoch *epoch,
                                        const struct tsprof_partner *partner)
{
    for (size_t i = 0; i < epoch->call_count; i++) {
        const bool is_meant = epoch->is_exposure || epoch->targets[i] == TSPROF_NONE ||
                              epoch->targets[i] == partner->process;
        if (is_meant && epoch->calls[i]->leave_ns >= partner->ready.time_ns)
            return epoch->calls[i];
    }
    return NULL;
}

static void on_epoch(void *state, const struct tsprof_epoch *epoch)
{
    for (size_t i = 0; i < epoch->partner_count; i++) {
        const struct tsprof_partner *partner = &epoch->partners[i];
        const struct tsprof_call *call =
            partner->ready.path != TSPROF_NONE ? let_go(epoch, partner) : NULL;
        if (call)
            note_link(state, partner->ready, call);
    }
}

static void on_locked(void *state, const struct tsprof_locked *locked)
{
    if (locked->holder.path != TSPROF_NONE)
        note_link(state, locked->holder, locked->call);
    if (locked->progress.path != TSPROF_NONE)
        note_link(state, locked->progress, locked->call);
}

struct whatif_recorder *whatif_listen(struct replay *replay, const struct replay_world *world)
{
    struct whatif_recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return NULL;
    recorder->world = world;
    recorder->pattern = (struct tsprof_pattern){.version = TSPROF_PATTERN_VERSION,
                                                .name = "what-if",
                                                .on_call = on_call,
                                                .on_collective = on_collective,
                                                .on_epoch = on_epoch,
                                                .on_locked = on_locked};
    if (replay_listen(replay, &recorder->pattern, recorder))
        return recorder;
    whatif_forget(recorder);
    return NULL;
}

void whatif_forget(struct whatif_recorder *recorder)
{
    if (!recorder)
        return;
    free(recorder->calls);
    free(recorder->arrivals);
    free(recorder->sends);
    free(recorder->operations);
    free(recorder->members);
    free(recorder->links);
    free(recorder);
}
