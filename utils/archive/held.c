/* See held.h. */
#include "archive/held.h"

#include <stdlib.h>
#include <string.h>

/* An event, with its own list of iterations. */
struct item {
    struct trace_event event;
    uint64_t number; /* of those at one time, the first that came is first */
};

struct held {
    struct corrections *corrections;
    trace_visitor *visit;
    void *context;
    struct item *heap; /* the earliest is first */
    size_t count, room;
    uint64_t numbers;
};

struct held *held_create(struct corrections *corrections, trace_visitor *visit, void *context)
{
    struct held *held = allocate(1, sizeof *held);
    *held = (struct held){.corrections = corrections, .visit = visit, .context = context};
    return held;
}

void held_free(struct held *held)
{
    if (!held)
        return;
    for (size_t i = 0; i < held->count; i++)
        free((void *)(uintptr_t)held->heap[i].event.iterations);
    free(held->heap);
    free(held);
}

static bool is_before(const struct item *a, const struct item *b)
{
    if (a->event.at.ns != b->event.at.ns)
        return a->event.at.ns < b->event.at.ns;
    return a->number < b->number;
}

static void swap(struct item *a, struct item *b)
{
    const struct item kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct held *held, const struct trace_event *event)
{
    struct trace_iteration *iterations =
        allocate(event->iteration_count + 1, sizeof *iterations);
    held->heap = grow_list(held->heap, held->count, &held->room, sizeof *held->heap);
    if (event->iteration_count > 0)
        memcpy(iterations, event->iterations, event->iteration_count * sizeof *iterations);
    size_t at = held->count++;
    held->heap[at] = (struct item){*event, held->numbers++};
    held->heap[at].event.iterations = iterations;
    for (; at > 0 && is_before(&held->heap[at], &held->heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&held->heap[at], &held->heap[(at - 1) / 2]);
}

static void sink(struct held *held)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < held->count; at = child) {
        if (child + 1 < held->count && is_before(&held->heap[child + 1], &held->heap[child]))
            child++;
        if (!is_before(&held->heap[child], &held->heap[at]))
            return;
        swap(&held->heap[at], &held->heap[child]);
    }
}

/* Passes on the earliest. */
static void pop(struct held *held)
{
    const struct trace_event event = held->heap[0].event;
    held->heap[0] = held->heap[--held->count];
    sink(held);
    held->visit(held->context, &event);
    free((void *)(uintptr_t)event.iterations);
}

void held_take(struct held *held, const struct trace_event *event)
{
    struct trace_event moved = *event;
    moved.time_ns +=
        corrections_at(held->corrections, event->thread, event->order, event->time_ns);
    /* It is visited when its time has come, but not before it was read. */
    if (moved.at.ns < moved.time_ns)
        moved.at.ns = moved.time_ns;
    while (held->count > 0 && held->heap[0].event.at.ns < event->at.ns)
        pop(held);
    if (held->count == 0 && moved.at.ns == event->at.ns)
        held->visit(held->context, &moved);
    else
        push(held, &moved);
}

void held_end(struct held *held)
{
    while (held->count > 0)
        pop(held);
}
