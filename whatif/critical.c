/* The critical path of a prediction.  See graph.h. */
#include "whatif/graph.h"

#include "replay/list.h"

#include <stdlib.h>

/* Why a call waits until its gate. */
struct binding {
    uint32_t entered; /* the call that was entered last of those that had to be */
    uint32_t partner; /* the call of another thread that it has to do with */
};

/* Of the calls that must have been entered, the one that was last. */
struct last_entered {
    const struct times *times;
    uint32_t call;
};

static void note_entered(void *context, uint32_t call)
{
    struct last_entered *last = context;
    if (last->call == WHATIF_NONE ||
        last->times->enters[call] > last->times->enters[last->call])
        last->call = call;
}

/* Which step of a message that waits for its receive comes last (departure_ns). */
static uint32_t last_step(const struct whatif *graph, const struct whatif_changes *changes,
                          const struct times *times, uint32_t number)
{
    const struct graph_message *message = &graph->messages[number];
    const uint64_t latency = network_latency(&changes->network);
    if (times->enters[message->serve] >= simulation_answered(graph, changes, times, number))
        return message->serve;
    if (times->injections[number] + latency >= times->enters[message->answer] &&
        times->injections[number] + latency >= times->enters[message->receive])
        return message->send;
    return times->enters[message->answer] >= times->enters[message->receive] ? message->answer
                                                                             : message->receive;
}

static struct binding binding_of_message(const struct whatif *graph,
                                         const struct whatif_changes *changes,
                                         const struct times *times, const struct need *need)
{
    const struct graph_message *message = &graph->messages[need->number];
    const uint32_t partner = need->kind == NEED_ARRIVAL ? message->send : message->receive;
    const bool is_probe = need->kind == NEED_ARRIVAL && message->is_probed;
    if (is_probe || !network_waits(&changes->network, message, changes->bytes[need->number]))
        return (struct binding){message->send, partner};
    return (struct binding){last_step(graph, changes, times, need->number), partner};
}

static struct binding binding_of(const struct whatif *graph,
                                 const struct whatif_changes *changes,
                                 const struct times *times, const struct need *need)
{
    if (need->kind == NEED_ARRIVAL || need->kind == NEED_SENT)
        return binding_of_message(graph, changes, times, need);
    struct last_entered last = {times, WHATIF_NONE};
    graph_visit_need(graph, changes, need, note_entered, &last);
    return (struct binding){last.call, last.call};
}

/* The need for which CALL has waited until GATE. */
static struct binding find_binding(const struct whatif *graph,
                                   const struct whatif_changes *changes, struct times *times,
                                   uint32_t call, uint64_t gate)
{
    const struct graph_call *of = &graph->calls[call];
    for (uint32_t i = of->first_need; i < of[1].first_need; i++)
        if (!graph->is_dropped[i] &&
            simulation_need(graph, changes, times, &graph->needs[i]) == gate)
            return binding_of(graph, changes, times, &graph->needs[i]);
    return (struct binding){WHATIF_NONE, WHATIF_NONE};
}

static void add_work(const struct whatif *graph, const struct whatif_changes *changes,
                     struct critical *critical, uint32_t call)
{
    const struct graph_call *at = &graph->calls[call];
    for (uint32_t i = at->first_segment; i < at[1].first_segment; i++)
        if (graph->segments[i].path != WHATIF_NONE)
            critical->paths[graph->segments[i].path] +=
                (uint64_t)((double)graph->segments[i].ns * (double)changes->factors[i]);
}

static uint32_t last_call(const struct whatif *graph, const struct times *times)
{
    uint32_t last = WHATIF_NONE;
    for (uint32_t i = 0; i < graph->call_count; i++)
        if (is_end(&graph->calls[i]) &&
            (last == WHATIF_NONE || times->leaves[i] > times->leaves[last]))
            last = i;
    return last;
}

/* CALL becomes the one whose entering decided when it ended. */
static bool step_back(const struct whatif *graph, const struct whatif_changes *changes,
                      struct times *times, struct critical *critical, uint32_t *call)
{
    const uint64_t begun = simulation_begun(graph, changes, times, *call);
    const bool waits = !(changes->flags[*call] & (CALL_NEVER_WAITS | CALL_IS_REMOVED));
    const uint64_t gate = waits ? simulation_gate(graph, changes, times, *call) : 0;
    if (gate <= begun)
        return true;
    const struct binding binding = find_binding(graph, changes, times, *call, gate);
    if (binding.entered == WHATIF_NONE)
        return true;
    if (!LIST_RESERVE(critical->crossings))
        return false;
    critical->crossings[critical->crossings_count++] =
        (struct whatif_crossing){*call, binding.partner, gate - begun};
    *call = binding.entered;
    return true;
}

bool critical_find(const struct whatif *graph, const struct whatif_changes *changes,
                   struct times *times, struct critical *critical)
{
    *critical = (struct critical){
        .paths = calloc(graph->result.path_count + 1, sizeof *critical->paths)};
    if (!critical->paths)
        return false;
    uint32_t call = last_call(graph, times);
    while (call != WHATIF_NONE) {
        if (!step_back(graph, changes, times, critical, &call))
            return false;
        add_work(graph, changes, critical, call);
        call = call > graph->threads[graph->calls[call].thread].first_call ? call - 1
                                                                           : WHATIF_NONE;
    }
    return true;
}

void critical_free(struct critical *critical)
{
    free(critical->crossings);
    free(critical->paths);
}
