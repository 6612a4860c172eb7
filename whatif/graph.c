/* From what was recorded to the graph.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>

static int compare_calls(const void *a, const void *b)
{
    const struct recorded_call *one = a, *other = b;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return one->enter_ns < other->enter_ns ? -1 : one->enter_ns > other->enter_ns;
}

static bool takes_part(const struct recorded_call *calls, size_t count, uint32_t thread)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (calls[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    return count == 0 || (low < count && calls[low].thread == thread);
}

static void add_call(struct whatif *graph, struct graph_call call)
{
    graph->calls[graph->call_count++] = call;
}

/* The calls of THREAD, the first of which is the FIRSTth that was recorded; returns the first
 * of the next thread.  What was called by a call of MPI is part of it. */
static size_t add_thread(struct whatif *graph, const struct whatif_recorder *recorder,
                         uint32_t thread, size_t first)
{
    struct graph_thread *state = &graph->threads[thread];
    const size_t places = replay_place_count(graph->replay, thread);
    size_t at = first;
    state->first_call = (uint32_t)graph->call_count;
    if (places == 0 || !takes_part(recorder->calls, recorder->calls_count, thread))
        return at;
    state->begin_ns = replay_place(graph->replay, thread, 0).begin_ns;
    state->end_ns = replay_place(graph->replay, thread, places - 1).begin_ns;
    uint64_t until_ns = 0;
    for (; at < recorder->calls_count && recorder->calls[at].thread == thread; at++) {
        const struct recorded_call *call = &recorder->calls[at];
        if (call->enter_ns < until_ns)
            continue;
        add_call(graph,
                 (struct graph_call){call->enter_ns, call->leave_ns, thread, call->path, 0, 0});
        until_ns = call->leave_ns;
    }
    if (until_ns > state->end_ns)
        state->end_ns = until_ns;
    add_call(graph,
             (struct graph_call){state->end_ns, state->end_ns, thread, WHATIF_NONE, 0, 0});
    state->call_count = (uint32_t)graph->call_count - state->first_call;
    state->lane = (uint32_t)graph->facts.threads++;
    return at;
}

static bool add_calls(struct whatif *graph, struct whatif_recorder *recorder)
{
    const size_t threads = graph->world->thread_count;
    graph->calls = calloc(recorder->calls_count + threads + 1, sizeof *graph->calls);
    graph->threads = calloc(threads + 1, sizeof *graph->threads);
    if (!graph->calls || !graph->threads)
        return false;
    if (recorder->calls_count > 0)
        qsort(recorder->calls, recorder->calls_count, sizeof *recorder->calls, compare_calls);
    size_t at = 0;
    for (uint32_t i = 0; i < threads; i++)
        at = add_thread(graph, recorder, i, at);
    return true;
}

static void add_segment(struct whatif *graph, uint32_t first, uint32_t path, uint64_t ns)
{
    if (path == REPLAY_NONE)
        graph->facts.paused_ns += ns;
    struct segment *last =
        graph->segment_count > first ? &graph->segments[graph->segment_count - 1] : NULL;
    if (last && last->path == path)
        last->ns += ns;
    else
        graph->segments[graph->segment_count++] = (struct segment){ns, path};
}

/* The computation of THREAD before each of its calls. */
static void add_segments(struct whatif *graph, uint32_t thread)
{
    const struct graph_thread *state = &graph->threads[thread];
    const size_t places = replay_place_count(graph->replay, thread);
    uint64_t from_ns = state->begin_ns;
    size_t at = 0;
    for (uint32_t i = 0; i < state->call_count; i++) {
        struct graph_call *call = &graph->calls[state->first_call + i];
        call->first_segment = (uint32_t)graph->segment_count;
        while (at + 1 < places && from_ns < call->enter_ns) {
            const struct replay_place place = replay_place(graph->replay, thread, at);
            const uint64_t end_ns = replay_place(graph->replay, thread, at + 1).begin_ns;
            const uint64_t to_ns = end_ns < call->enter_ns ? end_ns : call->enter_ns;
            if (to_ns > from_ns) {
                add_segment(graph, call->first_segment, place.path, to_ns - from_ns);
                from_ns = to_ns;
            }
            if (end_ns <= call->enter_ns)
                at++;
        }
        from_ns = call->leave_ns;
    }
}

static bool add_all_segments(struct whatif *graph)
{
    size_t most = graph->call_count;
    for (uint32_t i = 0; i < graph->world->thread_count; i++)
        if (graph->threads[i].call_count > 0)
            most += replay_place_count(graph->replay, i);
    graph->segments = calloc(most + 1, sizeof *graph->segments);
    if (!graph->segments)
        return false;
    for (uint32_t i = 0; i < graph->world->thread_count; i++)
        add_segments(graph, i);
    graph->calls[graph->call_count].first_segment = (uint32_t)graph->segment_count;
    return true;
}

static void find_facts(struct whatif *graph)
{
    for (size_t i = 0; i < graph->result.path_count; i++) {
        const uint32_t instance = graph->result.paths[i].instance;
        if (instance != REPLAY_NONE && instance >= graph->instance_count)
            graph->instance_count = instance + 1;
    }
    struct whatif_facts *facts = &graph->facts;
    facts->begin_ns = UINT64_MAX;
    for (uint32_t i = 0; i < graph->world->thread_count; i++) {
        const struct graph_thread *thread = &graph->threads[i];
        if (thread->call_count == 0)
            continue;
        if (thread->begin_ns < facts->begin_ns)
            facts->begin_ns = thread->begin_ns;
        if (thread->end_ns > facts->end_ns)
            facts->end_ns = thread->end_ns;
    }
    if (facts->begin_ns > facts->end_ns)
        facts->begin_ns = facts->end_ns;
    facts->calls = graph->call_count - facts->threads;
    facts->messages = graph->message_count;
    facts->operations = graph->operation_count;
    for (size_t i = 0; i < graph->message_count; i++)
        if (graph->messages[i].bytes > facts->longest_message)
            facts->longest_message = graph->messages[i].bytes;
}

static bool build(struct whatif *graph, struct whatif_recorder *recorder)
{
    if (recorder->failed || !add_calls(graph, recorder) || !add_all_segments(graph) ||
        !graph_resolve(graph, recorder))
        return false;
    find_facts(graph);
    graph->excess = calloc(graph->call_count + 1, sizeof *graph->excess);
    graph->order = calloc(graph->call_count + 1, sizeof *graph->order);
    graph->places = calloc(graph->call_count + 1, sizeof *graph->places);
    if (!graph->excess || !graph->order || !graph->places ||
        !simulation_times_create(&graph->times, graph))
        return false;
    const struct whatif_network network = network_fit(graph);
    return whatif_set_network(graph, &network);
}

/* Everything that follows from the network is made anew. */
bool whatif_set_network(struct whatif *graph, const struct whatif_network *network)
{
    uint32_t stuck;
    graph->network = *network;
    whatif_changes_free(graph->unchanged);
    graph->unchanged = whatif_changes(graph);
    if (!graph->unchanged)
        return false;
    graph_drop_denied(graph);
    if (!graph_order(graph, graph->unchanged, true, graph->order, &stuck))
        return false;
    for (uint32_t i = 0; i < graph->call_count; i++)
        graph->places[graph->order[i]] = i;
    return graph_find_excess(graph);
}

struct whatif *whatif_create(struct whatif_recorder *recorder, const struct replay *replay)
{
    struct whatif *graph = calloc(1, sizeof *graph);
    bool good = graph != NULL;
    if (good) {
        graph->world = recorder->world;
        graph->replay = replay;
        replay_result(replay, &graph->result);
        good = build(graph, recorder);
    }
    whatif_forget(recorder);
    if (good)
        return graph;
    whatif_free(graph);
    return NULL;
}

void whatif_free(struct whatif *graph)
{
    if (!graph)
        return;
    whatif_changes_free(graph->unchanged);
    simulation_times_free(&graph->times);
    free(graph->threads);
    free(graph->calls);
    free(graph->segments);
    free(graph->messages);
    free(graph->operations);
    free(graph->members);
    free(graph->links);
    free(graph->needs);
    free(graph->is_dropped);
    free(graph->order);
    free(graph->places);
    free(graph->excess);
    free(graph);
}

struct whatif_facts whatif_facts(const struct whatif *graph)
{
    return graph->facts;
}

struct whatif_network whatif_network(const struct whatif *graph)
{
    return graph->network;
}

struct whatif_call whatif_call(const struct whatif *graph, uint32_t number)
{
    const struct graph_call *call = &graph->calls[number];
    return (struct whatif_call){call->thread, call->path, call->enter_ns, call->leave_ns};
}

uint64_t whatif_ordinal(const struct whatif *graph, uint32_t number)
{
    const struct graph_call *call = &graph->calls[number];
    uint64_t ordinal = 0;
    for (uint32_t i = graph->threads[call->thread].first_call; i < number; i++)
        ordinal += path_node(graph, graph->calls[i].path) == path_node(graph, call->path);
    return ordinal;
}
