/* Where threads are, and their calls of MPI.  See engine.h. */
#include "replay/engine.h"

#include "replay/list.h"
#include "replay/stays.h"

static struct frame *top(struct thread_state *thread)
{
    return thread->frames_count ? &thread->frames[thread->frames_count - 1] : NULL;
}

/* The path on which THREAD is outside of all functions. */
static uint32_t root_of(struct replay *replay, uint32_t number, uint32_t instance)
{
    struct thread_state *thread = &replay->threads[number];
    if (thread->root == REPLAY_NONE || thread->root_instance != instance) {
        thread->root = paths_find(&replay->paths, REPLAY_NONE, number, instance, REPLAY_NONE);
        thread->root_instance = instance;
    }
    return thread->root;
}

/* Notes that THREAD is on PATH from NS on. */
static void stay(struct replay *replay, struct thread_state *thread, uint32_t path, uint64_t ns)
{
    if (share_is_ahead(replay))
        return;
    struct stay *last = thread->stays_count ? &thread->stays[thread->stays_count - 1] : NULL;
    if (last && last->begin_ns == ns) {
        last->path = path;
        return;
    }
    if (!LIST_RESERVE(thread->stays)) {
        replay->failed = true;
        return;
    }
    thread->stays[thread->stays_count++] = (struct stay){ns, path};
}

/* Who holds up whom by locks all must know, and who is in MPI when. */
static void tell_foreign(struct replay *replay, const struct replay_event *event, uint32_t path)
{
    if (share_is_ahead(replay) && replay->world->has_windows)
        share_tell_all(
            replay, REPLAY_NONE,
            &(struct foreign){.kind = FOREIGN_EVENT, .event = {.event = *event, .path = path}},
            NULL);
}

/* Accounts for the time of THREAD up to EVENT. */
static void advance(struct replay *replay, struct thread_state *thread,
                    const struct replay_event *event)
{
    const struct frame *frame = top(thread);
    /* Outside of all functions it is where it began to be. */
    const uint32_t path = frame ? frame->path : thread->root;
    if (thread->is_on && path != REPLAY_NONE)
        replay->paths.list[path].time_ns += (int64_t)(event->time_ns - thread->since_ns);
    /* What it does from here on is accounted for, so that it must be somewhere. */
    if (!thread->is_on) {
        struct replay_event outside = *event;
        outside.kind = REPLAY_OFF;
        stay(replay, thread, root_of(replay, event->thread, event->instance), event->time_ns);
        tell_foreign(replay, &outside, REPLAY_NONE);
    }
    thread->is_on = true;
    thread->since_ns = event->time_ns;
}

static struct call *open_call(struct replay *replay, const struct replay_event *event,
                              uint32_t path)
{
    const struct replay_region *region = &replay->world->regions[event->region];
    struct call *call = items_take(&replay->calls);
    replay->failed |= !call;
    if (!call)
        return NULL;
    call->view.enter = (struct tsprof_point){event->thread, path, event->time_ns};
    call->view.region = event->region;
    call->view.process = replay->world->processes[event->thread];
    call->view.blocks = region->may_wait;
    call->is_open = true;
    call->held = 1;
    if (region->role == ROLE_MPROBE)
        matching_probed(replay, call);
    if (region->is_init || region->is_finalize)
        collectives_setup(replay, call, region->is_init ? TSPROF_INIT : TSPROF_FINALIZE);
    return call;
}

static struct tsprof_visit visit_of(const struct replay *replay, uint32_t thread,
                                    const struct frame *frame, uint64_t leave_ns)
{
    return (struct tsprof_visit){.enter = {thread, frame->path, frame->enter_ns},
                                 .leave_ns = leave_ns,
                                 .region = frame->region,
                                 .process = replay->world->processes[thread]};
}

void calls_enter(struct replay *replay, const struct replay_event *event)
{
    struct thread_state *thread = &replay->threads[event->thread];
    advance(replay, thread, event);
    const struct frame *frame = top(thread);
    const uint32_t above =
        frame ? frame->path : root_of(replay, event->thread, event->instance);
    if (above == REPLAY_NONE || !LIST_RESERVE(thread->frames)) {
        replay->failed = true;
        return;
    }
    const uint32_t path =
        paths_find(&replay->paths, above, event->thread, event->instance, event->region);
    if (path == REPLAY_NONE)
        return;
    replay->paths.list[path].visits++;
    struct call *call =
        replay->world->regions[event->region].is_mpi ? open_call(replay, event, path) : NULL;
    thread->frames[thread->frames_count++] =
        (struct frame){path, event->region, event->time_ns, call};
    stay(replay, thread, path, event->time_ns);
    if (calls_current(replay, event->thread))
        tell_foreign(replay, event, path);
    if (replay->hears_visits) {
        const struct tsprof_visit visit = visit_of(replay, event->thread, top(thread), 0);
        patterns_enter(replay, &visit);
    }
}

static void close_frame(struct replay *replay, uint32_t number, uint64_t ns)
{
    struct thread_state *thread = &replay->threads[number];
    struct call *call = top(thread)->call;
    if (replay->hears_visits) {
        const struct tsprof_visit visit = visit_of(replay, number, top(thread), ns);
        patterns_leave(replay, &visit);
    }
    thread->frames_count--;
    if (!call)
        return;
    call->is_open = false;
    call->view.leave_ns = ns;
    collectives_left(replay, call);
    epochs_left(replay, call);
    locks_left(replay, call);
    call_release(replay, call);
}

void calls_leave(struct replay *replay, const struct replay_event *event)
{
    struct thread_state *thread = &replay->threads[event->thread];
    advance(replay, thread, event);
    /* What was entered before recording began is not there. */
    if (!top(thread) || top(thread)->region != event->region)
        return;
    if (calls_current(replay, event->thread))
        tell_foreign(replay, event, REPLAY_NONE);
    close_frame(replay, event->thread, event->time_ns);
    const struct frame *frame = top(thread);
    stay(replay, thread, frame ? frame->path : root_of(replay, event->thread, event->instance),
         event->time_ns);
}

void calls_off(struct replay *replay, const struct replay_event *event)
{
    struct thread_state *thread = &replay->threads[event->thread];
    advance(replay, thread, event);
    tell_foreign(replay, event, REPLAY_NONE);
    while (top(thread))
        close_frame(replay, event->thread, event->time_ns);
    thread->is_on = false;
    stay(replay, thread, REPLAY_NONE, event->time_ns);
}

/* The path of SEEN; REPLAY_NONE if out of memory. */
static uint32_t find_stay(struct replay *replay, const struct replay_stay *seen)
{
    const struct frame *frame = top(&replay->threads[seen->thread]);
    uint32_t path = frame ? frame->path : root_of(replay, seen->thread, seen->instance);
    for (size_t i = 0; path != REPLAY_NONE && i < seen->region_count; i++) {
        path = paths_find(&replay->paths, path, seen->thread, seen->instance, seen->regions[i]);
        if (path != REPLAY_NONE && i + seen->visit_count >= seen->region_count)
            replay->paths.list[path].visits++;
    }
    return path;
}

void calls_stay(struct replay *replay, const struct replay_stay *seen)
{
    struct thread_state *thread = &replay->threads[seen->thread];
    if (!thread->is_on || seen->until_ns < thread->since_ns)
        return;
    const uint32_t path = find_stay(replay, seen);
    if (path == REPLAY_NONE) {
        replay->failed = true;
        return;
    }
    replay->paths.list[path].time_ns += (int64_t)(seen->until_ns - thread->since_ns);
    paths_add(&replay->paths, path, METRIC_samples, (int64_t)seen->samples);
    stay(replay, thread, path, thread->since_ns);
    thread->since_ns = seen->until_ns;
}

struct call *calls_current(const struct replay *replay, uint32_t thread)
{
    const struct thread_state *state = &replay->threads[thread];
    for (size_t i = state->frames_count; i-- > 0;)
        if (state->frames[i].call)
            return state->frames[i].call;
    return NULL;
}

struct tsprof_point calls_point(const struct replay *replay, uint32_t thread, uint64_t time_ns)
{
    const struct call *call = calls_current(replay, thread);
    const struct thread_state *state = &replay->threads[thread];
    if (call)
        return call->view.enter;
    return (struct tsprof_point){
        thread, state->frames_count ? state->frames[state->frames_count - 1].path : REPLAY_NONE,
        time_ns};
}

void call_hold(struct call *call)
{
    call->held++;
}

bool calls_is_within(const struct tsprof_call *call, uint64_t ns)
{
    return ns > call->enter.time_ns && ns < call->leave_ns;
}

uint64_t calls_left_ns(const struct replay *replay, struct tsprof_point point,
                       uint64_t until_ns)
{
    const struct thread_state *thread = &replay->threads[point.thread];
    const struct stay *stay = stays_at(thread, point.time_ns);
    return stay && stay + 1 < thread->stays + thread->stays_count && stay[1].begin_ns < until_ns
               ? stay[1].begin_ns
               : until_ns;
}

bool calls_note_pair(struct replay *replay, const struct tsprof_call *call,
                     struct tsprof_point other)
{
    if (!share_has(replay, replay->world->processes[other.thread]))
        return share_note_open(replay, call, other);
    return syncs_note_pair(replay->syncs, call->enter.thread, call->leave_ns, other.thread,
                           calls_left_ns(replay, other, call->leave_ns));
}

/* Who has waited for another one has synchronized with it, and so have the two ends of a
 * message for which one had to wait.  One that was there already when its receiver came says
 * nothing of when its sender did what, nor does one whose other end came while it was only
 * started or tested: such calls wait for nobody. */
static void note_syncs(struct replay *replay, const struct call *of)
{
    const struct tsprof_call *call = &of->view;
    const struct replay_wait *wait = &of->wait;
    bool good = true;
    if (wait->ns > 0 && wait->cause_thread != REPLAY_NONE && !of->met_all)
        good = calls_note_pair(
            replay, call,
            (struct tsprof_point){wait->cause_thread, wait->cause_path, wait->cause_ns});
    for (const struct tsprof_message *at = call->blocks ? call->arrived : NULL; at;
         at = at->next_arrived)
        if (calls_is_within(call, at->send.time_ns))
            good &= calls_note_pair(replay, call, at->send);
    for (const struct tsprof_message *at = call->blocks ? call->sent : NULL; at;
         at = at->next_sent)
        if (calls_is_within(call, at->receive.time_ns))
            good &= calls_note_pair(replay, call, at->receive);
    replay->failed |= !good;
}

void call_release(struct replay *replay, struct call *call)
{
    if (--call->held > 0)
        return;
    if (call->is_foreign || share_is_ahead(replay)) {
        items_give(&replay->calls, call);
        return;
    }
    matching_arrived(replay, call);
    patterns_call(replay, &call->view);
    publish_call(replay, call);
    note_syncs(replay, call);
    matching_forget(replay, call);
    items_give(&replay->calls, call);
}

struct call *calls_foreign(struct replay *replay, const struct foreign_call *image)
{
    struct call *call = items_take(&replay->calls);
    replay->failed |= !call;
    if (!call)
        return NULL;
    call->view = (struct tsprof_call){.enter = image->enter,
                                      .leave_ns = image->leave_ns,
                                      .region = image->region,
                                      .process = image->process,
                                      .blocks = image->blocks};
    call->is_foreign = true;
    call->held = 1;
    return call;
}

struct foreign_call calls_image(const struct call *call)
{
    return (struct foreign_call){.enter = call->view.enter,
                                 .leave_ns = call->view.leave_ns,
                                 .region = call->view.region,
                                 .process = call->view.process,
                                 .blocks = call->view.blocks};
}

/* Of foreign threads only is known when they are in MPI. */
static void stay_foreign(struct replay *replay, struct thread_state *thread, uint64_t ns)
{
    const struct frame *frame = top(thread);
    stay(replay, thread, frame && frame->call ? frame->path : REPLAY_NONE, ns);
}

static void enter_foreign(struct replay *replay, const struct replay_event *event,
                          uint32_t path)
{
    struct thread_state *thread = &replay->threads[event->thread];
    const struct foreign_call image = {.enter = {event->thread, path, event->time_ns},
                                       .region = event->region,
                                       .process = replay->world->processes[event->thread]};
    struct call *call =
        replay->world->regions[event->region].is_mpi ? calls_foreign(replay, &image) : NULL;
    if (!LIST_RESERVE(thread->frames)) {
        replay->failed = true;
        return;
    }
    thread->frames[thread->frames_count++] =
        (struct frame){path, event->region, event->time_ns, call};
}

static void leave_foreign(struct replay *replay, const struct replay_event *event)
{
    struct thread_state *thread = &replay->threads[event->thread];
    struct call *call = top(thread)->call;
    thread->frames_count--;
    if (!call)
        return;
    call->view.leave_ns = event->time_ns;
    locks_left(replay, call);
    call_release(replay, call);
}

void calls_take_foreign(struct replay *replay, const struct foreign_event *foreign)
{
    const struct replay_event *event = &foreign->event;
    struct thread_state *thread = &replay->threads[event->thread];
    switch (event->kind) {
    case REPLAY_ENTER:
        enter_foreign(replay, event, foreign->path);
        break;
    case REPLAY_LEAVE:
        if (!top(thread) || top(thread)->region != event->region)
            return;
        leave_foreign(replay, event);
        break;
    case REPLAY_OFF:
        while (top(thread))
            leave_foreign(replay, event);
        break;
    default:
        locks_take(replay, event);
        return;
    }
    stay_foreign(replay, thread, event->time_ns);
}
