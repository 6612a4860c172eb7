/*
 * Needs that the measured times deny: a call was left before one that it would have to wait for
 * was entered.  That is so where clocks disagree, and in a run that was predicted with waits
 * taken out, where it is meant.  See graph.h.
 */
#include "whatif/graph.h"

#include <string.h>

/* What clocks of one host may be apart. */
enum { DENIED_NS = 1000 };

struct checking {
    const struct whatif *graph;
    uint64_t leave_ns;
    bool is_denied;
};

static void check(void *context, uint32_t call)
{
    struct checking *checking = context;
    checking->is_denied |=
        checking->graph->calls[call].enter_ns > checking->leave_ns + DENIED_NS;
}

void graph_drop_denied(struct whatif *graph)
{
    memset(graph->is_dropped, 0, graph->need_count * sizeof *graph->is_dropped);
    graph->facts.contradictions = 0;
    for (uint32_t i = 0; i < graph->call_count; i++)
        for (uint32_t j = graph->calls[i].first_need; j < graph->calls[i + 1].first_need; j++) {
            struct checking checking = {graph, graph->calls[i].leave_ns, false};
            graph_visit_need(graph, graph->unchanged, &graph->needs[j], check, &checking);
            graph->is_dropped[j] = checking.is_denied;
            graph->facts.contradictions += checking.is_denied;
        }
}
