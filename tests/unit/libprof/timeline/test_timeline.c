/*
 * The one place that brings a thread's time line to "now", with borders that the test makes up:
 * each is crossed exactly where it lies, by calls, markers and samples; what a handler cannot
 * cross waits as the table says; and all time is somebody's.
 */
#include "timeline/timeline.h"

#include "iterations/instance.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"

#include <string.h>

enum { BORDERS_MOST = 8 };
enum which { FIRST, SECOND };

/* Borders that begin and end, in turn, an instance below a node of their own. */
struct made {
    int64_t borders[BORDERS_MOST]; /* 0: no more */
    enum border_readiness readiness;
    uint32_t node;
    int asked, crossed, entered, marked;
    int64_t crossed_ns[BORDERS_MOST], until_ns[BORDERS_MOST];
};

static struct made first, second;
static struct thread *thread;
static enum which order[2 * BORDERS_MOST];
static int order_count;

static int64_t next_of(const struct made *made)
{
    return made->borders[made->crossed] ? made->borders[made->crossed] : INT64_MAX;
}

static void await(void)
{
    const int64_t a = next_of(&first), b = next_of(&second);
    thread->border_due_ns = a < b ? a : b;
}

static bool find_next(struct made *made, int64_t ns, int64_t *border_ns)
{
    made->asked++;
    *border_ns = next_of(made);
    return *border_ns <= ns;
}

static void cross_one(struct made *made, enum which which, int64_t until_ns)
{
    const int64_t ns = thread->last_ns;
    made->crossed_ns[made->crossed] = ns;
    made->until_ns[made->crossed] = until_ns;
    order[order_count++] = which;
    if (made->crossed++ % 2 == 0)
        instance_open_async(thread, 0, made->node, -1, &level_no_anchor, ns);
    else
        instance_close_async(thread, ns);
    await();
}

static void enter_first(struct thread *entered)
{
    first.entered += entered == thread;
}

static bool next_first(struct thread *of, int64_t ns, int64_t *border_ns)
{
    return of == thread && find_next(&first, ns, border_ns);
}

static enum border_readiness ready_first(const struct thread *of)
{
    return of == thread ? first.readiness : BORDER_NEVER;
}

static void cross_first(struct thread *of, int64_t until_ns)
{
    NEED(of == thread);
    cross_one(&first, FIRST, until_ns);
}

static void mark_first(struct thread *of)
{
    first.marked += of == thread;
}

static bool next_second(struct thread *of, int64_t ns, int64_t *border_ns)
{
    return of == thread && find_next(&second, ns, border_ns);
}

static void cross_second(struct thread *of, int64_t until_ns)
{
    NEED(of == thread);
    cross_one(&second, SECOND, until_ns);
}

static const struct border_source first_source = {.entered = enter_first,
                                                  .next_async = next_first,
                                                  .readiness_async = ready_first,
                                                  .cross_async = cross_first,
                                                  .marked = mark_first,
                                                  .moves = true};
/* A handler can always cross these; nobody has to tell them anything. */
static const struct border_source second_source = {
    .next_async = next_second, .cross_async = cross_second, .moves = true};

static struct thread *refuse(struct thread *entering, uintptr_t frame, bool starts)
{
    (void)entering;
    (void)frame;
    (void)starts;
    return NULL;
}

static void work_nothing(struct thread *leaving)
{
    (void)leaving;
}

/* In place of the runtime's own table. */
const struct hooks timeline_hooks = {
    .enter = refuse, .work = work_nothing, .sources = {&first_source, &second_source, NULL}};

/* A new node for what happens in the instances of a source. */
static uint32_t make_node(void)
{
    static uint64_t key = 100;
    return cct_child_async(&thread->tree, CCT_ROOT, NODE_ARTIFICIAL, key++, 0, LAYOUT_FRAME,
                           METRIC_none);
}

/* Some time later: the sources have no borders, and nothing is pending. */
static int64_t begin_round(void)
{
    const int64_t ns = timed_pass(1000);
    thread->border_due_ns = INT64_MAX;
    thread->watched = false;
    NEED(thread->level == thread->levels);
    timeline_come(thread, ns);
    level_settle_all_async(thread);
    first = (struct made){.node = make_node()};
    second = (struct made){.node = make_node()};
    order_count = 0;
    return ns;
}

static int64_t computation_of(uint32_t node)
{
    level_settle_all_async(thread);
    const struct node *at = &thread->tree.nodes[node];
    return profile_cells_async(&thread->outside, &thread->tree,
                               node)[layout_table[at->layout].cell_of[METRIC_computation]];
}

static void test_advancing_crosses_nothing(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 10;
    await();
    EQ_INT(timeline_advance_async(thread, ns + 20), ns + 20,
           "the line comes to where it should");
    EQ_INT(thread->level->pending_ns, 20, "what passed is computation");
    EQ_INT(timeline_advance_async(thread, ns + 5), ns + 20, "it never goes back");
    EQ_INT(thread->last_ns, ns + 20, "but stays where it is");
    EQ_INT(first.crossed, 0, "and crosses no border on its way");
    first.borders[0] = 0;
}

static void test_nobody_is_asked_without_need(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 101;
    await();
    OK(!timeline_due_async(thread, ns + 100), "a border later than that is not due");
    timeline_come(thread, ns + 100);
    OK(timeline_come_async(thread, ns + 100), "nor in the handler");
    EQ_INT(first.asked + second.asked, 0, "then no source is asked");
    OK(timeline_due_async(thread, ns + 101), "at the border it is due");
    first.borders[0] = 0;
}

static void test_borders_are_crossed_where_they_lie(void)
{
    const int64_t ns = begin_round();
    const int64_t borders[] = {ns + 10, ns + 45, ns + 70, ns + 71, 0};
    const int64_t before = computation_of(CCT_ROOT);
    memcpy(first.borders, borders, sizeof borders);
    await();
    timeline_come(thread, ns + 100);
    EQ_INT(first.crossed, 4, "all up to the instant are crossed");
    for (int i = 0; i < 4; i++) {
        EQ_INT(first.crossed_ns[i], borders[i], "border %d where it lies", i);
        EQ_INT(first.until_ns[i], ns + 100, "on the way to where the line goes");
    }
    EQ_INT(thread->last_ns, ns + 100, "the line is there then");
    EQ_INT(computation_of(first.node), 35 + 1, "the instances have what was computed in them");
    EQ_INT(computation_of(CCT_ROOT) - before, 100 - 36, "and the program the rest");
}

static void test_crossing_stops_at_the_last_border(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 10;
    first.borders[1] = ns + 30;
    await();
    timeline_cross(thread, ns + 50);
    EQ_INT(thread->last_ns, ns + 30, "the line is at the last border that was crossed");
    EQ_INT(thread->level->pending_ns, 10, "what comes after it is not accounted for");
}

static void test_borders_of_several_sources(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 20;
    first.borders[1] = ns + 30;
    second.borders[0] = ns + 10;
    second.borders[1] = ns + 40;
    await();
    timeline_come(thread, ns + 100);
    OK(order_count == 4 && order[0] == SECOND && order[1] == FIRST && order[2] == FIRST &&
           order[3] == SECOND,
       "borders are crossed in the order in which they lie, whoever has them");
    EQ_INT(second.crossed_ns[0], ns + 10, "each at its own instant");
    EQ_INT(first.crossed_ns[0], ns + 20, "the next");
    EQ_INT(first.crossed_ns[1], ns + 30, "the next");
    EQ_INT(second.crossed_ns[1], ns + 40, "and the last");
}

static void test_sources_hear_of_the_thread(void)
{
    const int64_t ns = begin_round();
    timeline_come(thread, ns + 1);
    EQ_INT(first.entered, 0, "who is not watched enters unheard");
    thread->watched = true;
    timeline_come(thread, ns + 2);
    EQ_INT(first.entered, 1, "who is watched is heard of, border or not");
    thread->watched = false;
    OK(!timeline_is_marked_async(), "there are no markers");
    timeline_marked(thread);
    OK(timeline_is_marked_async() && first.marked == 1, "sources hear of the first marker");
    timeline_marked(thread);
    EQ_INT(first.marked, 1, "not of the second");
    thread->searching = true;
    timeline_marked(thread);
    thread->searching = false;
    EQ_INT(first.marked, 2, "but of the first that a thread meets whose loop is looked for");
}

static void test_ready_in_the_handler(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 10;
    first.borders[1] = ns + 25;
    second.borders[0] = ns + 60;
    await();
    OK(timeline_come_async(thread, ns + 50), "the handler can come to where it is");
    OK(first.crossed == 2 && first.crossed_ns[0] == ns + 10 && first.crossed_ns[1] == ns + 25,
       "and cross borders where they lie");
    EQ_INT(thread->last_ns, ns + 50, "the line is there");
    EQ_INT(computation_of(first.node), 15, "with times divided at them");
    EQ_INT(second.crossed, 0, "later borders are not crossed");
    second.borders[0] = 0;
}

static void test_later_than_the_handler(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 10;
    first.readiness = BORDER_LATER;
    second.borders[0] = ns + 20;
    second.borders[1] = ns + 30;
    await();
    OK(timeline_come_async(thread, ns + 50), "BORDER_LATER: the sample is right without it");
    EQ_INT(first.crossed, 0, "the border is not crossed");
    EQ_INT(second.crossed, 2, "others are");
    EQ_INT(thread->last_ns, ns + 50, "the line goes on");
    first.borders[1] = ns + 80;
    timeline_come(thread, ns + 90);
    EQ_INT(first.crossed, 2, "the next call crosses it");
    EQ_INT(first.crossed_ns[0], ns + 50, "where the line has come to");
    EQ_INT(first.crossed_ns[1], ns + 80, "and the next one where it lies");
}

static void test_never_in_the_handler(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 10;
    first.readiness = BORDER_NEVER;
    second.borders[0] = ns + 20;
    await();
    OK(!timeline_come_async(thread, ns + 50), "BORDER_NEVER: there can be no sample");
    EQ_INT(first.crossed + second.crossed, 0, "nothing is crossed");
    EQ_INT(thread->last_ns, ns, "the line stays where it is");
    EQ_INT(thread->level->pending_ns, 0, "nothing is accounted for");
    second.borders[0] = 0;
    first.borders[1] = ns + 70;
    timeline_come(thread, ns + 90);
    EQ_INT(first.crossed_ns[0], ns + 10,
           "the next call divides what was computed at the border");
    EQ_INT(first.crossed_ns[1], ns + 70, "and at the one after it");
}

static void test_a_call_is_divided(void)
{
    const int64_t ns = begin_round();
    first.borders[0] = ns + 40;
    first.borders[1] = ns + 70;
    await();
    timed_pass(30);
    const int64_t mpi = timed_sum(thread, &thread->outside, METRIC_mpi_other),
                  overhead = timed_sum(thread, &thread->outside, METRIC_overhead);
    const uint32_t leaf = timed_call(thread, CALL_MPI_Comm_size, 100, 7);
    level_settle_all_async(thread);
    OK(first.crossed == 2 && first.crossed_ns[0] == ns + 40 && first.crossed_ns[1] == ns + 70,
       "borders inside an MPI call are crossed where they lie");
    EQ_INT(timed_sum(thread, &thread->outside, METRIC_mpi_other) - mpi, 100,
           "all of the call is MPI's");
    EQ_INT(timed_sum(thread, &thread->outside, METRIC_overhead) - overhead, 7,
           "what comes after is tsprof's");
    OK(thread->tree.nodes[leaf].kind == NODE_MPI &&
           thread->tree.nodes[leaf].parent != first.node,
       "it counts where it ends");
    int64_t inside = 0, visits = 0;
    for (uint32_t n = 0; n < thread->tree.node_count; n++) {
        const struct node *node = &thread->tree.nodes[n];
        if (node->kind != NODE_MPI)
            continue;
        uint32_t at = n;
        while (at != CCT_ROOT && at != first.node)
            at = thread->tree.nodes[at].parent;
        const int64_t *cells = profile_cells_async(&thread->outside, &thread->tree, n);
        visits += cells[MPI_VISITS_CELL];
        inside += at == first.node ? cells[MPI_TIME_CELL] : 0;
    }
    EQ_INT(inside, 30, "the instance has its part of the call");
    EQ_INT(visits, 1, "which is one visit");
}

/* Borders, calls and samples at any distances: whatever happens, all time is somebody's. */
static void test_all_time_is_given(void)
{
    begin_round();
    uint64_t random = 1;
    int crossed = 0, refused = 0;
    for (int round = 0; round < 2000; round++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        const int64_t ns = thread->last_ns, step = (int64_t)(random >> 58);
        first.borders[0] = ns + 1 + (int64_t)(random >> 40 & 63);
        second.borders[0] = first.borders[0] + (int64_t)(random >> 32 & 7);
        first.readiness = (enum border_readiness)(random >> 50 & 3) % 3;
        await();
        timed_pass(step);
        if (random >> 45 & 1)
            timed_call(thread, CALL_MPI_Comm_size, (int64_t)(random >> 20 & 63), step % 5);
        else
            refused += !timeline_come_async(thread, timed_pass(0));
        crossed += first.crossed + second.crossed;
        while (thread->level > thread->levels)
            instance_close_async(thread, thread->last_ns);
        first.crossed = second.crossed = order_count = 0;
    }
    thread->border_due_ns = INT64_MAX;
    OK(crossed > 500 && refused > 50, "%d borders crossed, %d samples refused", crossed,
       refused);
    timed_stop(thread);
    EQ_INT(thread->end_ns, timed_pass(0), "the line ends when the thread is stopped");
    EQ_INT(timed_total(thread), thread->end_ns - thread->begin_ns,
           "computation, MPI and overhead are the wall time");
}

int main(void)
{
    timed_start();
    thread = timed_attach();
    test_advancing_crosses_nothing();
    test_nobody_is_asked_without_need();
    test_borders_are_crossed_where_they_lie();
    test_crossing_stops_at_the_last_border();
    test_borders_of_several_sources();
    test_sources_hear_of_the_thread();
    test_ready_in_the_handler();
    test_later_than_the_handler();
    test_never_in_the_handler();
    test_a_call_is_divided();
    test_all_time_is_given();
    return tap_done();
}
