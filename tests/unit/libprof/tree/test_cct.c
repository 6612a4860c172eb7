/* The call tree: what makes a node, and what happens when there is no room for one. */
#include "tree/cct.h"

#include "tap.h"

#include <string.h>

static struct arena arena;

static uint32_t function(struct cct *tree, uint32_t parent, uint64_t key, uint64_t site)
{
    return cct_child_async(tree, parent, NODE_FUNCTION, key, site, LAYOUT_FRAME, METRIC_none);
}

static void start(struct cct *tree, uint32_t nodes)
{
    /* Whatever is in its place. */
    memset(tree, 0xff, sizeof *tree);
    arena_destroy_async(&arena);
    NEED(arena_create_async(&arena, 1 << 24) == 0);
    NEED(cct_create(tree, &arena, nodes));
}

static void test_what_makes_a_node(void)
{
    struct cct tree;
    start(&tree, 100);
    uint32_t a = function(&tree, CCT_ROOT, 1000, 1);
    EQ_INT(function(&tree, CCT_ROOT, 1000, 1), a, "the same call path is the same node");
    OK(function(&tree, CCT_ROOT, 1000, 2) != a, "another call site is another");
    OK(function(&tree, CCT_ROOT, 1001, 1) != a, "another function is another");
    OK(function(&tree, a, 1000, 1) != a, "another caller is another");
    OK(cct_child_async(&tree, CCT_ROOT, NODE_PHASE, 1000, 1, LAYOUT_FRAME, METRIC_none) != a,
       "another kind is another");
    EQ_INT(tree.nodes[a].key, 1000, "it knows its function");
    EQ_INT(tree.nodes[a].site, 1, "and its call site");
    EQ_INT(tree.nodes[a].parent, CCT_ROOT, "and its parent");
}

static void test_parents_and_cells_come_in_order(void)
{
    struct cct tree;
    bool parents = true, cells = true;
    uint32_t at = CCT_ROOT;
    start(&tree, 5000);
    for (uint64_t i = 0; i < 3000; i++)
        at = i % 7 == 0 ? function(&tree, (uint32_t)(i / 2), i, i) : function(&tree, at, i, i);
    for (uint32_t i = 2; i < tree.node_count; i++) {
        const struct node *before = &tree.nodes[i - 1];
        parents = parents && tree.nodes[i].parent < i;
        cells =
            cells && tree.nodes[i].cell == before->cell + layout_table[before->layout].cells;
    }
    OK(parents, "a parent's number is smaller than its children's");
    OK(cells, "cells follow each other");
    OK(!tree.full, "there was room for all");
}

static void test_a_small_tree_takes_little_of_much_room(void)
{
    struct cct tree;
    bool same = true;
    start(&tree, 50000);
    for (uint64_t i = 0; i < 1000; i++)
        function(&tree, (uint32_t)(i < 6 ? 0 : i / 3), i, i);
    OK(tree.bucket_count <= 4 * tree.node_count, "the table is as large as the tree: %u for %u",
       tree.bucket_count, tree.node_count);
    for (uint64_t i = 0; i < 1000; i++)
        same = same && function(&tree, (uint32_t)(i < 6 ? 0 : i / 3), i, i) == i + 2;
    OK(same, "all nodes are found in the table, which has grown");
    for (uint64_t i = 0; i < tree.bucket_capacity; i++)
        function(&tree, CCT_ROOT, i, 1);
    OK(tree.full && tree.bucket_count <= tree.bucket_capacity, "it ends where its room ends");
}

static void test_a_full_tree_has_a_node_for_other_paths(void)
{
    struct cct tree;
    uint32_t last = CCT_ROOT, at = CCT_ROOT;
    start(&tree, 64);
    for (uint64_t i = 0; i < 200; i++) {
        at = function(&tree, at, i, i);
        last = at == tree.other ? last : at;
    }
    EQ_INT(at, tree.other, "what finds no room is an other path");
    OK(tree.full, "and the tree says so");
    OK(tree.node_count <= tree.node_capacity && tree.cell_count <= tree.cell_capacity,
       "no limit is passed");
    EQ_INT(
        function(&tree, tree.nodes[last].parent, tree.nodes[last].key, tree.nodes[last].site),
        last, "what is there is still found");
    EQ_INT(function(&tree, tree.other, 1, 1), tree.other, "below other paths are other paths");
    EQ_INT(cct_child_async(&tree, CCT_ROOT, NODE_MPI, 5, 5, LAYOUT_SENDRECV, METRIC_mpi_other),
           tree.other, "MPI functions too");
}

/* How many nodes of LAYOUT a budget of BYTES has room for, with their parents. */
static uint32_t nodes_within(size_t bytes, enum layout layout)
{
    struct cct tree;
    budget_set(bytes, 0);
    start(&tree, 4000);
    for (uint64_t i = 0; !tree.full; i++)
        cct_child_async(&tree, CCT_ROOT, NODE_MPI, i, i, layout, METRIC_mpi_other);
    budget_set(SIZE_MAX, SIZE_MAX);
    return tree.node_count;
}

static void test_nodes_with_many_cells_take_more_of_the_budget(void)
{
    uint32_t few = nodes_within(1 << 18, LAYOUT_NOTHING),
             many = nodes_within(1 << 18, LAYOUT_COMPLETION);
    OK(few * cct_bytes_per_node_async() <= 1 << 18 && few > 500, "%u with few cells fit", few);
    OK(many * layout_table[LAYOUT_COMPLETION].cells < few * 5 && many > 100,
       "%u with many cells, which are no more in all", many);
}

static void test_layouts_hold_their_metrics(void)
{
    const struct layout_info *all = &layout_table[LAYOUT_EVERYTHING];
    bool complete = true, inverse = true, measured = true, visits = true;
    for (int m = 0; m < METRIC_COUNT; m++)
        complete = complete && (all->cell_of[m] != NO_CELL) == metric_table[m].measured;
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        visits = visits && layout_table[l].cell_of[METRIC_visits] != NO_CELL;
        for (unsigned n = 0; n < layout_table[l].cells; n++) {
            unsigned metric = layout_table[l].metric_of[n];
            inverse =
                inverse && (metric == METRIC_time || layout_table[l].cell_of[metric] == n);
            measured = measured && (metric == METRIC_time ? n == MPI_TIME_CELL
                                                          : metric_table[metric].measured);
        }
    }
    OK(complete, "other paths can have every measured metric and no derived one");
    OK(all->cells <= LAYOUT_MOST_CELLS, "which fit");
    OK(inverse, "cells and metrics find each other, so no layout has a metric twice");
    OK(measured, "and no row has a derived metric");
    OK(visits, "every layout has visits");
    EQ_INT(layout_table[LAYOUT_SEND].metric_of[1], METRIC_time, "MPI times are second");
}

int main(void)
{
    layouts_start();
    test_what_makes_a_node();
    test_parents_and_cells_come_in_order();
    test_a_small_tree_takes_little_of_much_room();
    test_a_full_tree_has_a_node_for_other_paths();
    test_nodes_with_many_cells_take_more_of_the_budget();
    test_layouts_hold_their_metrics();
    arena_destroy_async(&arena);
    return tap_done();
}
