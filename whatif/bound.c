/* Lower bounds from sums (paper, section 4, function F3).  See whatif.h. */
#include "whatif/graph.h"

static void add_call(struct whatif *graph, uint32_t call, struct whatif_breakdown *to)
{
    const struct whatif_changes *unchanged = graph->unchanged;
    const struct graph_call *at = &graph->calls[call];
    struct times *times = &graph->times;
    const uint64_t begun = simulation_begun(graph, unchanged, times, call),
                   gate = simulation_gate(graph, unchanged, times, call);
    const uint64_t took = times->leaves[call] - times->enters[call];
    const uint64_t waited = gate > begun ? gate - begun : 0;
    to->wait_ns += waited < took ? waited : took;
    to->transfer_ns += waited < took ? took - waited : 0;
    for (uint32_t i = at->first_need; i < at[1].first_need; i++)
        if (graph->needs[i].kind == NEED_START)
            to->bytes += graph->messages[graph->needs[i].number].bytes;
}

void whatif_break_down(struct whatif *graph, const bool *paths,
                       struct whatif_breakdown *breakdowns)
{
    for (uint32_t i = 0; i < graph->world->thread_count; i++)
        breakdowns[i] = (struct whatif_breakdown){0};
    for (uint32_t i = 0; i < graph->call_count; i++) {
        const struct graph_call *call = &graph->calls[i];
        struct whatif_breakdown *to = &breakdowns[call->thread];
        for (uint32_t j = call->first_segment; j < call[1].first_segment; j++)
            if (graph->segments[j].path != WHATIF_NONE && paths[graph->segments[j].path])
                to->computation_ns += graph->segments[j].ns;
        if (!is_end(call) && paths[call->path])
            add_call(graph, i, to);
    }
}

static bool takes_part(const struct whatif_breakdown *one)
{
    return one->computation_ns + one->transfer_ns + one->wait_ns > 0;
}

uint64_t whatif_bound(const struct whatif_breakdown *breakdowns, size_t count,
                      struct whatif_bound bound)
{
    double computation = 0, bytes = 0, longest = 0;
    size_t there = 0;
    for (size_t i = 0; i < count; i++) {
        computation += (double)breakdowns[i].computation_ns;
        bytes += (double)breakdowns[i].bytes;
        there += takes_part(&breakdowns[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct whatif_breakdown *one = &breakdowns[i];
        if (!takes_part(one))
            continue;
        double ns = bound.balance ? computation / (double)there : (double)one->computation_ns;
        const bool scales = bound.balance_bytes && one->bytes > 0;
        ns += (double)one->transfer_ns *
              (scales ? bytes / (double)there / (double)one->bytes : 1);
        ns += bound.no_wait ? 0 : (double)one->wait_ns;
        longest = ns > longest ? ns : longest;
    }
    return (uint64_t)(longest + 0.5);
}
