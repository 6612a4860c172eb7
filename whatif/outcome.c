/* Predictions of whole runs.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>
#include <string.h>

/* By thread and instance: how long the thread is in it. */
struct sums {
    const uint32_t *outer;
    size_t instances;
    uint64_t *ns; /* of one thread */
};

static void add_time(const struct whatif *graph, struct sums *sums, uint32_t path, uint64_t ns)
{
    uint32_t instance = path == WHATIF_NONE ? WHATIF_NONE : graph->result.paths[path].instance;
    while (instance < sums->instances) {
        sums->ns[instance] += ns;
        instance = sums->outer[instance];
    }
}

static uint64_t segment_ns(const struct whatif *graph, const struct whatif_changes *changes,
                           uint32_t segment)
{
    return (uint64_t)((double)graph->segments[segment].ns * (double)changes->factors[segment] +
                      0.5);
}

static void add_thread(const struct whatif *graph, const struct whatif_changes *changes,
                       const struct times *times, const struct graph_thread *thread,
                       struct sums *sums)
{
    for (uint32_t i = thread->first_call; i < thread->first_call + thread->call_count; i++) {
        for (uint32_t j = graph->calls[i].first_segment; j < graph->calls[i + 1].first_segment;
             j++)
            add_time(graph, sums, graph->segments[j].path, segment_ns(graph, changes, j));
        add_time(graph, sums, graph->calls[i].path, times->leaves[i] - times->enters[i]);
    }
}

static bool sum_iterations(const struct whatif *graph, const struct whatif_changes *changes,
                           const struct times *times, const uint32_t *outer, size_t instances,
                           uint64_t *longest)
{
    struct sums sums = {outer, instances, calloc(instances + 1, sizeof(uint64_t))};
    if (!sums.ns)
        return false;
    for (uint32_t i = 0; i < graph->world->thread_count; i++) {
        memset(sums.ns, 0, instances * sizeof *sums.ns);
        add_thread(graph, changes, times, &graph->threads[i], &sums);
        for (size_t j = 0; j < instances; j++)
            if (sums.ns[j] > longest[j])
                longest[j] = sums.ns[j];
    }
    free(sums.ns);
    return true;
}

static bool finish(const struct whatif *graph, const struct whatif_changes *changes,
                   const uint32_t *outer, size_t instances, struct whatif_outcome *outcome)
{
    const uint64_t end = simulation_end(graph, &graph->times);
    outcome->ns = end > graph->facts.begin_ns ? end - graph->facts.begin_ns : 0;
    outcome->iterations = calloc(instances + 1, sizeof *outcome->iterations);
    return outcome->iterations &&
           sum_iterations(graph, changes, &graph->times, outer, instances, outcome->iterations);
}

bool whatif_predict(struct whatif *graph, const struct whatif_changes *changes,
                    const uint32_t *outer, size_t instances, struct whatif_outcome *outcome)
{
    uint32_t *order = graph->order, *own = NULL;
    *outcome = (struct whatif_outcome){.stuck_call = WHATIF_NONE};
    if (!changes)
        changes = graph->unchanged;
    if (changes->is_reordered) {
        order = own = calloc(graph->call_count + 1, sizeof *own);
        if (!own || !graph_order(graph, changes, false, own, &outcome->stuck_call)) {
            free(own);
            return false;
        }
        outcome->is_stuck = outcome->stuck_call != WHATIF_NONE;
    }
    if (!outcome->is_stuck) {
        simulation_begin(graph, changes, &graph->times);
        for (size_t i = 0; i < graph->call_count; i++)
            simulation_step(graph, changes, &graph->times, order[i]);
    }
    free(own);
    return outcome->is_stuck || finish(graph, changes, outer, instances, outcome);
}

bool whatif_measured(struct whatif *graph, const uint32_t *outer, size_t instances,
                     struct whatif_outcome *outcome)
{
    *outcome = (struct whatif_outcome){.stuck_call = WHATIF_NONE};
    for (size_t i = 0; i < graph->call_count; i++) {
        graph->times.enters[i] = graph->calls[i].enter_ns;
        graph->times.leaves[i] = graph->calls[i].leave_ns;
    }
    return finish(graph, graph->unchanged, outer, instances, outcome);
}

void whatif_outcome_free(struct whatif_outcome *outcome)
{
    free(outcome->iterations);
}

/* NS between FROM and TO is moved to where it is between NEW_FROM and NEW_TO. */
static uint64_t between(uint64_t ns, uint64_t from, uint64_t to, uint64_t new_from,
                        uint64_t new_to)
{
    if (ns <= from || to <= from)
        return new_from;
    const double share = (double)(ns - from) / (double)(to - from);
    return new_from + (uint64_t)((double)(new_to - new_from) * (share < 1 ? share : 1) + 0.5);
}

/* NS in the computation before CALL, which begins at FROM, and NEW_FROM as predicted. */
static uint64_t moved_work(const struct whatif *graph, const struct whatif_changes *changes,
                           uint32_t call, uint64_t ns, uint64_t from, uint64_t new_from)
{
    for (uint32_t i = graph->calls[call].first_segment;
         i < graph->calls[call + 1].first_segment; i++) {
        const uint64_t to = from + graph->segments[i].ns,
                       new_to = new_from + segment_ns(graph, changes, i);
        if (ns <= to)
            return between(ns, from, to, new_from, new_to);
        from = to;
        new_from = new_to;
    }
    return new_from;
}

/* THREAD, or one of the same process that calls MPI. */
static const struct graph_thread *leader_of(const struct whatif *graph, uint32_t thread)
{
    for (uint32_t i = 0;
         graph->threads[thread].call_count == 0 && i < graph->world->thread_count; i++)
        if (graph->threads[i].call_count > 0 &&
            graph->world->processes[i] == graph->world->processes[thread])
            return &graph->threads[i];
    return &graph->threads[thread];
}

uint64_t whatif_moved(const struct whatif *graph, const struct whatif_changes *changes,
                      uint32_t number, uint64_t ns, size_t *cursor)
{
    const struct graph_thread *thread = leader_of(graph, number);
    if (thread->call_count == 0 || ns <= thread->begin_ns)
        return ns;
    if (!changes)
        changes = graph->unchanged;
    while (*cursor + 1 < thread->call_count &&
           graph->calls[thread->first_call + *cursor].leave_ns < ns)
        ++*cursor;
    const uint32_t at = thread->first_call + (uint32_t)*cursor;
    const struct graph_call *call = &graph->calls[at];
    const uint64_t *enters = graph->times.enters, *leaves = graph->times.leaves;
    if (ns >= call->enter_ns)
        return between(ns, call->enter_ns, call->leave_ns, enters[at], leaves[at]);
    return *cursor > 0 ? moved_work(graph, changes, at, ns, call[-1].leave_ns, leaves[at - 1])
                       : moved_work(graph, changes, at, ns, thread->begin_ns, thread->begin_ns);
}
