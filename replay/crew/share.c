/* See share.h. */
#include "replay/crew/share.h"

#include "replay/engine.h"
#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

bool share_has(const struct replay *replay, uint32_t process)
{
    return !replay->share || replay->share->owners[process] == replay->share->team->self;
}

bool share_is_ahead(const struct replay *replay)
{
    return replay->share && replay->share->tell;
}

void share_tell(struct replay *replay, uint32_t process, const struct foreign *what)
{
    const struct replay_share *share = replay->share;
    if (!share_has(replay, process))
        replay->failed |= !share->tell(share->context, share->owners[process], what, NULL);
}

static void mark(const struct replay_share *share, const uint32_t *processes, size_t count,
                 bool *is_told)
{
    for (size_t i = 0; i < count; i++)
        if (processes[i] != REPLAY_NONE)
            is_told[share->owners[processes[i]]] = true;
}

/* Which of the team have processes of COMM; NULL if out of memory. */
static const bool *told_of(struct replay *replay, uint32_t comm)
{
    const struct replay_world *world = replay->world;
    const uint32_t size = replay->share->team->size;
    const size_t place = comm == REPLAY_NONE ? world->comm_count : comm;
    if (!replay->told)
        replay->told = calloc(world->comm_count + 1, sizeof(bool *));
    if (!replay->told || replay->told[place])
        return replay->told ? replay->told[place] : NULL;
    bool *is_told = replay->told[place] = calloc(size, sizeof *is_told);
    if (is_told && comm == REPLAY_NONE) {
        memset(is_told, true, size * sizeof *is_told);
    } else if (is_told) {
        mark(replay->share, world->comms[comm].members, world->comms[comm].member_count,
             is_told);
        mark(replay->share, world->comms[comm].others, world->comms[comm].other_count, is_told);
    }
    return is_told;
}

void share_tell_all(struct replay *replay, uint32_t comm, const struct foreign *what,
                    const struct foreign_transfer *transfers)
{
    const struct replay_share *share = replay->share;
    const bool *is_told = told_of(replay, comm);
    replay->failed |= !is_told;
    for (uint32_t i = 0; is_told && i < share->team->size; i++)
        if (is_told[i] && i != share->team->self)
            replay->failed |= !share->tell(share->context, i, what, transfers);
}

void share_free(struct replay *replay)
{
    for (size_t i = 0; replay->told && i <= replay->world->comm_count; i++)
        free(replay->told[i]);
    free(replay->told);
    free(replay->open_notes);
}

bool share_note_open(struct replay *replay, const struct tsprof_call *call,
                     struct tsprof_point other)
{
    if (!LIST_RESERVE(replay->open_notes))
        return false;
    replay->open_notes[replay->open_notes_count++] =
        (struct open_note){other, call->leave_ns, call->enter.thread};
    return true;
}

void share_take(struct replay *replay, const struct foreign *what,
                const struct foreign_transfer *transfers)
{
    switch (what->kind) {
    case FOREIGN_SEND:
        matching_take_send(replay, &what->send);
        break;
    case FOREIGN_ARRIVAL:
        matching_take_arrival(replay, &what->arrival);
        break;
    case FOREIGN_MEMBER:
        collectives_take_member(replay, &what->member, transfers, what->transfer_count);
        break;
    case FOREIGN_SIGNAL:
        epochs_take_signal(replay, &what->signal);
        break;
    case FOREIGN_EVENT:
        calls_take_foreign(replay, &what->event);
        break;
    case FOREIGN_SOURCE:
        replay_source(replay, what->source.comm, what->source.process, what->source.source);
        break;
    }
}
