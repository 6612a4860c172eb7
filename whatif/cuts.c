/* Where a run can be cut in two.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>

struct covering {
    const uint32_t *places;
    int32_t *changes; /* by place: how many needs begin to cross it, less those that end */
    uint32_t place;   /* of the call that needs */
};

static void cover(void *context, uint32_t call)
{
    struct covering *covering = context;
    if (covering->places[call] >= covering->place)
        return;
    covering->changes[covering->places[call]]++;
    covering->changes[covering->place]--;
}

bool graph_find_cuts(const struct whatif *graph, const struct whatif_changes *changes,
                     const uint32_t *order, const uint32_t *places, bool *is_cut)
{
    struct covering covering = {places, calloc(graph->call_count + 1, sizeof(int32_t)), 0};
    if (!covering.changes)
        return false;
    for (uint32_t i = 0; i < graph->call_count; i++) {
        const struct graph_call *call = &graph->calls[order[i]];
        covering.place = i;
        for (uint32_t j = call->first_need; j < call[1].first_need; j++)
            if (!graph->is_dropped[j])
                graph_visit_need(graph, changes, &graph->needs[j], cover, &covering);
    }
    int64_t crossing = 0;
    for (size_t i = 0; i < graph->call_count; i++) {
        crossing += covering.changes[i];
        is_cut[i] = crossing == 0;
    }
    free(covering.changes);
    return true;
}
