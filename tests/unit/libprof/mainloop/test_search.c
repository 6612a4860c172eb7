/*
 * The search for the main loop: what it makes of a stream of MPI calls in a call tree that the
 * test grows, at instants that the test chooses.
 */
#include "mainloop/search.h"

#include "iterations/iterations.h"
#include "mainloop/candidate.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"

enum { COMPUTED_NS = 10, CALL_NS = 5, STEP_NS = COMPUTED_NS + CALL_NS };

static struct thread *thread;
static uint32_t function; /* that makes all calls */
static unsigned skipped;  /* calls that search_skip has taken */

/* A new thread whose loops are looked for, and a function in its tree. */
static void begin(void)
{
    thread = timed_attach();
    search_start(thread);
    function = cct_child_async(&thread->tree, CCT_ROOT, NODE_FUNCTION, 1, 0, LAYOUT_FRAME,
                               METRIC_none);
    skipped = 0;
}

/* What measure_record does with a call that is made at NAME in the function, a while later. */
static void call(char name)
{
    const int64_t ns = timed_pass(COMPUTED_NS);
    const uint32_t leaf =
        cct_child_async(&thread->tree, function, NODE_MPI, CALL_MPI_Send, (uint64_t)name << 48,
                        LAYOUT_SEND, METRIC_mpi_point2point);
    struct search *search = thread->search;
    timeline_come(thread, ns);
    if (search_is_due(search, ns) || !loops_pass(&search->loops, leaf)) {
        if (search_skip(search, leaf, ns))
            skipped++;
        else
            search_arrive(thread, leaf, search_preferences[CALL_MPI_Send], ns);
    }
    profile_add_call_async(thread->level->profile, &thread->tree, leaf, METRIC_mpi_point2point,
                           CALL_NS, 1);
    thread->last_ns = timed_pass(CALL_NS);
}

static void calls(const char *names, unsigned times)
{
    while (times-- > 0)
        for (const char *name = names; *name; name++)
            call(*name);
}

/* The thread ends: nothing is open any more, and all time is in its profiles. */
static void end(void)
{
    search_stop(thread, thread->last_ns);
    level_settle_all_async(thread);
}

/* The loop that was cut most often; LOOPS_NONE if none was. */
static unsigned most_cut(void)
{
    unsigned best = LOOPS_NONE;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct candidate *candidates = thread->search->candidates;
        if (candidates[i].passes > 0 &&
            (best == LOOPS_NONE || candidates[i].passes > candidates[best].passes))
            best = i;
    }
    return best;
}

static const struct clustering *clustering_of(unsigned number)
{
    return thread->iterations->series[search_series(number)].clustering;
}

/* What the clusters of a loop hold. */
struct held {
    uint64_t passes; /* with a profile */
    int64_t visits;  /* of MPI functions in them */
    int64_t wall_ns;
};

static struct held held_in(const struct clustering *clustering)
{
    struct held held = {.passes = 0};
    for (uint32_t c = 0; c < clustering_count(clustering); c++) {
        struct cluster_view cluster;
        clustering_view(clustering, c, &cluster);
        held.passes += cluster.size;
        held.wall_ns += (int64_t)cluster.wall_ns;
        for (size_t i = 0; i < cluster.cell_count; i++) {
            const uint32_t n = profile_node_of_cell_async(&thread->tree, 0, cluster.cells[i]);
            const struct node *node = &thread->tree.nodes[n];
            if (node->kind == NODE_MPI && cluster.cells[i] == node->cell + MPI_VISITS_CELL)
                held.visits += cluster.values[i];
        }
    }
    return held;
}

static struct held held_by(unsigned number)
{
    return held_in(clustering_of(number));
}

static void test_only_where_it_is_wanted(void)
{
    config.text[SETTING_ITERATION] = "markers";
    begin();
    OK(!thread->search && !thread->searching && !thread->watched,
       "with another TSPROF_ITERATION no loop is looked for");
    config.text[SETTING_ITERATION] = "auto";
    config.text[SETTING_PHASES] = "step";
    begin();
    OK(!thread->search, "nor with TSPROF_PHASES");
    config.text[SETTING_PHASES] = "";
    begin();
    OK(thread->search && thread->searching && thread->watched, "otherwise it is");
}

static void test_passes_are_cut(void)
{
    begin();
    calls("xy", 1);
    calls("a", 1);
    EQ_INT(thread->level - thread->levels, 0, "nothing is open before something recurs");
    calls("bc", 1);
    calls("abc", 1);
    EQ_INT(thread->level - thread->levels, 1, "from the second time on a pass is open");
    calls("abc", 18);
    const unsigned loop = most_cut();
    NEED(loop != LOOPS_NONE);
    calls("z", 1);
    end();
    const struct candidate *candidate = &thread->search->candidates[loop];
    const struct held held = held_by(loop);
    EQ_INT(thread->level - thread->levels, 0, "in the end nothing is open");
    EQ_INT(candidate->passes, 19, "of twenty passes all but the first are cut");
    EQ_INT(clustering_iterations(clustering_of(loop)), 19, "and are iterations");
    EQ_INT(candidate_passes_async(thread, loop), 19, "which can be shown");
    EQ_INT(held.passes, 19, "each has a profile");
    EQ_INT(candidate->time_ns, held.wall_ns, "of its time");
    /* The last one lasts until the thread ends, one call later. */
    EQ_INT(candidate->time_ns, 19 * 3 * STEP_NS + CALL_NS,
           "which is that from border to border");
    EQ_INT(held.visits, 19 * 3 + 1, "and of the calls in it");
}

static void test_passes_are_outside_as_well(void)
{
    begin();
    calls("abc", 20);
    end();
    EQ_INT(timed_sum(thread, &thread->closed, METRIC_visits), 0,
           "as far as others know, passes are no iterations");
    EQ_INT(timed_sum(thread, &thread->outside, METRIC_mpi_point2point), 60 * CALL_NS,
           "what is in them is outside of all");
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "to the last nanosecond");
    uint32_t leaves = 0;
    for (uint32_t n = 0; n < thread->tree.node_count; n++)
        leaves += thread->tree.nodes[n].kind == NODE_MPI;
    EQ_INT(leaves, 3, "call paths are the same in passes and outside");
}

static void test_loops_inside_each_other(void)
{
    begin();
    for (int i = 0; i < 30; i++) {
        calls("a", 1);
        calls("bc", 4);
        calls("d", 1);
    }
    EQ_INT(thread->level - thread->levels >= 1, 1, "passes are open");
    end();
    unsigned loops = 0;
    uint64_t outer = 0, inner = 0;
    unsigned inner_number = LOOPS_NONE, outer_number = LOOPS_NONE;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const uint64_t passes = thread->search->candidates[i].passes;
        loops += passes > 0;
        if (passes > inner) {
            outer = inner;
            outer_number = inner_number;
            inner = passes;
            inner_number = i;
        } else if (passes > 0) {
            outer = passes;
            outer_number = i;
        }
    }
    EQ_INT(loops, 2, "two loops are cut");
    NEED(loops == 2);
    OK(outer == 28 || outer == 29, "the outer one as often as it passed, %d times", (int)outer);
    OK(inner >= 30 * 3 && inner <= 30 * 4, "the inner one in each pass, %d times", (int)inner);
    OK(thread->search->candidates[inner_number].within >> outer_number & 1,
       "the one is known to be within the other");
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "all time is there once");
}

static void nested(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        calls("a", 1);
        calls("bc", 8);
        calls("d", 1);
    }
}

/* A loop inside another that will be shown is counted, but has no profiles. */
static void test_loops_that_will_not_be_shown(void)
{
    begin();
    nested(20);
    const unsigned inner = most_cut();
    NEED(inner != LOOPS_NONE && thread->search->candidates[inner].within);
    const unsigned outer = (unsigned)__builtin_ctz(thread->search->candidates[inner].within);
    struct search *search = thread->search;
    struct candidate *candidate = &search->candidates[inner],
                     *around = &search->candidates[outer];
    ((struct loop *)loops_get(&search->loops, inner))->certain = true;
    OK(!candidate->minor, "at first a loop may be shown as well as the one around it");
    nested(60);
    OK(candidate->minor && candidate_has_minor(search, outer),
       "which is to be shown once it has had many passes");
    around->time_ns = (int64_t)around->passes * SEARCH_PASS_LEAST_NS;
    candidate->time_ns = (int64_t)candidate->passes * SEARCH_PASS_LEAST_NS;
    const int64_t ns = search->begin_ns + around->time_ns;
    OK(candidate_is_sure(search, outer, ns) && !candidate_is_sure(search, inner, ns),
       "so that one keeps its profiles, whatever they cost, certain or not");
    const uint64_t passes = candidate->passes;
    const int64_t clustered = (int64_t)clustering_iterations(clustering_of(inner));
    nested(100);
    OK(candidate->passes >= passes + 700, "passes are counted as before");
    EQ_INT(clustering_iterations(clustering_of(inner)), clustered, "but have no profiles");
    calls("a", 1);
    calls("bc", 2000);
    OK(!candidate->minor, "unless it turns out to have most of its passes in a row");
    OK((int64_t)clustering_iterations(clustering_of(inner)) > clustered + 1000,
       "then they have profiles again");
    end();
    EQ_INT(clustering_iterations(clustering_of(inner)), candidate->passes,
           "in the end all are iterations");
    EQ_INT(held_by(outer).passes, around->passes, "and all of the other loop have profiles");
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "all time is there once");
}

/* Cutting costs more than it may. */
static void exceed_costs(unsigned loop)
{
    struct search *search = thread->search;
    search->cost.cutting_ns = search->candidates[loop].cost_ns =
        SEARCH_FREE_NS + (thread->last_ns - search->cost.measure_ns) / SEARCH_FIRST_SHARE +
        1000;
}

static void test_costs_are_saved(void)
{
    begin();
    calls("abc", 10);
    const unsigned loop = most_cut();
    NEED(loop != LOOPS_NONE);
    const struct candidate *candidate = &thread->search->candidates[loop];
    EQ_INT(candidate->stride, 1, "every pass has a profile");
    exceed_costs(loop);
    calls("abc", 1);
    EQ_INT(candidate->stride, 2, "where that costs too much only every second");
    EQ_INT(candidate->cost_ns + thread->search->cost.cutting_ns, 0, "costs are measured anew");
    exceed_costs(loop);
    calls("abc", 1);
    EQ_INT(candidate->stride, 4, "then only every fourth");
    calls("abc", 100);
    EQ_INT(candidate->stride, 4, "and it stays at that where it costs less");
    end();
    const struct held held = held_by(loop);
    EQ_INT(candidate->passes, 10 + 1 + 1 + 100 - 1, "all passes are counted, but the first");
    EQ_INT(clustering_iterations(clustering_of(loop)), candidate->passes,
           "all of them are iterations");
    EQ_INT(candidate->skipped, 0, "those without a profile have been told to the clustering");
    OK(held.passes < candidate->passes && held.passes >= candidate->passes / 4,
       "%d of %d have one", (int)held.passes, (int)candidate->passes);
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns,
           "time in passes without a profile is not lost");
}

/* Passes are clustered when other calls come: that counts for their loop. */
static void test_clustering_is_a_cost(void)
{
    begin();
    calls("abc", 10);
    const unsigned loop = most_cut();
    NEED(loop != LOOPS_NONE);
    const struct candidate *candidate = &thread->search->candidates[loop];
    struct series *series = &thread->iterations->series[search_series(loop)];
    EQ_INT(candidate->stride, 1, "every pass has a profile");
    series->cost_ns += SEARCH_FREE_NS / 2;
    calls("abc", 1);
    EQ_INT(candidate->cost_ns, SEARCH_FREE_NS / 2, "clustering is a cost of the loop");
    calls("abc", 1);
    EQ_INT(candidate->cost_ns, SEARCH_FREE_NS / 2, "which counts once");
    EQ_INT(candidate->stride, 1, "and may be as high as any");
    series->cost_ns += SEARCH_FREE_NS / 2 + SEARCH_AGAIN_NS / 2;
    calls("abc", 1);
    EQ_INT(candidate->stride, 2, "where it costs too much only every second pass has one");
    end();
}

static void test_short_passes_are_skipped(void)
{
    begin();
    calls("a", 50);
    const unsigned loop = most_cut();
    NEED(loop != LOOPS_NONE);
    struct candidate *candidate = &thread->search->candidates[loop];
    EQ_INT(skipped, 0, "while every pass has a profile none is skipped");
    candidate->stride = 16;
    calls("a", 15 + 160);
    OK(skipped > 100, "%u calls only end a pass and begin another one", skipped);
    call('b');
    end();
    EQ_INT(candidate->passes, 50 + 15 + 160 - 1, "they are counted when something else comes");
    EQ_INT(clustering_iterations(clustering_of(loop)), candidate->passes, "as iterations");
    OK(held_by(loop).passes < 50 + 175 / 16 + 2, "few of them have a profile");
    EQ_INT(candidate->time_ns, (50 + 15 + 160 - 1) * STEP_NS + CALL_NS,
           "their time is that of all");
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "which is there once");
}

static void test_irregular_calls_are_looked_at_less(void)
{
    begin();
    for (int i = 0; i < 30; i++) {
        calls("a", 1);
        calls("bc", 4);
        calls("d", 1);
    }
    struct search *search = thread->search;
    search->cost.looking_ns = 100 * (int64_t)SEARCH_FREE_NS;
    calls("a", 1);
    bool strides = false;
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        strides = strides || search->candidates[i].stride > 1;
    OK(!strides, "where no loop is what costs, profiles stay");
    EQ_INT(search->cost.looking_ns, 0, "costs are measured anew");
    EQ_INT(search->cost.free_ns, SEARCH_AGAIN_LEAST_NS, "with less that is free");
    end();
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "no time is lost");
}

/* What looking for loops and reading code have cost so far, as they are reckoned. */
static int64_t spent_ns(void)
{
    const struct search *search = thread->search;
    return search->cost.spent_ns + search->cost.cutting_ns + search->cost.looking_ns +
           loop_code_spent_ns(search->code);
}

/* Calls without any order in one function, each of which costs much, for so long. */
static void wander_until(int64_t end_ns)
{
    static uint32_t drawn = 1;
    const int64_t start_ns = thread->search->begin_ns;
    while (timed_pass(0) < start_ns + end_ns) {
        drawn = drawn * 1103515245 + 12345;
        timed_tick(2000);
        call((char)('a' + drawn % 5003 % 26));
        timed_tick(0);
        timed_pass(50000);
    }
}

/* Reads code for as long as there is time. */
static void read_all(void)
{
    struct loop_code *code = thread->search->code;
    while (loop_code_has_time(code))
        code->questions++;
}

/* All the code is read at the beginning, then looking costs more than it may. */
static void test_first_second(void)
{
    enum { MOST_NS = 10 * 1000 * 1000 };
    begin();
    read_all();
    wander_until(400 * 1000 * 1000);
    const int64_t before_ns = spent_ns();
    wander_until(990 * 1000 * 1000);
    EQ_INT(thread->search->cost.is_in_doubt, true, "there is no main loop in sight");
    OK(before_ns > MOST_NS * 9 / 10, "after 400 ms %lld us are spent",
       (long long)before_ns / 1000);
    OK(spent_ns() <= MOST_NS, "after a second %lld", (long long)spent_ns() / 1000);
    const uint64_t looks = thread->search->looks;
    wander_until(1100 * 1000 * 1000);
    OK(thread->search->looks > looks, "then calls are looked at again");
    end();
}

/* What cutting a loop takes does not make its passes long enough to be cut at any cost. */
static void test_short_passes_that_cost_much(void)
{
    enum { PASSES = 100 };
    begin();
    calls("abc", 20);
    const unsigned number = most_cut();
    NEED(number != LOOPS_NONE);
    struct search *search = thread->search;
    struct candidate *candidate = &search->candidates[number];
    const int64_t long_ns = PASSES * (int64_t)SEARCH_PASS_LEAST_NS,
                  ns = search->begin_ns + long_ns;
    ((struct loop *)loops_get(&search->loops, number))->certain = true;
    candidate->passes = PASSES;
    candidate->time_ns = long_ns;
    candidate->own_ns = 0;
    OK(candidate_is_sure(search, number, ns), "a main loop of passes that are long enough");
    candidate->own_ns = long_ns / 10;
    OK(candidate_is_main(search, number, ns) && !candidate_is_sure(search, number, ns),
       "but not of those that are only since tsprof works in them");
    candidate->own_ns = 0;
    const int64_t own_ns = 7000;
    thread->level->overhead_ns += own_ns;
    calls("abc", 1);
    OK(candidate->own_ns >= own_ns, "which is counted");
    end();
}

static void test_walks_of_the_other_kind(void)
{
    begin();
    thread->cost.calls = 10;
    bool early = false;
    for (int i = 0; i < 5; i++)
        early = early || search_takes_other(thread);
    OK(!early && !thread->search->failing, "the fewer walks are not looked at");
    OK(search_takes_other(thread), "until they are the most");
    OK(thread->search->failing, "then walks that fail are looked at");
    EQ_INT(thread->search->others, 4, "and the others are the fewer");
}

static void test_slices_meanwhile(void)
{
    begin();
    call('a');
    EQ_INT(slices_count_async(thread), 0, "no slice has ended");
    timed_pass(2 * SLICES_NS + SLICES_NS / 2);
    call('b');
    EQ_INT(slices_count_async(thread), 1, "slices end as time passes");
    OK(!iteration_is_idle_async(thread), "of the last one the profile is still to be made");
    while (!iteration_is_idle_async(thread))
        iteration_cluster_async(thread);
    EQ_INT(slices_count_async(thread), 2, "which is done in pieces");
    end();
    EQ_INT(slices_count_async(thread), 3, "the last one with the thread");
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "they take no time away");
}

/* The border after COUNT slices, all of whose work is done at once. */
static void cross_slices(unsigned count)
{
    while (count-- > 0) {
        /* As if nothing cost anything: each slice has a profile. */
        thread->search->slices.cost_ns = 0;
        call('a');
        timeline_come(thread, timed_pass(thread->search->slices.next_ns - timed_pass(0)));
        iteration_flush_queue_async(thread);
    }
}

/* The program leaves the making of a slice by a jump: others keep their numbers. */
static void test_slices_after_a_jump(void)
{
    begin();
    cross_slices(4);
    EQ_INT(slices_count_async(thread), 4, "four slices have ended");
    call('a');
    timeline_come(thread, timed_pass(thread->search->slices.next_ns - timed_pass(0)));
    /* In the midst of making it. */
    thread->search->slices.list.stage = SLICE_NOTHING;
    thread->iterations->beside_async = NULL;
    cross_slices(1);
    EQ_INT(slices_count_async(thread), 6, "the next one is the sixth");
    thread->search->slices.kept = false;
    cross_slices(2);
    EQ_INT(slices_count_async(thread), 8, "the one after one that was not begun is the eighth");
    call('b');
    end();
    EQ_INT(slices_count_async(thread), 9, "the last one ends with the thread");
    EQ_INT(held_in(thread->iterations->series[SEARCH_SLICES].clustering).passes, 7,
           "two have no profile");
    EQ_INT(timed_total(thread), thread->last_ns - thread->begin_ns, "no time is lost");
}

static void test_a_marker_makes_it_nothing(void)
{
    begin();
    calls("abc", 20);
    const unsigned loop = most_cut();
    NEED(loop != LOOPS_NONE && clustering_of(loop) && thread->level > thread->levels);
    timed_pass(2 * SLICES_NS);
    call('a');
    iteration_flush_queue_async(thread);
    OK(slices_count_async(thread) > 0, "loops and slices have been gathered");
    timed_pass(SLICES_NS);
    timeline_come(thread, timed_pass(0));
    OK(!iteration_is_idle_async(thread), "and the profile of another one is being made");
    timed_begin(thread, "step", true);
    EQ_INT(thread->level - thread->levels, 1, "a marker's iteration is the only open level");
    OK(!thread->level->is_pass, "and no pass");
    OK(!thread->searching && !thread->watched, "the search has ended");
    bool any = false;
    for (unsigned i = 0; i < SERIES_MOST; i++)
        any = any || (i >= thread->iterations->series_count &&
                      thread->iterations->series[i].clustering);
    OK(!any, "nothing is left of its passes");
    EQ_INT(slices_count_async(thread), 0, "nor of slices");
    EQ_INT(thread->border_due_ns, INT64_MAX, "which have no more borders");
    timed_pass(100);
    timed_end(thread, "step");
    timed_stop(thread);
    EQ_INT(iteration_count_async(thread, 0), 1, "the marker's iteration is there");
    EQ_INT(timed_times(thread, &thread->closed), 100, "with its time");
    EQ_INT(timed_total(thread), thread->end_ns - thread->begin_ns,
           "and all time is there once");
}

int main(void)
{
    timed_start();
    test_only_where_it_is_wanted();
    test_passes_are_cut();
    test_passes_are_outside_as_well();
    test_loops_inside_each_other();
    test_loops_that_will_not_be_shown();
    test_costs_are_saved();
    test_clustering_is_a_cost();
    test_short_passes_are_skipped();
    test_irregular_calls_are_looked_at_less();
    test_first_second();
    test_short_passes_that_cost_much();
    test_walks_of_the_other_kind();
    test_slices_meanwhile();
    test_slices_after_a_jump();
    test_a_marker_makes_it_nothing();
    return tap_done();
}
