/* An order in which the calls can be simulated.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>

static void visit_message(const struct graph_message *message, entered_visitor *visit,
                          void *context, bool is_synchronous)
{
    visit(context, message->send);
    if (!is_synchronous)
        return;
    visit(context, message->receive);
    visit(context, message->answer);
    visit(context, message->serve);
}

static void visit_members(const struct whatif *graph, const struct operation *operation,
                          uint32_t from, uint32_t to, entered_visitor *visit, void *context)
{
    for (uint32_t i = from; i < to; i++)
        visit(context, graph->members[operation->first_member + i].start);
}

/* Whoever the MEMBERth has to wait for. */
static void visit_operation(const struct whatif *graph, uint32_t member, entered_visitor *visit,
                            void *context)
{
    const struct operation *operation = &graph->operations[graph->members[member].operation];
    const uint32_t rank = member - operation->first_member, count = operation->member_count;
    switch (operation->kind) {
    case TSPROF_ONE_TO_N:
        if (operation->root != WHATIF_NONE)
            visit_members(graph, operation, operation->root, operation->root + 1, visit,
                          context);
        break;
    case TSPROF_N_TO_ONE:
        if (operation->root == rank)
            visit_members(graph, operation, 0, count, visit, context);
        break;
    case TSPROF_SCAN:
        visit_members(graph, operation, 0, rank, visit, context);
        break;
    default:
        visit_members(graph, operation, 0, count, visit, context);
        break;
    }
}

void graph_visit_need(const struct whatif *graph, const struct whatif_changes *changes,
                      const struct need *need, entered_visitor *visit, void *context)
{
    switch (need->kind) {
    case NEED_START:
        break;
    case NEED_ARRIVAL:
    case NEED_SENT: {
        const struct graph_message *message = &graph->messages[need->number];
        const bool waits =
            network_waits(&changes->network, message, changes->bytes[need->number]);
        if (waits || need->kind == NEED_ARRIVAL)
            visit_message(message, visit, context,
                          waits && (need->kind == NEED_SENT || !message->is_probed));
        break;
    }
    case NEED_MEMBER:
        visit_operation(graph, need->number, visit, context);
        break;
    case NEED_LINK:
        visit(context, graph->links[need->number].from);
        break;
    }
}

/*
 * Threads whose next call may be ready are in a heap by its measured end; the others wait for a
 * thread to go on.
 */
struct ordering {
    struct whatif *graph;
    const struct whatif_changes *changes;
    uint32_t *next;    /* by thread: its next call */
    uint32_t *heap;    /* threads */
    uint32_t *waiting; /* by thread: the first of those that wait for it; WHATIF_NONE */
    uint32_t *beside;  /* by thread: the next that waits for the same */
    size_t heap_count;
    uint32_t missing; /* a thread that must go on first; WHATIF_NONE */
};

static uint64_t key_of(const struct ordering *ordering, uint32_t thread)
{
    return ordering->graph->calls[ordering->next[thread]].leave_ns;
}

static void push(struct ordering *ordering, uint32_t thread)
{
    uint32_t *heap = ordering->heap;
    size_t at = ordering->heap_count++;
    while (at > 0 && key_of(ordering, heap[(at - 1) / 2]) > key_of(ordering, thread)) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = thread;
}

static uint32_t pop(struct ordering *ordering)
{
    uint32_t *heap = ordering->heap;
    const uint32_t first = heap[0], last = heap[--ordering->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= ordering->heap_count)
            break;
        if (child + 1 < ordering->heap_count &&
            key_of(ordering, heap[child + 1]) < key_of(ordering, heap[child]))
            child++;
        if (key_of(ordering, heap[child]) >= key_of(ordering, last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

static bool is_entered(const struct ordering *ordering, uint32_t call)
{
    return call <= ordering->next[ordering->graph->calls[call].thread];
}

static void check_entered(void *context, uint32_t call)
{
    struct ordering *ordering = context;
    if (!is_entered(ordering, call))
        ordering->missing = ordering->graph->calls[call].thread;
}

static bool is_free_of_waits(const struct whatif_changes *changes, uint32_t call)
{
    return (changes->flags[call] & (CALL_NEVER_WAITS | CALL_IS_REMOVED)) != 0;
}

/* Whether CALL can end; `missing` is why it cannot. */
static bool is_ready(struct ordering *ordering, uint32_t call)
{
    const struct whatif *graph = ordering->graph;
    ordering->missing = WHATIF_NONE;
    if (is_free_of_waits(ordering->changes, call))
        return true;
    for (uint32_t i = graph->calls[call].first_need;
         ordering->missing == WHATIF_NONE && i < graph->calls[call + 1].first_need; i++)
        if (!graph->is_dropped[i])
            graph_visit_need(graph, ordering->changes, &graph->needs[i], check_entered,
                             ordering);
    return ordering->missing == WHATIF_NONE;
}

/* Drops what CALL cannot have. */
static void drop_needs(struct ordering *ordering, uint32_t call)
{
    struct whatif *graph = ordering->graph;
    for (uint32_t i = graph->calls[call].first_need; i < graph->calls[call + 1].first_need;
         i++) {
        ordering->missing = WHATIF_NONE;
        if (!graph->is_dropped[i])
            graph_visit_need(graph, ordering->changes, &graph->needs[i], check_entered,
                             ordering);
        if (ordering->missing == WHATIF_NONE)
            continue;
        graph->is_dropped[i] = true;
        graph->facts.contradictions++;
    }
}

/* THREAD goes on behind its call: it, and those that waited for it, may be ready. */
static void go_on(struct ordering *ordering, uint32_t thread)
{
    const struct graph_thread *of = &ordering->graph->threads[thread];
    uint32_t waiting = ordering->waiting[thread];
    ordering->waiting[thread] = WHATIF_NONE;
    if (++ordering->next[thread] < of->first_call + of->call_count)
        push(ordering, thread);
    while (waiting != WHATIF_NONE) {
        const uint32_t next = ordering->beside[waiting];
        push(ordering, waiting);
        waiting = next;
    }
}

/* Of the threads that wait for each other the one whose call ended first as measured. */
static uint32_t first_stuck(const struct ordering *ordering)
{
    const struct whatif *graph = ordering->graph;
    uint32_t first = WHATIF_NONE;
    for (uint32_t i = 0; i < graph->world->thread_count; i++) {
        const struct graph_thread *thread = &graph->threads[i];
        if (ordering->next[i] < thread->first_call + thread->call_count &&
            (first == WHATIF_NONE || key_of(ordering, i) < key_of(ordering, first)))
            first = i;
    }
    return first;
}

static void wait_no_more(struct ordering *ordering, uint32_t thread)
{
    for (uint32_t i = 0; i < ordering->graph->world->thread_count; i++)
        for (uint32_t *at = &ordering->waiting[i]; *at != WHATIF_NONE;
             at = &ordering->beside[*at])
            if (*at == thread) {
                *at = ordering->beside[thread];
                return;
            }
}

/* Puts all calls in order; WHATIF_NONE, or the call that never ends. */
static uint32_t order_all(struct ordering *ordering, bool drop, uint32_t *order)
{
    const struct whatif *graph = ordering->graph;
    size_t done = 0;
    while (done < graph->call_count) {
        if (ordering->heap_count == 0) {
            const uint32_t stuck = first_stuck(ordering);
            if (!drop)
                return ordering->next[stuck];
            drop_needs(ordering, ordering->next[stuck]);
            wait_no_more(ordering, stuck);
            push(ordering, stuck);
        }
        const uint32_t thread = pop(ordering), call = ordering->next[thread];
        if (is_ready(ordering, call)) {
            order[done++] = call;
            go_on(ordering, thread);
        } else {
            ordering->beside[thread] = ordering->waiting[ordering->missing];
            ordering->waiting[ordering->missing] = thread;
        }
    }
    return WHATIF_NONE;
}

bool graph_order(struct whatif *graph, const struct whatif_changes *changes, bool drop,
                 uint32_t *order, uint32_t *stuck)
{
    const size_t threads = graph->world->thread_count;
    uint32_t *lists = calloc(4 * (threads + 1), sizeof *lists);
    if (!lists)
        return false;
    struct ordering ordering = {.graph = graph,
                                .changes = changes,
                                .next = lists,
                                .heap = lists + threads + 1,
                                .waiting = lists + 2 * (threads + 1),
                                .beside = lists + 3 * (threads + 1)};
    for (uint32_t i = 0; i < threads; i++) {
        ordering.waiting[i] = WHATIF_NONE;
        ordering.next[i] = graph->threads[i].first_call;
        if (graph->threads[i].call_count > 0)
            push(&ordering, i);
    }
    *stuck = order_all(&ordering, drop, order);
    free(lists);
    return true;
}
