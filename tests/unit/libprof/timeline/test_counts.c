/*
 * Counters without the library that counts: what has passed is divided among levels and call
 * paths without a remainder, and has cells in every layout and profile.
 */
#include "counters/papi.h"
#include "iterations/instance.h"
#include "timeline/level.h"
#include "timeline/timeline.h"

#include "tap.h"

enum { COUNTERS = 3 };

static struct arena arena;
static struct thread thread;
static struct counts counts;
static struct walker walkers[2];

/* A thread at time 0 in the program, with an inner level open. */
static void start(void)
{
    arena_destroy_async(&arena);
    thread = (struct thread){.counts = &counts, .counting = true};
    counts = (struct counts){.set = PAPI_NO_SET};
    NEED(arena_create_async(&arena, 1 << 20) == 0);
    NEED(cct_create(&thread.tree, &arena, 100));
    NEED(profile_create_async(&thread.outside, &thread.tree, &arena));
    for (int i = 0; i < 2; i++)
        thread.levels[i] = (struct level){.walker = &walkers[i], .profile = &thread.outside};
    thread.level = &thread.levels[1];
}

static int64_t pending(int level, int counter)
{
    return counts.pending[level][counter];
}

/* The value of a counter of NODE. */
static int64_t value(uint32_t node, int counter)
{
    const struct node *at = &thread.tree.nodes[node];
    return profile_cells_async(&thread.outside, &thread.tree,
                               node)[layout_table[at->layout].cell_of[METRIC_COUNT + counter]];
}

static uint32_t child(uint64_t key, enum layout layout)
{
    return cct_child_async(&thread.tree, CCT_ROOT,
                           layout == LAYOUT_FRAME ? NODE_FUNCTION : NODE_MPI, key, 0, layout,
                           METRIC_mpi_other);
}

/* As after a reading at UNTIL_NS. */
static void pass(int64_t a, int64_t b, int64_t c, int64_t until_ns)
{
    const int64_t passed[COUNTERS] = {a, b, c};
    for (int i = 0; i < COUNTERS; i++)
        counts.passed[i] = passed[i];
    counts.until_ns = until_ns;
}

static void come_to(int64_t ns)
{
    counts_advance_async(&thread, ns);
    thread.last_ns = ns;
}

static void test_time_divides(void)
{
    start();
    pass(1000, -7, INT64_MAX, 100);
    come_to(10);
    EQ_INT(pending(1, 0), 100, "a tenth of the time has a tenth of the events");
    EQ_INT(pending(1, 1), 0, "of seven none");
    EQ_INT(pending(1, 2), INT64_MAX / 10, "and of very many");
    thread.level--;
    come_to(10);
    EQ_INT(pending(0, 0), 0, "no time has none");
    come_to(100);
    EQ_INT(pending(0, 0), 900, "the rest has the rest");
    EQ_INT(pending(0, 1), -7, "whether it goes up or down");
    EQ_INT(pending(0, 2), INT64_MAX - INT64_MAX / 10, "to the last event");
    EQ_INT(counts.passed[0] | counts.passed[1] | counts.passed[2], 0, "nothing is left");
    EQ_INT(counts.counted[0], 1000, "and the sum is known");
    come_to(200);
    EQ_INT(pending(0, 0), 900, "nothing more has passed");
}

static void test_no_part_is_lost(void)
{
    uint64_t random = 1;
    bool exact = true;
    for (int round = 0; round < 2000; round++) {
        start();
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        pass((int64_t)random, (int64_t)(random >> 50), -(int64_t)(random >> 30), 1000);
        int64_t wanted[COUNTERS], sum[COUNTERS] = {0};
        for (int i = 0; i < COUNTERS; i++)
            wanted[i] = counts.passed[i];
        for (int64_t ns = (int64_t)(random >> 57); ns < 1000; ns += 1 + (int64_t)(random >> 56))
            come_to(ns);
        come_to(1000);
        for (int i = 0; i < COUNTERS; i++) {
            sum[i] = pending(1, i);
            exact = exact && sum[i] == wanted[i] && counts.passed[i] == 0;
        }
    }
    OK(exact, "2000 times");
}

static void test_time_that_stood_still(void)
{
    start();
    thread.last_ns = 50;
    pass(5, 6, 7, 50);
    come_to(50);
    EQ_INT(pending(1, 0), 5, "what passed in no time is not lost");
    pass(5, 6, 7, 40);
    come_to(60);
    EQ_INT(pending(1, 0), 10, "nor what was read before the line's end");
}

static void test_call_paths_have_them(void)
{
    start();
    uint32_t function = child(1, LAYOUT_FRAME), mpi = child(2, LAYOUT_SEND);
    pass(10, 20, 30, 100);
    come_to(100);
    counts_attribute_async(&thread, thread.level, function);
    EQ_INT(value(function, 2), 30, "a function has what was pending");
    EQ_INT(pending(1, 2), 0, "which is so no more");
    pass(1, 2, 3, 200);
    counts_give_async(&thread, mpi, 150);
    thread.last_ns = 150;
    EQ_INT(value(mpi, 1), 1, "a call has its part");
    counts_give_async(&thread, mpi, 200);
    EQ_INT(value(mpi, 0), 1, "and at its end");
    EQ_INT(value(mpi, 1), 2, "all");
    EQ_INT(value(mpi, 2), 3, "of it");
    EQ_INT(pending(1, 0) | pending(1, 1) | pending(1, 2), 0, "nothing is pending of it");
    EQ_INT(value(thread.tree.other, 0), 0, "other paths can have them, too");
}

static void test_levels_are_absorbed(void)
{
    start();
    pass(1, 2, 3, 100);
    come_to(100);
    instance_absorb_async(&thread);
    EQ_INT(pending(0, 2), 3, "the outer level has what was pending on the inner one");
    EQ_INT(pending(1, 2), 0, "which has nothing");
    level_attribute_async(&thread, thread.level, CCT_ROOT);
    EQ_INT(value(CCT_ROOT, 2), 3, "and gives it to its path with its time");
}

static void test_layouts(void)
{
    bool last = true;
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        const struct layout_info *layout = &layout_table[l];
        last = last && layout->cells == layout->counters + COUNTERS;
        for (int i = 0; i < COUNTERS; i++)
            last = last && layout->cell_of[METRIC_COUNT + i] == layout->counters + i &&
                   layout->metric_of[layout->counters + i] == METRIC_COUNT + i;
    }
    OK(last, "every layout ends with the counters");
    OK(layout_table[LAYOUT_EVERYTHING].cells <= LAYOUT_MOST_CELLS, "the largest one, too");
    OK((int)METRIC_MOST < (int)NO_CELL, "numbers of metrics fit");
    start();
    for (uint64_t i = 0; i < 200; i++)
        child(10 + i, LAYOUT_SENDRECV);
    OK(thread.tree.cell_count <= thread.tree.cell_capacity, "trees have room for them");
}

int main(void)
{
    counters_count = COUNTERS;
    layouts_start_with(COUNTERS);
    test_time_divides();
    test_no_part_is_lost();
    test_time_that_stood_still();
    test_call_paths_have_them();
    test_levels_are_absorbed();
    test_layouts();
    arena_destroy_async(&arena);
    return tap_done();
}
