/* See profile.h. */
#include "profile.h"

#include <string.h>

bool profile_create(struct profile *profile, const struct cct *tree, struct arena *arena)
{
    profile->values = arena_take_async(arena, tree->cell_capacity * sizeof *profile->values);
    profile->stamps = arena_take_async(arena, tree->node_capacity * sizeof *profile->stamps);
    profile->touched = arena_take_async(arena, tree->node_capacity * sizeof *profile->touched);
    profile->epoch = 1;
    profile->node_capacity = tree->node_capacity;
    return profile->values && profile->stamps && profile->touched;
}

void profile_clear_async(struct profile *profile)
{
    profile->touched_count = 0;
    if (++profile->epoch != 0)
        return;
    /* After 2^32 epochs the oldest stamps would look new. */
    memset(profile->stamps, 0, profile->node_capacity * sizeof *profile->stamps);
    profile->epoch = 1;
}

void profile_touch_async(struct profile *profile, const struct cct *tree, uint32_t node)
{
    const struct node *at = &tree->nodes[node];
    memset(profile->values + at->cell, 0,
           layout_table[at->layout].cells * sizeof *profile->values);
    profile->stamps[node] = profile->epoch;
    profile->touched[profile->touched_count++] = node;
}

void profile_accumulate_async(struct profile *into, const struct profile *from,
                              const struct cct *tree)
{
    for (uint32_t i = 0; i < from->touched_count; i++) {
        uint32_t node = from->touched[i];
        const struct node *at = &tree->nodes[node];
        int64_t *cells = profile_cells_async(into, tree, node);
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++)
            cells[n] += from->values[at->cell + n];
    }
}

void profile_sort_touched_async(struct profile *profile)
{
    /*
     * Nodes are numbered in the order of their first appearance and iterations mostly repeat
     * that order, so the list is nearly sorted: insertion sort is linear on it.
     */
    uint32_t *list = profile->touched;
    for (uint32_t i = 1; i < profile->touched_count; i++) {
        uint32_t node = list[i], at = i;
        for (; at > 0 && list[at - 1] > node; at--)
            list[at] = list[at - 1];
        list[at] = node;
    }
}
