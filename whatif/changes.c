/* What is changed about a run.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>
#include <string.h>

struct whatif_changes *whatif_changes(const struct whatif *graph)
{
    struct whatif_changes *changes = calloc(1, sizeof *changes);
    if (!changes)
        return NULL;
    changes->graph = graph;
    changes->factors = calloc(graph->segment_count + 1, sizeof *changes->factors);
    changes->call_factors = calloc(graph->call_count + 1, sizeof *changes->call_factors);
    changes->flags = calloc(graph->call_count + 1, sizeof *changes->flags);
    changes->bytes = calloc(graph->message_count + 1, sizeof *changes->bytes);
    if (!changes->factors || !changes->call_factors || !changes->flags || !changes->bytes) {
        whatif_changes_free(changes);
        return NULL;
    }
    for (size_t i = 0; i < graph->segment_count; i++)
        changes->factors[i] = 1;
    for (size_t i = 0; i < graph->call_count; i++)
        changes->call_factors[i] = 1;
    for (size_t i = 0; i < graph->message_count; i++)
        changes->bytes[i] = graph->messages[i].bytes;
    changes->network = graph->network;
    changes->places = graph->places;
    changes->first = UINT32_MAX;
    return changes;
}

void whatif_changes_free(struct whatif_changes *changes)
{
    if (!changes)
        return;
    free(changes->factors);
    free(changes->call_factors);
    free(changes->flags);
    free(changes->bytes);
    free(changes);
}

void whatif_changes_copy(struct whatif_changes *to, const struct whatif_changes *from)
{
    const struct whatif *graph = from->graph;
    memcpy(to->factors, from->factors, graph->segment_count * sizeof *to->factors);
    memcpy(to->call_factors, from->call_factors, graph->call_count * sizeof *to->call_factors);
    memcpy(to->flags, from->flags, graph->call_count * sizeof *to->flags);
    memcpy(to->bytes, from->bytes, graph->message_count * sizeof *to->bytes);
    to->network = from->network;
    to->is_reordered = from->is_reordered;
    to->first = from->first;
    to->last = from->last;
}

/* When CALL is entered follows as soon as the call before it is left. */
void changes_touch(struct whatif_changes *changes, uint32_t call)
{
    const struct whatif *graph = changes->graph;
    const bool is_first = call == graph->threads[graph->calls[call].thread].first_call;
    const uint32_t first = is_first ? 0 : changes->places[call - 1] + 1,
                   last = changes->places[call];
    if (first < changes->first)
        changes->first = first;
    if (last > changes->last)
        changes->last = last;
}

void changes_restore(struct whatif_changes *changes, const struct whatif_changes *from,
                     uint32_t call)
{
    const struct whatif *graph = changes->graph;
    const struct graph_call *at = &graph->calls[call];
    changes->flags[call] = from->flags[call];
    changes->call_factors[call] = from->call_factors[call];
    for (uint32_t i = at->first_segment; i < at[1].first_segment; i++)
        changes->factors[i] = from->factors[i];
    for (uint32_t i = at->first_need; i < at[1].first_need; i++)
        if (graph->needs[i].kind == NEED_START)
            changes->bytes[graph->needs[i].number] = from->bytes[graph->needs[i].number];
}

static bool is_meant(const struct graph_call *call, const bool *paths)
{
    return call->path != WHATIF_NONE && paths[call->path];
}

/* Multiplies by FACTOR the computation before CALL that is on PATHS. */
static void scale_work(struct whatif_changes *changes, uint32_t call, const bool *paths,
                       float factor)
{
    const struct whatif *graph = changes->graph;
    for (uint32_t i = graph->calls[call].first_segment;
         i < graph->calls[call + 1].first_segment; i++)
        if (graph->segments[i].path != WHATIF_NONE && paths[graph->segments[i].path]) {
            changes->factors[i] *= factor;
            changes_touch(changes, call);
        }
}

void whatif_scale(struct whatif_changes *changes, const bool *paths, double factor)
{
    const struct whatif *graph = changes->graph;
    for (uint32_t i = 0; i < graph->call_count; i++) {
        scale_work(changes, i, paths, (float)factor);
        if (!is_meant(&graph->calls[i], paths))
            continue;
        changes->call_factors[i] *= (float)factor;
        changes_touch(changes, i);
    }
}

void whatif_remove(struct whatif_changes *changes, const bool *paths)
{
    const struct whatif *graph = changes->graph;
    for (uint32_t i = 0; i < graph->call_count; i++) {
        scale_work(changes, i, paths, 0);
        if (!is_meant(&graph->calls[i], paths))
            continue;
        changes->flags[i] |= CALL_IS_REMOVED;
        changes_touch(changes, i);
    }
}

void whatif_call_never_waits(struct whatif_changes *changes, uint32_t call)
{
    changes->flags[call] |= CALL_NEVER_WAITS;
    changes_touch(changes, call);
}

size_t whatif_never_wait(struct whatif_changes *changes, const bool *paths, uint32_t thread,
                         uint64_t ordinal)
{
    const struct whatif *graph = changes->graph;
    uint64_t met = 0;
    size_t changed = 0;
    for (uint32_t i = 0; i < graph->call_count; i++) {
        if (i > 0 && graph->calls[i].thread != graph->calls[i - 1].thread)
            met = 0;
        if (!is_meant(&graph->calls[i], paths) ||
            (thread != WHATIF_NONE && graph->calls[i].thread != thread))
            continue;
        const uint64_t number = met++;
        if (ordinal != UINT64_MAX && number != ordinal)
            continue;
        whatif_call_never_waits(changes, i);
        changed++;
    }
    return changed;
}

void whatif_use_network(struct whatif_changes *changes, const struct whatif_network *network)
{
    changes->network = *network;
    changes->is_reordered = true;
    changes->first = 0;
    changes->last = (uint32_t)changes->graph->call_count;
}
