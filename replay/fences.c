/*
 * What processes transfer between two fences of a window.  Of the transfers to one target only
 * the last is kept.  See engine.h.
 */
#include "replay/engine.h"

#include "replay/list.h"

/* Of a process, since its last fence of WINDOW. */
struct use {
    uint32_t window;
    struct transfers transfers;
};

struct uses {
    struct use *list;
    size_t list_count, list_room;
};

struct fences {
    struct uses *uses; /* by process */
    size_t processes;
};

struct fences *fences_create(const struct replay_world *world)
{
    struct fences *fences = calloc(1, sizeof *fences);
    if (!fences)
        return NULL;
    fences->processes = world->process_count;
    fences->uses = calloc(world->process_count + 1, sizeof *fences->uses);
    if (fences->uses)
        return fences;
    free(fences);
    return NULL;
}

void fences_free(struct fences *fences)
{
    if (!fences)
        return;
    for (size_t i = 0; i < fences->processes; i++) {
        for (size_t j = 0; j < fences->uses[i].list_count; j++)
            free(fences->uses[i].list[j].transfers.list);
        free(fences->uses[i].list);
    }
    free(fences->uses);
    free(fences);
}

static struct use *find_use(struct uses *uses, uint32_t window)
{
    for (size_t i = 0; i < uses->list_count; i++)
        if (uses->list[i].window == window)
            return &uses->list[i];
    return NULL;
}

static struct use *make_use(struct replay *replay, struct uses *uses, uint32_t window)
{
    struct use *use = find_use(uses, window);
    if (use)
        return use;
    if (!LIST_RESERVE(uses->list)) {
        replay->failed = true;
        return NULL;
    }
    use = &uses->list[uses->list_count++];
    *use = (struct use){.window = window};
    return use;
}

static struct call *call_of(const struct tsprof_transfer *transfer)
{
    return (struct call *)(void *)(uintptr_t)transfer->call;
}

static void add_transfer(struct replay *replay, struct transfers *transfers, uint32_t target,
                         struct call *call)
{
    size_t i = 0;
    while (i < transfers->list_count && transfers->list[i].target != target)
        i++;
    if (i == transfers->list_count) {
        if (!LIST_RESERVE(transfers->list)) {
            replay->failed = true;
            return;
        }
        transfers->list[transfers->list_count++] = (struct tsprof_transfer){.target = target};
    }
    struct call *before = call_of(&transfers->list[i]);
    if (before == call)
        return;
    call_hold(call);
    transfers->list[i].call = &call->view;
    if (before)
        call_release(replay, before);
}

void fences_take(struct replay *replay, const struct replay_event *event)
{
    const uint32_t process = replay->world->processes[event->thread];
    struct call *call = calls_current(replay, event->thread);
    if (!call || event->window == REPLAY_NONE || event->peer == REPLAY_NONE ||
        epochs_is_open(replay, process, event->window) ||
        locks_has(replay, process, event->window))
        return;
    struct use *use = make_use(replay, &replay->fences->uses[process], event->window);
    if (use)
        add_transfer(replay, &use->transfers, event->peer, call);
}

struct transfers fences_meet(struct replay *replay, uint32_t process, uint32_t window)
{
    struct use *use = find_use(&replay->fences->uses[process], window);
    const struct transfers transfers = use ? use->transfers : (struct transfers){0};
    if (use)
        use->transfers = (struct transfers){0};
    return transfers;
}

void transfers_give(struct replay *replay, struct transfers *transfers)
{
    for (size_t i = 0; i < transfers->list_count; i++)
        call_release(replay, call_of(&transfers->list[i]));
    free(transfers->list);
    *transfers = (struct transfers){0};
}

static void give_all(struct replay *replay, uint32_t process)
{
    struct uses *uses = &replay->fences->uses[process];
    for (size_t i = 0; i < uses->list_count; i++)
        transfers_give(replay, &uses->list[i].transfers);
}

void fences_off(struct replay *replay, const struct replay_event *event)
{
    give_all(replay, replay->world->processes[event->thread]);
}

void fences_end(struct replay *replay)
{
    for (uint32_t i = 0; i < replay->fences->processes; i++)
        give_all(replay, i);
}
