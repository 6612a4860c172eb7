/* The call tree of a CUBE file.  See cubex_tree.h. */
#include "cubex/cubex_tree.h"

#include "query/query.h"

#include <stdlib.h>
#include <string.h>

/* A tree being made. */
struct making {
    struct cubex_tree *tree;
    const struct selection *selection;
    const struct cubex_series *series;
    const bool *counted;
    uint32_t *first_child, *sibling; /* by path */
    uint32_t *marks;                 /* by path: of the last block that it was marked for */
    uint32_t mark;
    uint32_t *node_of; /* by path: where it is in the block that is being added */
    int64_t *sums;     /* [path * metrics + metric]: a location's base */
    size_t room;
};

/* Marks PATH and those above it. */
static void mark_up(struct making *making, uint32_t path)
{
    const struct call_path *paths = making->tree->paths->paths;
    for (; path != SUMMARY_NONE && making->marks[path] != making->mark;
         path = paths[path].parent)
        making->marks[path] = making->mark;
}

static bool is_marked(const struct making *making, uint32_t path)
{
    return making->marks[path] == making->mark;
}

static void mark_profile(void *context, const struct profile *profile, int64_t times,
                         uint64_t of)
{
    struct making *making = context;
    (void)times;
    (void)of;
    for (size_t i = 0; i < profile->count; i++)
        if (making->counted[profile->cells[i].metric])
            mark_up(making, making->tree->paths->of_node[profile->cells[i].node]);
}

/* Calls VISIT for every part of BLOCK on every location of the selection. */
static void visit_locations(const struct making *making, uint32_t block, cubex_visit *visit,
                            void *context)
{
    for (size_t r = 0; r < making->selection->rank_count; r++)
        for (size_t t = 0; t < making->selection->ranks[r].count; t++)
            cubex_series_visit(making->series, block,
                               (uint32_t)(making->selection->ranks[r].first + t), visit,
                               context);
}

/* Marks the call paths of COUNT blocks from FIRST on, and no others. */
static void mark_blocks(struct making *making, uint32_t first, uint32_t count)
{
    making->mark++;
    for (uint32_t b = 0; b < count; b++)
        visit_locations(making, first + b, mark_profile, making);
}

/* Adds to the sums what is whole, and marks at once what is not. */
static void add_to_base(void *context, const struct profile *profile, int64_t times,
                        uint64_t of)
{
    struct making *making = context;
    const struct path_tree *paths = making->tree->paths;
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        uint32_t path = paths->of_node[cell->node];
        int64_t share;
        if (!making->counted[cell->metric])
            continue;
        if (cubex_share(cell->value, times, of, &share)) {
            int64_t *sum = &making->sums[path * paths->summary->metric_count + cell->metric];
            *sum = add_stored(*sum, share);
        } else {
            mark_up(making, path);
        }
    }
}

/* Marks the paths of PROFILE that have a sum, and makes the sums zero again. */
static void mark_sums(struct making *making, const struct profile *profile)
{
    const struct path_tree *paths = making->tree->paths;
    for (size_t i = 0; i < profile->count; i++) {
        uint32_t path = paths->of_node[profile->cells[i].node];
        int64_t *sum =
            &making->sums[path * paths->summary->metric_count + profile->cells[i].metric];
        if (*sum)
            mark_up(making, path);
        *sum = 0;
    }
}

static void mark_each_sum(void *context, const struct profile *profile, int64_t times,
                          uint64_t of)
{
    (void)times;
    (void)of;
    mark_sums(context, profile);
}

/* Marks what the base has: usually nothing of the phase, which then is not in the tree. */
static void mark_base(struct making *making)
{
    making->mark++;
    for (size_t r = 0; r < making->selection->rank_count; r++)
        for (size_t t = 0; t < making->selection->ranks[r].count; t++) {
            uint32_t location = (uint32_t)(making->selection->ranks[r].first + t);
            cubex_series_visit(making->series, CUBEX_BASE, location, add_to_base, making);
            cubex_series_visit(making->series, CUBEX_BASE, location, mark_each_sum, making);
        }
    mark_up(making, 0);
}

/* The deepest path such that all marked ones are on it or below it. */
static uint32_t common_path(const struct making *making, const bool *own)
{
    uint32_t path = 0;
    for (;;) {
        uint32_t only = SUMMARY_NONE;
        if (own[path])
            return path;
        for (uint32_t c = making->first_child[path]; c != SUMMARY_NONE; c = making->sibling[c])
            if (is_marked(making, c)) {
                if (only != SUMMARY_NONE)
                    return path;
                only = c;
            }
        if (only == SUMMARY_NONE)
            return path;
        path = only;
    }
}

struct owners {
    struct making *making;
    bool *own;
};

/* Notes the paths of blocks: those of the profiles that are subtracted from the base. */
static void note_own(void *context, const struct profile *profile, int64_t times, uint64_t of)
{
    struct owners *owners = context;
    const struct path_tree *paths = owners->making->tree->paths;
    (void)of;
    for (size_t i = 0; i < profile->count && times < 0; i++)
        if (owners->making->counted[profile->cells[i].metric]) {
            uint32_t path = paths->of_node[profile->cells[i].node];
            owners->own[path] = true;
            mark_up(owners->making, path);
        }
}

static bool is_phase(const struct making *making, uint32_t path)
{
    const struct summary *summary = making->selection->summary;
    uint32_t phase = cubex_series_phase(making->series);
    uint32_t region = summary->nodes[making->tree->paths->paths[path].node].region;
    return region == summary->phases[phase].region;
}

/*
 * Blocks stand for the phase's node if all that they hold is there or below, and otherwise for
 * the closest path that has it all.
 */
static void find_top(struct making *making)
{
    struct owners owners = {making, allocate(making->tree->paths->count, sizeof(bool))};
    making->mark++;
    visit_locations(making, CUBEX_BASE, note_own, &owners);
    making->tree->top = common_path(making, owners.own);
    uint32_t path = making->tree->top;
    while (path != 0 && !is_phase(making, path))
        path = making->tree->paths->paths[path].parent;
    making->tree->gathers = path == 0;
    making->tree->top = path ? path : making->tree->top;
    free(owners.own);
}

static uint32_t add_node(struct making *making, uint32_t parent, uint32_t path, uint32_t block)
{
    struct cubex_tree *tree = making->tree;
    if (tree->count == making->room && tree->count < CUBEX_MOST_NODES) {
        making->room = making->room ? 2 * making->room : 256;
        tree->nodes = reallocate(tree->nodes, making->room, sizeof *tree->nodes);
    }
    if (tree->count < making->room)
        tree->nodes[tree->count] = (struct cubex_node){parent, path, block};
    return (uint32_t)tree->count++;
}

static bool is_full(const struct making *making)
{
    return making->tree->count > CUBEX_MOST_NODES;
}

/* The path that follows PATH in a walk through TOP and what is below it, or without what is
 * below PATH; SUMMARY_NONE at the end. */
static uint32_t next_path(const struct making *making, uint32_t path, uint32_t top, bool below)
{
    if (below && making->first_child[path] != SUMMARY_NONE)
        return making->first_child[path];
    while (path != top && making->sibling[path] == SUMMARY_NONE)
        path = making->tree->paths->paths[path].parent;
    return path == top ? SUMMARY_NONE : making->sibling[path];
}

/* Adds the marked paths at and below TOP as the child of PARENT. */
static void add_subtree(struct making *making, uint32_t top, uint32_t parent, uint32_t block)
{
    const struct call_path *paths = making->tree->paths->paths;
    bool below;
    for (uint32_t p = top; p != SUMMARY_NONE && !is_full(making);
         p = next_path(making, p, top, below)) {
        below = p == top || is_marked(making, p);
        if (below)
            making->node_of[p] = add_node(
                making, p == top ? parent : making->node_of[paths[p].parent], p, block);
    }
}

static void add_blocks(struct making *making, uint32_t parent)
{
    struct cubex_tree *tree = making->tree;
    uint32_t base_mark = making->mark, *base_marks = making->marks;
    uint32_t count = cubex_series_blocks(making->series);
    bool alike = cubex_series_how(making->series) == CUBEX_CLUSTERS;
    making->marks = allocate(tree->paths->count, sizeof *making->marks);
    tree->holder = add_node(making, parent, SUMMARY_NONE, CUBEX_BASE);
    if (alike)
        mark_blocks(making, 0, count);
    for (uint32_t b = 0; b < count && !is_full(making); b++) {
        if (!alike)
            mark_blocks(making, b, 1);
        tree->block_nodes[b] = (uint32_t)tree->count;
        add_subtree(making, making->tree->top, tree->holder, b);
    }
    free(making->marks);
    making->marks = base_marks;
    making->mark = base_mark;
}

/*
 * Adds the paths of the base, and the blocks: in the place of the phase's node, or as the first
 * child of the path that they gather from.
 */
static void add_base(struct making *making)
{
    const struct cubex_tree *tree = making->tree;
    const struct call_path *paths = tree->paths->paths;
    uint32_t *base_node = allocate(tree->paths->count, sizeof *base_node);
    bool below;
    for (uint32_t p = 0; p != SUMMARY_NONE && !is_full(making);
         p = next_path(making, p, 0, below)) {
        uint32_t parent = p ? base_node[paths[p].parent] : SUMMARY_NONE;
        if (p == making->tree->top && !tree->gathers)
            add_blocks(making, parent);
        below = is_marked(making, p);
        if (below)
            base_node[p] = add_node(making, parent, p, CUBEX_BASE);
        if (p == making->tree->top && tree->gathers)
            add_blocks(making, base_node[p]);
    }
    free(base_node);
}

static void link_paths(struct making *making)
{
    const struct path_tree *paths = making->tree->paths;
    memset(making->first_child, 0xff, paths->count * sizeof(uint32_t));
    memset(making->sibling, 0xff, paths->count * sizeof(uint32_t));
    for (uint32_t p = (uint32_t)paths->count; p-- > 1;) {
        uint32_t *list = &making->first_child[paths->paths[p].parent];
        making->sibling[p] = *list;
        *list = p;
    }
}

/* The base must contain the path to which blocks are added. */
static void mark_place(struct making *making)
{
    uint32_t top = making->tree->top;
    if (top != SUMMARY_NONE)
        mark_up(making, making->tree->gathers ? top : making->tree->paths->paths[top].parent);
}

static void make(struct making *making)
{
    struct path_tree *paths = making->tree->paths;
    making->first_child = allocate(paths->count, sizeof(uint32_t));
    making->sibling = allocate(paths->count, sizeof(uint32_t));
    making->marks = allocate(paths->count, sizeof(uint32_t));
    making->node_of = allocate(paths->count, sizeof(uint32_t));
    making->sums = allocate(paths->count * paths->summary->metric_count, sizeof(int64_t));
    link_paths(making);
    if (cubex_series_blocks(making->series))
        find_top(making);
    mark_base(making);
    mark_place(making);
    add_base(making);
    free(making->first_child);
    free(making->sibling);
    free(making->marks);
    free(making->node_of);
    free(making->sums);
}

bool cubex_tree_make(struct cubex_tree *tree, const struct selection *selection,
                     const struct cubex_series *series, const bool *counted,
                     struct error *error)
{
    struct making making = {
        .tree = tree, .selection = selection, .series = series, .counted = counted};
    *tree = (struct cubex_tree){.paths = path_tree_build_by_line(selection->summary),
                                .holder = SUMMARY_NONE,
                                .top = SUMMARY_NONE};
    tree->block_nodes = allocate(cubex_series_blocks(series), sizeof *tree->block_nodes);
    make(&making);
    if (!is_full(&making))
        return true;
    cubex_tree_free(tree);
    return error_set(error,
                     "%s: a CUBE file would have more than %zu call-tree nodes; choose fewer "
                     "iterations with --iteration, or add them up with --iterations sum",
                     selection->summary->path, CUBEX_MOST_NODES);
}

void cubex_tree_free(struct cubex_tree *tree)
{
    path_tree_free(tree->paths);
    free(tree->nodes);
    free(tree->block_nodes);
    *tree = (struct cubex_tree){0};
}
