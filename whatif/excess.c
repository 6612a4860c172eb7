/*
 * What calls take besides waiting and what the model says of their messages: the completion of
 * operations, copying, work of the library, time without a processor.  It is kept as it was
 * measured, as computation is (paper, section 4: measured times are used as far as possible).
 * See graph.h.
 */
#include "whatif/graph.h"

static void enter_measured(const struct whatif *graph, struct times *times)
{
    for (size_t i = 0; i < graph->operation_count; i++)
        times->meetings[i] = 0;
    for (uint32_t i = 0; i < graph->world->thread_count; i++)
        times->ports[i] = 0;
    for (uint32_t i = 0; i < graph->call_count; i++)
        simulation_enter(graph, graph->unchanged, times, i, graph->calls[i].enter_ns);
}

bool graph_find_excess(struct whatif *graph)
{
    const struct whatif_changes *unchanged = graph->unchanged;
    struct times *times = &graph->times;
    enter_measured(graph, times);
    for (uint32_t i = 0; i < graph->call_count; i++) {
        const uint64_t begun = simulation_begun(graph, unchanged, times, i),
                       gate = simulation_gate(graph, unchanged, times, i);
        const uint64_t modelled =
            (begun > gate ? begun : gate) + simulation_ending(graph, unchanged, i);
        const uint64_t measured = graph->calls[i].leave_ns;
        graph->excess[i] = measured > modelled ? measured - modelled : 0;
    }
    return true;
}
