/* See logical_clock.h. */
#include "clocks/logical_clock.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

#define NO_THREAD UINT32_MAX

/* So many events may wait; then the first of them goes on without what it waits for. */
enum { MOST_WAITING = 1 << 20 };

/* A moment of a thread, by its clock and as it was moved. */
struct moment {
    uint32_t thread;
    uint64_t time_ns, moved_ns;
    size_t ramp; /* that may move it still; SIZE_MAX: none */
};

struct gate {
    size_t sources, uses; /* that are still to come */
    uint64_t latency_ns;
    uint64_t time_ns, moved_ns; /* the latest of all sources */
    uint64_t earliest_ns;       /* of all uses, moved */
    uint32_t waiting;           /* first thread that waits */
    bool is_open;
    struct gate *next;            /* that it opens into */
    struct gate *older, *younger; /* in the list of all */
    struct moment *list;          /* sources that may be moved further */
    size_t count, room;
};

struct start {
    uint64_t request;
    struct moment moment;
};

struct clock_thread {
    struct clock_event *queue;
    size_t first, count, room;
    struct moment enter;
    struct start *starts;
    size_t start_count, start_room;
    bool is_waiting;
    uint32_t next_waiting; /* for the same gate */
    uint32_t next_ready;
};

struct logical_clock {
    enum clock_run run;
    struct corrections *corrections;
    struct clock_thread *threads;
    size_t thread_count;
    struct gate *youngest;
    size_t waiting; /* events in queues */
    uint32_t ready; /* first thread that need not wait any longer */
    struct clock_findings findings;
};

struct logical_clock *logical_clock_create(size_t threads, enum clock_run run,
                                           struct corrections *corrections)
{
    struct logical_clock *clock = allocate(1, sizeof *clock);
    *clock = (struct logical_clock){
        .run = run, .corrections = corrections, .thread_count = threads, .ready = NO_THREAD};
    clock->threads = allocate(threads + 1, sizeof *clock->threads);
    if (run == CLOCK_CHECK)
        corrections_settle(corrections);
    else
        corrections_rewind(corrections);
    return clock;
}

static void free_gate(struct logical_clock *clock, struct gate *gate)
{
    if (gate->younger)
        gate->younger->older = gate->older;
    else
        clock->youngest = gate->older;
    if (gate->older)
        gate->older->younger = gate->younger;
    free(gate->list);
    free(gate);
}

void logical_clock_free(struct logical_clock *clock)
{
    if (!clock)
        return;
    for (size_t i = 0; i < clock->thread_count; i++) {
        free(clock->threads[i].queue);
        free(clock->threads[i].starts);
    }
    free(clock->threads);
    while (clock->youngest)
        free_gate(clock, clock->youngest);
    free(clock);
}

struct gate *gate_create(struct logical_clock *clock, size_t sources, size_t uses,
                         uint64_t latency_ns)
{
    struct gate *gate = allocate(1, sizeof *gate);
    *gate = (struct gate){.sources = sources,
                          .uses = uses,
                          .latency_ns = latency_ns,
                          .earliest_ns = UINT64_MAX,
                          .waiting = NO_THREAD,
                          .older = clock->youngest};
    if (gate->older)
        gate->older->younger = gate;
    clock->youngest = gate;
    return gate;
}

void gate_chain(struct gate *gate, struct gate *next)
{
    gate->next = next;
}

/*
 * What nobody passes through any more is gone; its sources may be moved up to its uses.  Those
 * of a gate that opens into others stay where they are.
 */
static void end_gate(struct logical_clock *clock, struct gate *gate)
{
    if (gate->sources > 0 || gate->uses > 0)
        return;
    for (size_t i = 0; i < gate->count; i++) {
        const struct moment *moment = &gate->list[i];
        const uint64_t least = moment->moved_ns + gate->latency_ns;
        const bool is_free = !gate->next && gate->earliest_ns > least;
        corrections_limit(clock->corrections, moment->thread, moment->ramp, moment->time_ns,
                          is_free ? gate->earliest_ns - least : 0);
    }
    free_gate(clock, gate);
}

/* Those who wait for GATE may go on. */
static void open_gate(struct logical_clock *clock, struct gate *gate)
{
    gate->is_open = true;
    while (gate->waiting != NO_THREAD) {
        struct clock_thread *thread = &clock->threads[gate->waiting];
        const uint32_t next = thread->next_waiting;
        thread->is_waiting = false;
        thread->next_ready = clock->ready;
        clock->ready = gate->waiting;
        gate->waiting = next;
    }
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void keep_source(struct gate *gate, const struct moment *moment)
{
    gate->list = grow_list(gate->list, gate->count, &gate->room, sizeof *gate->list);
    gate->list[gate->count++] = *moment;
}

/* MOMENT is one of GATE's sources, and with the last one it opens, and those chained to it. */
static void pass_source(struct logical_clock *clock, struct gate *gate,
                        const struct moment *moment)
{
    struct moment at = *moment;
    while (gate) {
        struct gate *next = gate->next;
        gate->time_ns = later(gate->time_ns, at.time_ns);
        gate->moved_ns = later(gate->moved_ns, at.moved_ns);
        if (clock->run == CLOCK_LIMITS && at.ramp != SIZE_MAX)
            keep_source(gate, &at);
        if (--gate->sources > 0)
            return;
        at = (struct moment){NO_THREAD, gate->time_ns, gate->moved_ns, SIZE_MAX};
        open_gate(clock, gate);
        end_gate(clock, gate);
        gate = next;
    }
}

void gate_no_source(struct logical_clock *clock, struct gate *gate)
{
    const struct moment never = {NO_THREAD, 0, 0, SIZE_MAX};
    pass_source(clock, gate, &never);
}

void gate_no_use(struct logical_clock *clock, struct gate *gate)
{
    gate->uses--;
    end_gate(clock, gate);
}

void gate_give_up(struct logical_clock *clock, struct gate *gate)
{
    if (!gate->is_open)
        open_gate(clock, gate);
}

static struct moment *find_start(struct clock_thread *thread, uint64_t request)
{
    for (size_t i = 0; i < thread->start_count; i++)
        if (thread->starts[i].request == request)
            return &thread->starts[i].moment;
    return NULL;
}

static void note_start(struct clock_thread *thread, uint64_t request)
{
    struct moment *moment = find_start(thread, request);
    if (moment) {
        *moment = thread->enter;
        return;
    }
    thread->starts = grow_list(thread->starts, thread->start_count, &thread->start_room,
                               sizeof *thread->starts);
    thread->starts[thread->start_count++] = (struct start){request, thread->enter};
}

/* When what EVENT ends was started; it is forgotten then. */
static struct moment take_start(struct clock_thread *thread, uint64_t request)
{
    for (size_t i = 0; i < thread->start_count; i++)
        if (thread->starts[i].request == request) {
            const struct moment moment = thread->starts[i].moment;
            thread->starts[i] = thread->starts[--thread->start_count];
            return moment;
        }
    return thread->enter;
}

/* Passes through a gate: in the first run not before it may. */
static void pass_through(struct logical_clock *clock, const struct clock_event *event,
                         struct moment *moment)
{
    struct gate *gate = event->through;
    const bool is_bound = gate->time_ns > 0;
    clock->findings.dependencies += is_bound;
    clock->findings.before += is_bound && event->time_ns < gate->time_ns + gate->latency_ns;
    const uint64_t least = is_bound ? gate->moved_ns + gate->latency_ns : 0;
    if (moment->moved_ns < least && clock->run == CLOCK_JUMPS) {
        corrections_add_jump(clock->corrections, event->thread, event->order, event->time_ns,
                             moment->moved_ns - event->time_ns, least - event->time_ns);
        moment->moved_ns = least;
    }
    clock->findings.after += moment->moved_ns < least;
    if (moment->moved_ns < gate->earliest_ns)
        gate->earliest_ns = moment->moved_ns;
    gate->uses--;
    end_gate(clock, gate);
}

static void count_move(struct clock_findings *findings, uint64_t move_ns)
{
    findings->events++;
    findings->moved += move_ns > 0;
    findings->moved_ns += move_ns;
    findings->largest_ns = later(findings->largest_ns, move_ns);
}

static struct moment moment_of(struct logical_clock *clock, const struct clock_event *event)
{
    uint64_t (*const moved)(struct corrections * corrections, uint32_t thread, uint64_t order,
                            uint64_t time_ns) =
        clock->run == CLOCK_CHECK ? corrections_at : corrections_jumped;
    struct moment moment = {.thread = event->thread, .time_ns = event->time_ns};
    moment.moved_ns =
        event->time_ns + moved(clock->corrections, event->thread, event->order, event->time_ns);
    moment.ramp = corrections_ramp(clock->corrections, event->thread, event->time_ns);
    return moment;
}

/* EVENT happens, the first in its thread's queue. */
static void happen(struct logical_clock *clock, const struct clock_event *event)
{
    struct clock_thread *thread = &clock->threads[event->thread];
    struct moment moment = moment_of(clock, event);
    /* It is a source before it passes: nobody waits for himself. */
    if (event->source && event->from == SOURCE_EVENT)
        pass_source(clock, event->source, &moment);
    if (event->through)
        pass_through(clock, event, &moment);
    count_move(&clock->findings, moment.moved_ns - event->time_ns);
    if (event->is_enter)
        thread->enter = moment;
    if (event->is_start)
        note_start(thread, event->request);
}

/* What EVENT is a source of before it happens itself: an operation that began earlier. */
static void pass_operation(struct logical_clock *clock, struct clock_event *event)
{
    struct clock_thread *thread = &clock->threads[event->thread];
    if (event->from == SOURCE_EVENT)
        return;
    struct gate *gate = event->source;
    const struct moment moment =
        event->from == SOURCE_START ? take_start(thread, event->request) : thread->enter;
    event->source = NULL;
    event->from = SOURCE_EVENT;
    if (gate)
        pass_source(clock, gate, &moment);
}

/* Lets the events of a thread happen up to one that has to wait. */
static void go_on(struct logical_clock *clock, uint32_t number)
{
    struct clock_thread *thread = &clock->threads[number];
    while (thread->count > 0 && !thread->is_waiting) {
        struct clock_event *event = &thread->queue[thread->first];
        struct gate *gate = event->through;
        pass_operation(clock, event);
        if (gate && !gate->is_open) {
            thread->is_waiting = true;
            thread->next_waiting = gate->waiting;
            gate->waiting = number;
            return;
        }
        const struct clock_event happens = *event;
        thread->first++;
        thread->count--;
        clock->waiting--;
        happen(clock, &happens);
    }
    if (thread->count == 0)
        thread->first = 0;
}

static void go_on_all(struct logical_clock *clock)
{
    while (clock->ready != NO_THREAD) {
        const uint32_t thread = clock->ready;
        clock->ready = clock->threads[thread].next_ready;
        go_on(clock, thread);
    }
}

static void enqueue(struct clock_thread *thread, const struct clock_event *event)
{
    if (thread->first + thread->count == thread->room && thread->first > thread->room / 2) {
        memmove(thread->queue, thread->queue + thread->first,
                thread->count * sizeof *thread->queue);
        thread->first = 0;
    }
    thread->queue = grow_list(thread->queue, thread->first + thread->count, &thread->room,
                              sizeof *thread->queue);
    thread->queue[thread->first + thread->count++] = *event;
}

/* The event that has waited for longest goes on. */
static void give_up_first(struct logical_clock *clock)
{
    struct clock_event *first = NULL;
    for (size_t i = 0; i < clock->thread_count; i++) {
        const struct clock_thread *thread = &clock->threads[i];
        if (thread->is_waiting &&
            (!first || thread->queue[thread->first].time_ns < first->time_ns))
            first = &thread->queue[thread->first];
    }
    if (!first)
        return;
    clock->findings.given_up++;
    gate_give_up(clock, first->through);
    go_on_all(clock);
}

void logical_clock_take(struct logical_clock *clock, const struct clock_event *event)
{
    struct clock_thread *thread = &clock->threads[event->thread];
    enqueue(thread, event);
    clock->waiting++;
    /* Whoever took the event may have opened gates, also for this thread. */
    go_on_all(clock);
    if (!thread->is_waiting)
        go_on(clock, event->thread);
    go_on_all(clock);
    while (clock->waiting > MOST_WAITING)
        give_up_first(clock);
}

void logical_clock_end(struct logical_clock *clock, struct clock_findings *findings)
{
    while (clock->waiting > 0)
        give_up_first(clock);
    *findings = clock->findings;
}
