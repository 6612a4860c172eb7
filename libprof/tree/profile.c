/* See profile.h. */
#include "tree/profile.h"

#include <string.h>

bool profile_create_async(struct profile *profile, const struct cct *tree, struct arena *arena)
{
    const size_t cells = tree->cell_capacity, nodes = tree->node_capacity;
    *profile = (struct profile){
        .values = arena_take_async(arena, cells * sizeof *profile->values),
        .stamps = arena_take_async(arena, nodes * sizeof *profile->stamps),
        .touched = arena_take_async(arena, nodes * sizeof *profile->touched),
        .epoch = 1,
        .node_capacity = tree->node_capacity,
    };
    return profile->values && profile->stamps && profile->touched;
}

size_t profile_bytes_async(const struct cct *tree)
{
    const struct profile *profile = NULL;
    return tree->cell_count * sizeof *profile->values +
           tree->node_count * (sizeof *profile->stamps + sizeof *profile->touched);
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
            /* Counters may hold anything. */
            cells[n] = (int64_t)((uint64_t)cells[n] + (uint64_t)from->values[at->cell + n]);
    }
}

/*
 * Copying whole arrays is about as fast as this many times fewer nodes one by one, whose cells
 * lie anywhere.
 */
enum { DENSE = 4 };

void profile_copy_async(struct profile *into, const struct profile *from,
                        const struct cct *tree)
{
    if ((uint64_t)from->touched_count * DENSE < tree->node_count) {
        profile_clear_async(into);
        profile_accumulate_async(into, from, tree);
        return;
    }
    memcpy(into->values, from->values, tree->cell_count * sizeof *into->values);
    memcpy(into->stamps, from->stamps, tree->node_count * sizeof *into->stamps);
    memcpy(into->touched, from->touched, from->touched_count * sizeof *into->touched);
    into->touched_count = from->touched_count;
    into->epoch = from->epoch;
}

void profile_take_change_async(struct profile *now, struct profile *before,
                               const struct cct *tree)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < now->touched_count; i++) {
        const uint32_t node = now->touched[i];
        const struct node *at = &tree->nodes[node];
        int64_t *old = profile_cells_async(before, tree, node), *new = now->values + at->cell;
        bool differs = false;
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++) {
            const int64_t value = new[n];
            /* Counters may hold anything. */
            new[n] = (int64_t)((uint64_t)value - (uint64_t)old[n]);
            old[n] = value;
            differs = differs || new[n];
        }
        if (differs)
            now->touched[changed++] = node;
        else
            now->stamps[node] = now->epoch - 1;
    }
    now->touched_count = changed;
}

uint32_t profile_node_of_cell_async(const struct cct *tree, uint32_t first, uint32_t cell)
{
    uint32_t node = first, end = tree->node_count;
    /* Usually it is the first node, or the next. */
    for (int tries = 0; tries < 2; tries++, node++)
        if (node + 1 == end || tree->nodes[node + 1].cell > cell)
            return node;
    while (end - node > 1) {
        uint32_t middle = node + (end - node) / 2;
        if (tree->nodes[middle].cell <= cell)
            node = middle;
        else
            end = middle;
    }
    return node;
}

void profile_move_cells_async(struct profile *into, struct profile *from,
                              const struct cct *tree, const uint32_t *cells,
                              const int64_t *values, size_t count)
{
    uint32_t node = 0;
    for (size_t i = 0; i < count; i++) {
        node = profile_node_of_cell_async(tree, node, cells[i]);
        uint32_t nth = cells[i] - tree->nodes[node].cell;
        int64_t *less = &profile_cells_async(from, tree, node)[nth];
        *less = (int64_t)((uint64_t)*less - (uint64_t)values[i]);
        int64_t *more = &profile_cells_async(into, tree, node)[nth];
        *more = (int64_t)((uint64_t)*more + (uint64_t)values[i]);
    }
}

/*
 * Moves entry AT of LIST to where it belongs among those before it; returns by how many places.
 */
static uint32_t insert_async(uint32_t *list, uint32_t at)
{
    uint32_t node = list[at], to = at;
    for (; to > 0 && list[to - 1] > node; to--)
        list[to] = list[to - 1];
    list[to] = node;
    return at - to;
}

/* Lists the touched nodes up to HIGHEST anew, in ascending order. */
static void list_touched_async(struct profile *profile, uint32_t highest)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node <= highest; node++)
        if (profile->stamps[node] == profile->epoch)
            profile->touched[count++] = node;
}

void profile_sort_touched_async(struct profile *profile)
{
    /*
     * Nodes are numbered in the order of their first appearance and iterations mostly repeat
     * that order, so the list is nearly sorted: insertion sort is linear on it.  Where it is
     * not, no more is spent than it takes to look at all nodes.
     */
    uint32_t highest = 0;
    uint64_t moves = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++)
        if (profile->touched[i] > highest)
            highest = profile->touched[i];
    for (uint32_t i = 1; i < profile->touched_count && moves <= highest; i++)
        moves += insert_async(profile->touched, i);
    if (moves > highest)
        list_touched_async(profile, highest);
}
