/* See taken_away.h. */
#include "encode/taken_away.h"

#include <string.h>

enum { CELLS_AT_ONCE = 1024 }; /* between two pauses */

/* The place in CLUSTER of the first cell from FROM on. */
static size_t find_cell_async(const struct cluster_view *cluster, uint32_t from)
{
    size_t low = 0, high = cluster->cell_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cluster->cells[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the cells of CLUSTER from FROM up to, but not including, UNTIL. */
static void add_async(struct taken_away *taken, const struct cluster_view *cluster,
                      uint32_t from, uint32_t until, struct encoder *pauses)
{
    for (size_t i = find_cell_async(cluster, from);
         i < cluster->cell_count && cluster->cells[i] < until; i++) {
        int64_t *value = &taken->values[cluster->cells[i] - from];
        *value = (int64_t)((uint64_t)*value + (uint64_t)cluster->values[i]);
        if (i % CELLS_AT_ONCE == 0)
            encoder_pause_async(pauses);
    }
    encoder_pause_async(pauses);
}

static void add_series_async(struct taken_away *taken, const struct series *series,
                             uint32_t from, uint32_t until, struct encoder *pauses)
{
    for (uint32_t i = 0; i < clustering_count(series->clustering); i++) {
        struct cluster_view cluster;
        clustering_view(series->clustering, i, &cluster);
        add_async(taken, &cluster, from, until, pauses);
    }
}

/* Finds the nodes from FIRST on whose cells there is room for. */
static void move_to_async(struct taken_away *taken, const struct cct *tree, uint32_t first)
{
    const uint32_t from = tree->nodes[first].cell;
    taken->first = first;
    taken->end = tree->cell_count - from <= PROPOSED_CELLS
                     ? tree->node_count
                     : profile_node_of_cell_async(tree, first, from + PROPOSED_CELLS);
}

const int64_t *taken_away_async(struct taken_away *taken, const struct cct *tree, uint32_t node,
                                struct encoder *pauses)
{
    if (node < taken->first || node >= taken->end) {
        move_to_async(taken, tree, node);
        const uint32_t from = tree->nodes[node].cell, until = taken->end < tree->node_count
                                                                  ? tree->nodes[taken->end].cell
                                                                  : tree->cell_count;
        memset(taken->values, 0, (until - from) * sizeof *taken->values);
        for (unsigned i = 0; i < taken->proposed->count; i++)
            add_series_async(taken, &taken->proposed->series[i], from, until, pauses);
    }
    return taken->values + (tree->nodes[node].cell - tree->nodes[taken->first].cell);
}
