/* See profile.h. */
#include "tree/profile.h"

#include <string.h>
#include <sys/auxv.h>

bool profile_create_async(struct profile *profile, const struct cct *tree, struct arena *arena)
{
    const size_t cells = tree->cell_capacity, nodes = tree->node_capacity;
    *profile = (struct profile){
        .values = arena_take_async(arena, cells * sizeof *profile->values),
        .stamps = arena_take_async(arena, nodes * sizeof *profile->stamps),
        .touched = arena_take_async(arena, nodes * sizeof *profile->touched),
        .since = 1,
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

/*
 * Counts epochs from 1 again, where nodes are that have been touched; after 2^32 of them the
 * oldest stamps would look new.  Stamps of zero are only
 * read, because most of their pages may not be in use.
 */
static void start_over_async(struct profile *profile)
{
    for (uint32_t node = 0; node < profile->node_capacity; node++)
        if (profile->stamps[node])
            profile->stamps[node] = profile_has_async(profile, node);
    for (uint32_t node = 0; profile->kept.stamps && node < profile->node_capacity; node++)
        if (profile->kept.stamps[node])
            profile->kept.stamps[node] = 1;
    profile->since = profile->epoch = 1;
}

size_t profile_bytes_of_async(const struct cct *tree, uint32_t nodes)
{
    return (size_t)((double)profile_bytes_async(tree) / tree->node_count * nodes);
}

void profile_clear_async(struct profile *profile)
{
    profile->touched_count = 0;
    if (profile->epoch == UINT32_MAX) {
        start_over_async(profile);
        profile->epoch = 1;
    }
    profile->since = ++profile->epoch;
}

size_t profile_kept_bytes_async(const struct cct *tree)
{
    enum { ALIGNED_EXTRA = 128 };
    const struct profile_kept *kept = NULL;
    return (size_t)tree->cell_capacity * sizeof *kept->values +
           (size_t)tree->node_capacity * sizeof *kept->stamps + ALIGNED_EXTRA;
}

bool profile_allow_freezing_async(struct profile *profile, const struct cct *tree,
                                  struct arena *arena)
{
    struct profile_kept *kept = &profile->kept;
    if (kept->values)
        return true;
    kept->stamps = arena_take_async(arena, tree->node_capacity * sizeof *kept->stamps);
    if (kept->stamps)
        kept->values = arena_take_async(arena, tree->cell_capacity * sizeof *kept->values);
    return kept->values;
}

bool profile_freeze_async(struct profile *profile)
{
    struct profile_kept *kept = &profile->kept;
    if (!kept->values)
        return false;
    /* So that epochs do not start over while it is frozen. */
    if (profile->epoch > UINT32_MAX / 2)
        start_over_async(profile);
    /* Kept stamps of 1 are of earlier times. */
    if (profile->epoch == 1)
        profile->epoch++;
    kept->since = profile->since;
    kept->epoch = profile->epoch++;
    kept->spoilt = false;
    return true;
}

void profile_release_async(struct profile *profile)
{
    profile->kept.since = profile->kept.epoch = 0;
}

static size_t page_bytes(void)
{
    return getauxval(AT_PAGESZ);
}

size_t profile_kept_granted_async(const struct profile *profile)
{
    const struct profile_kept *kept = &profile->kept;
    const size_t touched = (size_t)kept->nodes * page_bytes();
    return kept->drawn > touched ? kept->drawn - touched : 0;
}

size_t profile_kept_used_async(const struct profile *profile)
{
    return profile->kept.drawn - profile_kept_granted_async(profile);
}

/* How many pages BYTES take that begin and end in the middle of one. */
static size_t pages_of(size_t bytes)
{
    return bytes / page_bytes() + 2;
}

/*
 * Draws from the budget what is needed to keep one more node of TREE: nodes are anywhere, so
 * each may be the only one in its pages of values and of stamps.
 */
static bool draw_async(struct profile_kept *kept, const struct cct *tree)
{
    enum { PAGES_DRAWN = 16 };
    const size_t nodes = kept->nodes + (size_t)1,
                 stamps = pages_of(tree->node_count * sizeof *kept->stamps),
                 whole = (pages_of(tree->cell_count * sizeof *kept->values) + stamps) *
                         page_bytes(),
                 needed = (nodes + (nodes < stamps ? nodes : stamps)) * page_bytes();
    if (kept->drawn >= whole || kept->drawn >= needed)
        return true;
    size_t more = needed - kept->drawn + PAGES_DRAWN * page_bytes();
    more = more < whole - kept->drawn ? more : whole - kept->drawn;
    if (!budget_draw_async(more))
        return false;
    kept->drawn += more;
    return true;
}

/* Keeps what NODE was, before it changes. */
static void keep_async(struct profile *profile, const struct cct *tree, uint32_t node)
{
    struct profile_kept *kept = &profile->kept;
    const struct node *at = &tree->nodes[node];
    if (!kept->stamps[node] && !draw_async(kept, tree)) {
        kept->spoilt = true;
        return;
    }
    kept->nodes += !kept->stamps[node];
    memcpy(kept->values + at->cell, profile->values + at->cell,
           layout_table[at->layout].cells * sizeof *kept->values);
    kept->stamps[node] = kept->epoch;
}

void profile_touch_async(struct profile *profile, const struct cct *tree, uint32_t node)
{
    const struct node *at = &tree->nodes[node];
    const uint32_t stamp = profile->stamps[node];
    if (profile->kept.epoch && stamp >= profile->kept.since && stamp <= profile->kept.epoch)
        keep_async(profile, tree, node);
    if (stamp < profile->since) {
        memset(profile->values + at->cell, 0,
               layout_table[at->layout].cells * sizeof *profile->values);
        profile->touched[profile->touched_count++] = node;
    }
    profile->stamps[node] = profile->epoch;
}

void profile_accumulate_part_async(struct profile *into, const struct profile *from,
                                   const struct cct *tree, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        uint32_t node = from->touched[i];
        const struct node *at = &tree->nodes[node];
        int64_t *cells = profile_cells_async(into, tree, node);
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++)
            /* Counters may hold anything. */
            cells[n] = (int64_t)((uint64_t)cells[n] + (uint64_t)from->values[at->cell + n]);
    }
}

void profile_accumulate_async(struct profile *into, const struct profile *from,
                              const struct cct *tree)
{
    profile_accumulate_part_async(into, from, tree, 0, from->touched_count);
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

/* Adds VALUE, which cell NTH of AT has, to INTO as one of other call paths. */
static void join_async(struct profile *into, const struct cct *tree, const struct node *at,
                       unsigned nth, int64_t value)
{
    struct node_cells other = profile_node_async(into, tree, tree->other);
    int64_t *cell = &other.values[other.cell_of[profile_metric_async(at, nth)]];
    *cell = (int64_t)((uint64_t)*cell + (uint64_t)value);
}

void profile_join_cells_async(struct profile *into, struct profile *from,
                              const struct cct *tree, const uint32_t *cells,
                              const int64_t *values, size_t count)
{
    uint32_t node = 0;
    for (size_t i = 0; i < count; i++) {
        node = profile_node_of_cell_async(tree, node, cells[i]);
        const uint32_t nth = cells[i] - tree->nodes[node].cell;
        int64_t *less = &profile_cells_async(from, tree, node)[nth];
        *less = (int64_t)((uint64_t)*less - (uint64_t)values[i]);
        join_async(into, tree, &tree->nodes[node], nth, values[i]);
    }
}

void profile_join_async(struct profile *into, const struct profile *from,
                        const struct cct *tree)
{
    for (uint32_t i = 0; i < from->touched_count; i++) {
        const struct node *at = &tree->nodes[from->touched[i]];
        for (unsigned n = 0; n < layout_table[at->layout].cells; n++)
            if (from->values[at->cell + n])
                join_async(into, tree, at, n, from->values[at->cell + n]);
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

void profile_list_anew_async(struct profile *profile, const struct cct *tree)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < tree->node_count; node++)
        if (profile_has_async(profile, node))
            profile->touched[count++] = node;
    profile->touched_count = count;
}

/* Moves touched nodes to their places; false if others are better listed anew. */
static bool insert_some_async(struct profile *profile, struct profile_sorting *sorting,
                              uint32_t most)
{
    for (; most > 0 && sorting->next < profile->touched_count; sorting->next++, most--) {
        const uint32_t node = profile->touched[sorting->next];
        sorting->highest = node > sorting->highest ? node : sorting->highest;
        sorting->moves += insert_async(profile->touched, sorting->next);
        if (sorting->moves > sorting->highest)
            return false;
    }
    return true;
}

static void list_some_async(struct profile *profile, const struct cct *tree,
                            struct profile_sorting *sorting, uint32_t most)
{
    for (; most > 0 && sorting->next < tree->node_count; sorting->next++, most--)
        if (profile_has_async(profile, sorting->next))
            profile->touched[sorting->listed++] = sorting->next;
}

bool profile_sort_some_async(struct profile *profile, const struct cct *tree,
                             struct profile_sorting *sorting, uint32_t most)
{
    /*
     * Nodes are numbered in the order of their first appearance and iterations mostly repeat
     * that order, so the list is nearly sorted: insertion sort is linear on it.  Where it is
     * not, no more is spent than it takes to look at all nodes.
     */
    if (!sorting->lists && !insert_some_async(profile, sorting, most)) {
        *sorting = (struct profile_sorting){.lists = true};
        return false;
    }
    if (!sorting->lists)
        return sorting->next == profile->touched_count;
    list_some_async(profile, tree, sorting, most);
    return sorting->next == tree->node_count;
}
