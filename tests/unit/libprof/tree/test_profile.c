/* Profiles over a call tree: adding, forgetting, accumulating, sorting. */
#include "tree/profile.h"

#include "tap.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct arena arena;
static struct cct tree;
static struct profile profile;

static uint32_t child(uint32_t parent, uint64_t key)
{
    return cct_child_async(&tree, parent, NODE_FUNCTION, key, 0, LAYOUT_FRAME, METRIC_none);
}

static int64_t value_of(struct profile *of, uint32_t node, enum metric metric)
{
    return profile_cells_async(of, &tree,
                               node)[layout_table[tree.nodes[node].layout].cell_of[metric]];
}

static void start(void)
{
    NEED(arena_create_async(&arena, 1 << 20) == 0);
    NEED(cct_create(&tree, &arena, 500));
    NEED(profile_create_async(&profile, &tree, &arena));
}

static void test_a_new_profile_is_empty_whatever_was_in_its_place(void)
{
    struct profile new;
    memset(&new, 0xff, sizeof new);
    NEED(profile_create_async(&new, &tree, &arena));
    EQ_INT(new.touched_count, 0, "no node was touched");
    EQ_INT(value_of(&new, child(CCT_ROOT, 1), METRIC_visits), 0, "a node's numbers are zero");
    EQ_INT(new.touched_count, 1, "it is the first that was touched");
}

static void test_numbers_add_up(void)
{
    uint32_t node = child(CCT_ROOT, 1);
    profile_add_async(&profile, &tree, node, METRIC_visits, 2);
    profile_add_async(&profile, &tree, node, METRIC_visits, 3);
    profile_add_async(&profile, &tree, node, METRIC_computation, INT64_C(1) << 40);
    EQ_INT(value_of(&profile, node, METRIC_visits), 5, "two and three");
    EQ_INT(value_of(&profile, node, METRIC_computation), INT64_C(1) << 40, "large ones");
    EQ_INT(value_of(&profile, node, METRIC_samples), 0, "the rest is zero");
    EQ_INT(profile.touched_count, 1, "one node was touched");
}

static void test_times_of_mpi_functions_have_a_cell_of_their_own(void)
{
    uint32_t node =
        cct_child_async(&tree, CCT_ROOT, NODE_MPI, 7, 0, LAYOUT_SEND, METRIC_mpi_point2point);
    profile_add_call_async(&profile, &tree, node, METRIC_mpi_point2point, 100, 1);
    profile_add_call_async(&profile, &tree, tree.other, METRIC_mpi_point2point, 50, 1);
    EQ_INT(profile_cells_async(&profile, &tree, node)[1], 100, "the second cell");
    EQ_INT(profile_metric_async(&tree.nodes[node], 1), METRIC_mpi_point2point,
           "is the metric of the function");
    EQ_INT(value_of(&profile, tree.other, METRIC_mpi_point2point), 50,
           "other paths keep the metric itself");
    EQ_INT(value_of(&profile, node, METRIC_visits), 1, "it was visited");
    EQ_INT(value_of(&profile, tree.other, METRIC_visits), 1, "so were other paths");
    profile_add_call_async(&profile, &tree, node, METRIC_mpi_point2point, 11, 0);
    EQ_INT(profile_cells_async(&profile, &tree, node)[1], 111, "part of a call is its time");
    EQ_INT(value_of(&profile, node, METRIC_visits), 1, "and no visit");
}

static void test_an_emptied_profile_is_empty(void)
{
    uint32_t node = child(CCT_ROOT, 1);
    profile_clear_async(&profile);
    EQ_INT(profile.touched_count, 0, "nothing was touched");
    EQ_INT(value_of(&profile, node, METRIC_visits), 0, "and nothing is left");
    profile_add_async(&profile, &tree, node, METRIC_visits, 1);
    profile.epoch = UINT32_MAX;
    profile_clear_async(&profile);
    OK(profile.epoch != 0, "the epochs start over");
    EQ_INT(value_of(&profile, node, METRIC_visits), 0, "and nothing comes back");
}

static void test_profiles_are_accumulated(void)
{
    struct profile sum;
    uint32_t a = child(CCT_ROOT, 1), b = child(a, 2), c = child(a, 3);
    NEED(profile_create_async(&sum, &tree, &arena));
    profile_clear_async(&profile);
    profile_add_async(&profile, &tree, a, METRIC_visits, 1);
    profile_add_async(&profile, &tree, b, METRIC_computation, 10);
    profile_accumulate_async(&sum, &profile, &tree);
    profile_clear_async(&profile);
    profile_add_async(&profile, &tree, b, METRIC_computation, 5);
    profile_add_async(&profile, &tree, c, METRIC_overhead, 7);
    profile_accumulate_async(&sum, &profile, &tree);
    EQ_INT(value_of(&sum, a, METRIC_visits), 1, "what only the first has");
    EQ_INT(value_of(&sum, b, METRIC_computation), 15, "what both have");
    EQ_INT(value_of(&sum, c, METRIC_overhead), 7, "what only the second has");
}

/* Sorts the touched nodes of PROFILE, MOST at once. */
static void sort(struct profile *of, uint32_t most)
{
    struct profile_sorting sorting = {.next = 0};
    uint32_t times = 0;
    while (!profile_sort_some_async(of, &tree, &sorting, most))
        times++;
    OK(times >= of->touched_count / most, "they are sorted in pieces");
}

static void test_touched_nodes_are_sorted(void)
{
    bool sorted = true;
    uint32_t first = tree.node_count;
    for (uint64_t i = 0; i < 300; i++)
        child(CCT_ROOT, 1000 + i);
    profile_clear_async(&profile);
    for (uint32_t i = 0; i < 300; i++)
        profile_touch_async(&profile, &tree, first + i * 7 % 300);
    sort(&profile, 7);
    EQ_INT(profile.touched_count, 300, "all are there");
    for (uint32_t i = 0; i < 300; i++)
        sorted = sorted && profile.touched[i] == first + i;
    OK(sorted, "in ascending order");
}

static void test_any_order_is_sorted_in_time(void)
{
    /* Half a million moves of a place by insertion, which would not end for more. */
    bool sorted = true;
    uint32_t first = tree.node_count;
    for (uint64_t i = 0; i < 30; i++)
        child(CCT_ROOT, 2000 + i);
    profile_clear_async(&profile);
    profile_touch_async(&profile, &tree, 2);
    for (uint32_t i = 0; i < 30; i++)
        profile_touch_async(&profile, &tree, first + 29 - i);
    sort(&profile, 3);
    for (uint32_t i = 0; i < 30; i++)
        sorted = sorted && profile.touched[i + 1] == first + i;
    OK(sorted && profile.touched[0] == 2 && profile.touched_count == 31, "the reverse order");
}

static void test_cells_are_moved(void)
{
    struct profile from = {0}, into = {0};
    uint32_t cells[40], count = 0;
    int64_t values[40];
    NEED(profile_create_async(&from, &tree, &arena));
    NEED(profile_create_async(&into, &tree, &arena));
    for (uint32_t node = 1; node < tree.node_count; node += node < 5 ? 1 : 97) {
        profile_add_async(&from, &tree, node, METRIC_visits, node);
        cells[count] = tree.nodes[node].cell +
                       layout_table[tree.nodes[node].layout].cell_of[METRIC_visits];
        values[count++] = node - 1;
    }
    profile_move_cells_async(&into, &from, &tree, cells, values, count);
    bool moved = true, found = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = profile_node_of_cell_async(&tree, 0, cells[i]);
        found = found && profile_node_of_cell_async(&tree, node, cells[i]) == node &&
                tree.nodes[node].cell <= cells[i];
        moved = moved && value_of(&from, node, METRIC_visits) == 1 &&
                value_of(&into, node, METRIC_visits) == node - 1;
    }
    OK(count > 5 && found, "each cell has its node");
    OK(moved, "what was moved is in the other profile, and the rest is not");
}

static void test_values_join_those_of_other_call_paths(void)
{
    struct profile from, into;
    uint32_t cells[1];
    int64_t values[1] = {4};
    const uint32_t a = child(CCT_ROOT, 1);
    const uint32_t call =
        cct_child_async(&tree, a, NODE_MPI, 7, 0, LAYOUT_SEND, METRIC_mpi_point2point);
    NEED(profile_create_async(&from, &tree, &arena));
    NEED(profile_create_async(&into, &tree, &arena));
    profile_add_async(&from, &tree, a, METRIC_computation, 9);
    profile_add_call_async(&from, &tree, call, METRIC_mpi_point2point, 100, 2);
    profile_join_async(&into, &from, &tree);
    EQ_INT(into.touched_count, 1, "no call path but that is touched");
    EQ_INT(value_of(&into, tree.other, METRIC_computation), 9, "it has the computation");
    EQ_INT(value_of(&into, tree.other, METRIC_mpi_point2point), 100, "and the time of calls");
    EQ_INT(value_of(&into, tree.other, METRIC_visits), 2, "and their visits");
    cells[0] = tree.nodes[a].cell + layout_table[LAYOUT_FRAME].cell_of[METRIC_computation];
    profile_join_cells_async(&into, &from, &tree, cells, values, 1);
    EQ_INT(value_of(&into, tree.other, METRIC_computation), 13, "single cells join");
    EQ_INT(value_of(&from, a, METRIC_computation), 5, "and are taken away");
}

/* What a profile holds of each node's visits, -1 where the node is not in it. */
static void note_visits(const struct profile *of, int64_t *visits)
{
    const unsigned cell = layout_table[LAYOUT_FRAME].cell_of[METRIC_visits];
    for (uint32_t node = 1; node < tree.node_count; node++) {
        const int64_t *cells = profile_then_async(of, &tree, node);
        visits[node] = cells ? cells[cell] : -1;
    }
}

static uint32_t some_number(uint32_t below)
{
    static uint32_t random = 1;
    random = random * 1664525u + 1013904223u;
    return (random >> 8) % below;
}

/* Adds to some nodes, and now and then empties the profile; TOTALS is what must be in it. */
static void go_on(struct profile *frozen, int64_t *totals)
{
    for (int i = 0; i < 30; i++) {
        const uint32_t node = 3 + some_number(60);
        if (some_number(40) == 0) {
            profile_clear_async(frozen);
            memset(totals, 0, 100 * sizeof *totals);
        }
        profile_add_async(frozen, &tree, node, METRIC_visits, i);
        totals[node] += i;
    }
}

static void test_a_frozen_profile_is_read_as_it_was(void)
{
    struct profile frozen;
    int64_t then[1000], now[1000], totals[100] = {0};
    bool same = true, right = true;
    for (uint64_t i = 0; i < 100; i++)
        child(CCT_ROOT, 3000 + i);
    NEED(tree.node_count < 1000 && profile_create_async(&frozen, &tree, &arena));
    OK(!profile_freeze_async(&frozen), "without memory it cannot be frozen");
    NEED(profile_allow_freezing_async(&frozen, &tree, &arena));
    NEED(profile_allow_freezing_async(&frozen, &tree, &arena));
    for (int round = 0; round < 200; round++) {
        if (round == 100)
            frozen.epoch = UINT32_MAX - 50; /* epochs start over */
        go_on(&frozen, totals);
        note_visits(&frozen, then);
        same = same && profile_freeze_async(&frozen);
        for (int i = 0; i < 3; i++) {
            go_on(&frozen, totals);
            note_visits(&frozen, now);
            same = same && memcmp(then + 1, now + 1, (tree.node_count - 1) * sizeof *now) == 0;
        }
        profile_release_async(&frozen);
        for (uint32_t node = 3; node < 63; node++)
            right = right && value_of(&frozen, node, METRIC_visits) == totals[node];
    }
    OK(same, "it reads as it was, whatever is added, and emptied, later");
    OK(right, "and what is added is there");
    OK(!frozen.kept.spoilt && frozen.kept.nodes <= 60, "nodes that change are kept, no others");
}

static size_t all_is_used(void)
{
    return SIZE_MAX / 2;
}

static void test_a_frozen_profile_without_memory_says_so(void)
{
    struct profile frozen;
    NEED(profile_create_async(&frozen, &tree, &arena));
    NEED(profile_allow_freezing_async(&frozen, &tree, &arena));
    profile_add_async(&frozen, &tree, 5, METRIC_visits, 1);
    NEED(profile_freeze_async(&frozen));
    budget_set(0, 0);
    budget_settle_by(all_is_used);
    profile_add_async(&frozen, &tree, 6, METRIC_visits, 1);
    OK(!frozen.kept.spoilt, "what was not in it needs no memory");
    profile_add_async(&frozen, &tree, 5, METRIC_visits, 1);
    OK(frozen.kept.spoilt, "what changes does");
    EQ_INT(value_of(&frozen, 5, METRIC_visits), 2, "the profile itself is right");
    profile_release_async(&frozen);
    NEED(profile_freeze_async(&frozen));
    OK(!frozen.kept.spoilt, "frozen anew it is whole again");
    budget_set(SIZE_MAX, SIZE_MAX);
}

/* Bytes of the pages of SPACE that are in use. */
static size_t pages_used(const struct arena *space)
{
    static unsigned char state[1 << 16];
    size_t used = 0;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (space->used + page - 1) / page;
    if (pages > sizeof state || mincore(space->base, space->used, state) != 0)
        return SIZE_MAX;
    for (size_t i = 0; i < pages; i++)
        used += (state[i] & 1) * page;
    return used;
}

/* Nodes in any order, in memory that begins in the middle of a page. */
static void test_what_is_kept_is_drawn(void)
{
    struct profile frozen;
    struct arena space;
    bool always = true, once = true;
    for (uint64_t i = 0; i < 4000; i++)
        child(CCT_ROOT, 10000 + i);
    NEED(arena_create_async(&space, profile_kept_bytes_async(&tree) + 8192) == 0);
    NEED(arena_take_async(&space, 4032) && profile_create_async(&frozen, &tree, &arena) &&
         profile_allow_freezing_async(&frozen, &tree, &space));
    for (uint32_t node = 0; node < tree.node_count; node++)
        profile_cells_async(&frozen, &tree, node);
    NEED(profile_freeze_async(&frozen));
    EQ_INT(pages_used(&space), 0, "freezing takes no memory");
    for (uint32_t i = 0; i < tree.node_count; i++) {
        profile_cells_async(&frozen, &tree, (uint32_t)(i * UINT64_C(1237) % tree.node_count));
        always = always && pages_used(&space) <= frozen.kept.drawn;
        once = once && profile_kept_used_async(&frozen) + profile_kept_granted_async(&frozen) ==
                           frozen.kept.drawn;
    }
    EQ_INT(frozen.kept.nodes, tree.node_count, "all nodes are kept");
    OK(always, "in no more memory than was drawn: %zu of %zu bytes", pages_used(&space),
       frozen.kept.drawn);
    OK(once, "each byte counts as used, or as granted and not used");
    profile_release_async(&frozen);
    arena_destroy_async(&space);
}

/* A list that was being sorted when the program left that by a jump. */
static void test_listed_anew(void)
{
    profile_clear_async(&profile);
    for (uint32_t node = 0; node < tree.node_count; node += 2)
        profile_cells_async(&profile, &tree, node);
    const uint32_t count = profile.touched_count;
    profile.touched[0] = profile.touched[1];
    profile.touched[profile.touched_count++] = 0;
    profile_list_anew_async(&profile, &tree);
    EQ_INT(profile.touched_count, count, "each node is listed once");
    bool ordered = true;
    for (uint32_t i = 0; i < count; i++)
        ordered = ordered && profile.touched[i] == 2 * i;
    OK(ordered, "in their order");
}

int main(void)
{
    layouts_start();
    start();
    test_a_new_profile_is_empty_whatever_was_in_its_place();
    test_numbers_add_up();
    test_times_of_mpi_functions_have_a_cell_of_their_own();
    test_an_emptied_profile_is_empty();
    test_profiles_are_accumulated();
    test_touched_nodes_are_sorted();
    test_any_order_is_sorted_in_time();
    test_cells_are_moved();
    test_values_join_those_of_other_call_paths();
    test_a_frozen_profile_is_read_as_it_was();
    test_a_frozen_profile_without_memory_says_so();
    test_what_is_kept_is_drawn();
    test_listed_anew();
    arena_destroy_async(&arena);
    return tap_done();
}
