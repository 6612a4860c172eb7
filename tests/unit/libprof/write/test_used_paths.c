/* Which call paths go into the summary: those with values, and what is above them. */
#include "write/used_paths.h"

#include "write/place_threads.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct iterations iterations;
static struct thread thread = {.iterations = &iterations};
static bool used[64];

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return malloc(bytes);
}

static void release(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

static uint32_t child(uint32_t parent, uint64_t key)
{
    return cct_child_async(&thread.tree, parent, NODE_FUNCTION, key, 0, LAYOUT_FRAME,
                           METRIC_none);
}

static void find(const uint32_t *placed)
{
    memset(used, 0, sizeof used);
    used_paths_find(&thread, used);
    used_paths_spread(&thread.tree, placed, used);
}

/* A cluster with one cell, of NODE, that holds VALUE. */
static void cluster_with(uint32_t node, int64_t value)
{
    const double condensed[1] = {1};
    uint32_t cell = thread.tree.nodes[node].cell;
    struct clustering_config wanted = {.condensed_count = 1,
                                       .memory = {allocate, release, NULL}};
    struct iteration_profile profile = {
        .cells = &cell, .values = &value, .cell_count = 1, .condensed = condensed};
    iterations.series[0].clustering = clustering_create(&wanted);
    clustering_add(iterations.series[0].clustering, &profile);
    iterations.series_count = 1;
}

static void test_values_count_and_what_is_above_them(void)
{
    uint32_t a = child(CCT_ROOT, 1), b = child(a, 2), c = child(b, 3), d = child(a, 4);
    uint32_t e = child(CCT_ROOT, 5), f = child(e, 6), g = child(CCT_ROOT, 7), h = child(g, 8);
    profile_add_async(&thread.outside, &thread.tree, b, METRIC_visits, 1);
    profile_touch_async(&thread.outside, &thread.tree, c);
    profile_touch_async(&thread.closed, &thread.tree, d);
    profile_add_async(&thread.closed, &thread.tree, e, METRIC_computation, 1);
    profile_add_async(&thread.closed, &thread.tree, e, METRIC_overhead, -1);
    cluster_with(h, -1);
    find(NULL);
    OK(used[CCT_ROOT], "the root is always there");
    OK(!used[thread.tree.other], "the place for what found no memory is not");
    OK(used[a] && used[b], "a value outside iterations");
    OK(!used[c] && !used[d], "touched is not used");
    OK(used[e] && !used[f], "what adds up to nothing is more than nothing");
    OK(used[g] && used[h], "a value in a cluster");
}

static void test_what_has_another_place_needs_nothing_above_it(void)
{
    uint32_t placed[64];
    uint32_t start = child(CCT_ROOT, 20), region = child(start, 21), below = child(region, 22);
    for (int i = 0; i < 64; i++)
        placed[i] = PLACEMENT_NONE;
    placed[region] = 3;
    profile_add_async(&thread.outside, &thread.tree, below, METRIC_visits, 1);
    find(placed);
    OK(used[below] && used[region], "the region is used");
    OK(!used[start], "but not where its thread began");
}

int main(void)
{
    layouts_start();
    NEED(arena_create_async(&thread.arena, 1 << 20) == 0);
    NEED(cct_create(&thread.tree, &thread.arena, 64));
    NEED(profile_create_async(&thread.outside, &thread.tree, &thread.arena));
    NEED(profile_create_async(&thread.closed, &thread.tree, &thread.arena));
    test_values_count_and_what_is_above_them();
    test_what_has_another_place_needs_nothing_above_it();
    clustering_destroy(iterations.series[0].clustering);
    arena_destroy_async(&thread.arena);
    return tap_done();
}
