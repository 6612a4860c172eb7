/*
 * Calls within locks of windows, and who held them up: another process that gave the lock back
 * meanwhile, or a target that came to MPI meanwhile.  Which of them gets a lock when is not
 * known, since libraries ask for it as late as the unlock: so whoever gives back a lock that
 * excludes another one's, while that one is in a call, held up that call.  See engine.h.
 */
#include "replay/engine.h"

#include "replay/list.h"
#include "replay/stays.h"

/* A lock that a process has, asks for, or has had. */
struct held {
    uint32_t window, target; /* target: REPLAY_NONE: all processes */
    uint32_t process;
    bool is_exclusive;
    bool is_free; /* it has been given back */
    uint64_t since_ns;
    uint32_t thread;
    struct tsprof_point release; /* when that began; its path is REPLAY_NONE before */
};

/* A transfer under a lock, with another process. */
struct use {
    uint32_t window, target;
};

/* Those of a process, each once. */
struct uses {
    struct use *list;
    size_t list_count, list_room;
};

struct locks {
    struct held
        *list; /* those that are free are kept while one that they may have held up is */
    size_t list_count, list_room;
    struct uses *uses; /* by process; of own ones */
    size_t process_count;
    uint32_t *first_threads; /* by process */
    uint32_t *next_threads;  /* by thread: another one of its process; REPLAY_NONE: none */
};

/* What a call that is under way has to do with a lock: it begins or ends one, or transfers. */
struct locked {
    uint32_t window, target;
    bool is_transfer;
};

const size_t locked_bytes = sizeof(struct locked);

struct locks *locks_create(const struct replay_world *world)
{
    struct locks *locks = calloc(1, sizeof *locks);
    if (!locks)
        return NULL;
    locks->first_threads = malloc((world->process_count + 1) * sizeof *locks->first_threads);
    locks->next_threads = malloc((world->thread_count + 1) * sizeof *locks->next_threads);
    locks->uses = calloc(world->process_count + 1, sizeof *locks->uses);
    locks->process_count = locks->uses ? world->process_count : 0;
    if (!locks->first_threads || !locks->next_threads || !locks->uses) {
        locks_free(locks);
        return NULL;
    }
    for (size_t i = 0; i < world->process_count; i++)
        locks->first_threads[i] = REPLAY_NONE;
    for (size_t i = world->thread_count; i-- > 0;) {
        uint32_t *first = &locks->first_threads[world->processes[i]];
        locks->next_threads[i] = *first;
        *first = (uint32_t)i;
    }
    return locks;
}

void locks_free(struct locks *locks)
{
    if (!locks)
        return;
    for (size_t i = 0; i < locks->process_count; i++)
        free(locks->uses[i].list);
    free(locks->list);
    free(locks->uses);
    free(locks->first_threads);
    free(locks->next_threads);
    free(locks);
}

static bool meets(uint32_t one, uint32_t other)
{
    return one == other || one == REPLAY_NONE || other == REPLAY_NONE;
}

/* The lock that PROCESS has on TARGET; NULL: none. */
static struct held *find_held(const struct locks *locks, uint32_t window, uint32_t target,
                              uint32_t process)
{
    for (size_t i = locks->list_count; i-- > 0;) {
        struct held *held = &locks->list[i];
        if (!held->is_free && held->process == process && held->window == window &&
            meets(held->target, target))
            return held;
    }
    return NULL;
}

bool locks_has(const struct replay *replay, uint32_t process, uint32_t window)
{
    return find_held(replay->locks, window, REPLAY_NONE, process) != NULL;
}

static bool excludes(const struct held *one, const struct held *other)
{
    return one->process != other->process && one->window == other->window &&
           meets(one->target, other->target) && (one->is_exclusive || other->is_exclusive);
}

/* Whether ONE, which is free, may have held up a call under a lock that is not. */
static bool may_matter(const struct locks *locks, const struct held *one)
{
    for (size_t i = 0; i < locks->list_count; i++)
        if (!locks->list[i].is_free && locks->list[i].since_ns < one->release.time_ns &&
            excludes(one, &locks->list[i]))
            return true;
    return false;
}

static void forget(struct locks *locks)
{
    size_t kept = 0;
    /* What is looked at is still there, further on or moved forward already. */
    for (size_t i = 0; i < locks->list_count; i++)
        if (!locks->list[i].is_free || may_matter(locks, &locks->list[i]))
            locks->list[kept++] = locks->list[i];
    locks->list_count = kept;
}

/* Where a process looks for who it waits for in calls about all of a window. */
static void note_use(struct replay *replay, const struct held *held, uint32_t target)
{
    struct uses *of = &replay->locks->uses[held->process];
    if (target == REPLAY_NONE || share_is_ahead(replay) || !share_has(replay, held->process))
        return;
    for (size_t i = of->list_count; i-- > 0;)
        if (of->list[i].window == held->window && of->list[i].target == target)
            return;
    if (!LIST_RESERVE(of->list)) {
        replay->failed = true;
        return;
    }
    of->list[of->list_count++] = (struct use){held->window, target};
}

/* HELD is given back. */
static void forget_uses(struct locks *locks, const struct held *held)
{
    struct uses *of = &locks->uses[held->process];
    size_t kept = 0;
    for (size_t i = 0; i < of->list_count; i++)
        if (of->list[i].window != held->window || !meets(held->target, of->list[i].target))
            of->list[kept++] = of->list[i];
    of->list_count = kept;
}

static void note(struct replay *replay, struct call *call, uint32_t window, uint32_t target,
                 bool is_transfer)
{
    if (!call->locked)
        call->locked = items_take(&replay->lockeds);
    if (call->locked)
        *call->locked = (struct locked){window, target, is_transfer};
    replay->failed |= !call->locked;
}

void locks_take(struct replay *replay, const struct replay_event *event)
{
    struct locks *locks = replay->locks;
    struct call *call = calls_current(replay, event->thread);
    const uint32_t process = replay->world->processes[event->thread];
    if (!call)
        return;
    if (share_is_ahead(replay))
        share_tell_all(replay, REPLAY_NONE,
                       &(struct foreign){.kind = FOREIGN_EVENT, .event = {.event = *event}},
                       NULL);
    struct held *held = find_held(locks, event->window, event->peer, process);
    if (event->kind == REPLAY_LOCK) {
        if (!LIST_RESERVE(locks->list)) {
            replay->failed = true;
            return;
        }
        locks->list[locks->list_count++] = (struct held){.window = event->window,
                                                         .target = event->peer,
                                                         .process = process,
                                                         .is_exclusive = event->is_exclusive,
                                                         .since_ns = call->view.enter.time_ns,
                                                         .thread = event->thread,
                                                         .release = {.path = REPLAY_NONE}};
    } else if (!held) {
        return;
    } else if (event->kind == REPLAY_UNLOCK) {
        held->release = call->view.enter;
    }
    const bool is_transfer =
        event->kind == REPLAY_PUT || event->kind == REPLAY_GET || event->kind == REPLAY_ATOMIC;
    if (is_transfer)
        note_use(replay, held, event->peer);
    note(replay, call, event->window, event->peer, is_transfer);
}

/* When HELD began to be given back: it has been, or its process is about it. */
static struct tsprof_point release_of(const struct replay *replay, const struct held *held)
{
    const struct call *call = calls_current(replay, held->thread);
    if (!held->is_free && call && replay->world->regions[call->view.region].role == ROLE_UNLOCK)
        return call->view.enter;
    return held->release;
}

/* Whether PATH, where THREAD is, is a call of MPI. */
static bool is_mpi(const struct replay *replay, uint32_t thread, uint32_t path)
{
    if (path == REPLAY_NONE)
        return false;
    if (!share_has(replay, replay->world->processes[thread]))
        return true;
    const uint32_t region = replay->paths.nodes[replay->paths.list[path].node].region;
    return region != REPLAY_NONE && replay->world->regions[region].is_mpi;
}

/* Whether the holder of HELD was in a call of MPI at NS, since it asked for the lock. */
static bool is_in_call(const struct replay *replay, const struct held *held, uint64_t ns)
{
    const struct stay *stay = stays_at(&replay->threads[held->thread], ns);
    if (!stay || stay->begin_ns < held->since_ns)
        return false;
    return is_mpi(replay, held->thread, stay->path);
}

/* Where two wait for each other's lock, the one that begins to give it back first had it; and
 * who asks for it after that held nobody up who is giving it back. */
static bool had_it_before(const struct replay *replay, const struct held *held,
                          const struct held *other, uint64_t other_ns)
{
    const struct tsprof_point own = release_of(replay, held);
    return own.path != REPLAY_NONE && own.time_ns < other_ns &&
           (own.time_ns < other->since_ns || is_in_call(replay, other, own.time_ns));
}

/* The last to give back a lock that excludes HELD's while CALL lasted. */
static struct tsprof_point find_holder(const struct replay *replay, const struct held *held,
                                       const struct tsprof_call *call)
{
    const struct locks *locks = replay->locks;
    struct tsprof_point last = {.path = TSPROF_NONE};
    for (size_t i = 0; i < locks->list_count; i++) {
        const struct held *other = &locks->list[i];
        const struct tsprof_point release = release_of(replay, other);
        if (excludes(other, held) && release.path != REPLAY_NONE &&
            release.time_ns > call->enter.time_ns && release.time_ns < call->leave_ns &&
            !had_it_before(replay, held, other, release.time_ns) &&
            (last.path == TSPROF_NONE || release.time_ns > last.time_ns))
            last = release;
    }
    return last;
}

/* When THREAD came to MPI while CALL lasted; *IS_THERE says whether it was there when CALL
 * began.
 */
static struct tsprof_point find_coming(const struct replay *replay, uint32_t thread,
                                       const struct tsprof_call *call, bool *is_there)
{
    const struct tsprof_point none = {.path = TSPROF_NONE};
    const struct thread_state *state = &replay->threads[thread];
    size_t i = state->stays_count;
    while (i > 0 && state->stays[i - 1].begin_ns > call->enter.time_ns)
        i--;
    *is_there = i > 0 && is_mpi(replay, thread, state->stays[i - 1].path);
    for (; i < state->stays_count && state->stays[i].begin_ns < call->leave_ns; i++)
        if (is_mpi(replay, thread, state->stays[i].path))
            return (struct tsprof_point){thread, state->stays[i].path,
                                         state->stays[i].begin_ns};
    return none;
}

/* When the first thread of TARGET came to MPI while CALL lasted, if none was there when CALL
 * began. */
static struct tsprof_point find_progress(const struct replay *replay, uint32_t target,
                                         const struct tsprof_call *call)
{
    const struct tsprof_point none = {.path = TSPROF_NONE};
    struct tsprof_point first = none;
    if (target == REPLAY_NONE || target == call->process)
        return none;
    for (uint32_t i = replay->locks->first_threads[target]; i != REPLAY_NONE;
         i = replay->locks->next_threads[i]) {
        bool is_there;
        const struct tsprof_point coming = find_coming(replay, i, call, &is_there);
        if (is_there)
            return none;
        if (coming.path != TSPROF_NONE &&
            (first.path == TSPROF_NONE || coming.time_ns < first.time_ns))
            first = coming;
    }
    return first;
}

/* The last target to come to MPI while CALL lasted, which is about TARGET under the lock HELD:
 * of calls about all of a window, those that the process has had transfers with since it has
 * their locks. */
static struct tsprof_point find_last_progress(const struct replay *replay,
                                              const struct held *held, uint32_t target,
                                              const struct tsprof_call *call)
{
    const struct uses *of = &replay->locks->uses[call->process];
    struct tsprof_point last = find_progress(replay, target, call);
    for (size_t i = 0; target == REPLAY_NONE && i < of->list_count; i++) {
        if (of->list[i].window != held->window)
            continue;
        const struct tsprof_point progress = find_progress(replay, of->list[i].target, call);
        if (progress.path != TSPROF_NONE &&
            (last.path == TSPROF_NONE || progress.time_ns > last.time_ns))
            last = progress;
    }
    return last;
}

void locks_left(struct replay *replay, struct call *call)
{
    struct locks *locks = replay->locks;
    if (!call->locked)
        return;
    const struct locked locked = *call->locked;
    items_give(&replay->lockeds, call->locked);
    call->locked = NULL;
    struct held *held = find_held(locks, locked.window, locked.target, call->view.process);
    if (!held)
        return;
    if (!call->is_foreign && !share_is_ahead(replay))
        patterns_locked(
            replay, &(struct tsprof_locked){.call = &call->view,
                                            .is_transfer = locked.is_transfer,
                                            .holder = find_holder(replay, held, &call->view),
                                            .progress = find_last_progress(
                                                replay, held, locked.target, &call->view)});
    if (held->release.path == REPLAY_NONE)
        return;
    held->is_free = true;
    forget_uses(locks, held);
    forget(locks);
}
