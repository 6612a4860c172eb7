/*
 * Iterations that TSPROF_ITERATION names: functions, calls, every so many of them, intervals of
 * time.  Each test runs in a process of its own, since a process reads the setting once.
 */
#include "iterations/watch.h"

#include "iterations/iterations.h"

#include "tests/unit/libprof/alone.h"
#include "tests/unit/libprof/timed_thread.h"

#define MS INT64_C(1000000)

static struct thread *thread;

static void watch(const char *setting)
{
    timed_pass(1000);
    config.text[SETTING_ITERATION] = setting;
    alias_start();
    thread = timed_attach();
    watch_start(thread);
}

/* A call that takes 5, 10 after the last one; that it is not the last thing its caller does
 * keeps that on the stack. */
#define CALL(name)                                                                             \
    do {                                                                                       \
        timed_pass(10);                                                                        \
        timed_call(thread, CALL_##name, 5, 0);                                                 \
        __asm__ volatile("" ::: "memory");                                                     \
    } while (0)

static __attribute__((noipa)) void solve(int sends)
{
    CALL(MPI_Barrier);
    while (sends-- > 0)
        CALL(MPI_Send);
}

static __attribute__((noipa)) void other(void)
{
    CALL(MPI_Barrier);
    CALL(MPI_Recv);
}

/* The series whose phase is called NAME; NULL if there is none. */
static const struct series *series_of(const char *name)
{
    const int phase = phase_find_async(name);
    for (uint32_t i = 0; phase >= 0 && i < thread->iterations->series_count; i++)
        if (thread->iterations->series[i].phase == (uint32_t)phase)
            return &thread->iterations->series[i];
    return NULL;
}

/* Iterations of NAME that have ended. */
static uint64_t ended(const char *name)
{
    const struct series *series = series_of(name);
    iteration_flush_queue_async(thread);
    return series ? clustering_iterations(series->clustering) : 0;
}

/* The time of all of them. */
static int64_t wall_ns(const char *name)
{
    const struct series *series = series_of(name);
    int64_t sum = 0;
    for (uint32_t c = 0; series && c < clustering_count(series->clustering); c++) {
        struct cluster_view cluster;
        clustering_view(series->clustering, c, &cluster);
        sum += cluster.wall_ns;
    }
    return sum;
}

/* The iterations that are open, outermost first, the first letter of each. */
static const char *open_now(void)
{
    static char text[LEVELS_MOST + 1];
    unsigned count = 0;
    for (const struct level *level = thread->levels + 1; level <= thread->level; level++)
        text[count++] = phase_table[level->phase].name[0];
    text[count] = '\0';
    return text;
}

static void check_all_time(void)
{
    timed_stop(thread);
    EQ_INT(timed_total(thread), thread->end_ns - thread->begin_ns,
           "computation, MPI and overhead are the wall time");
}

static void test_nothing_is_watched_for(void)
{
    watch("markers");
    OK(!thread->watched, "where nothing is named calls cost nothing");
    EQ_INT(thread->border_due_ns, INT64_MAX, "and there are no borders");
}

static void test_functions(void)
{
    watch("function:solve");
    OK(thread->watched, "function: calls are watched");
    for (int i = 0; i < 5; i++) {
        solve(2);
        if (i < 3)
            other();
    }
    OK(*open_now() == 's', "an execution is open until something shows its end");
    other();
    OK(!*open_now(), "as a call from elsewhere does");
    EQ_INT(ended("solve"), 5, "each execution is an iteration, also of the same call");
    /* From its first call to the next call outside. */
    EQ_INT(wall_ns("solve"), 5 * (3 * 5 + 2 * 10 + 10),
           "from its first call to the next outside");
    OK(!(thread->notes >> NOTE_EXECUTIONS_JOINED & 1), "executions are told from each other");
    check_all_time();
}

static void test_calls(void)
{
    watch("call:MPI_Barrier@solve");
    other();
    OK(!*open_now(), "call: a call from another function is no border");
    for (int i = 0; i < 4; i++) {
        solve(1);
        other();
    }
    EQ_INT(ended("MPI_Barrier in solve"), 3,
           "each call from there ends one and begins another");
    EQ_INT(wall_ns("MPI_Barrier in solve"), 3 * 4 * 15, "at the instant at which it was made");
    check_all_time();
    EQ_INT(ended("MPI_Barrier in solve"), 4, "the last one ends with the thread");
}

static void test_every_so_many_calls(void)
{
    watch("every:MPI_Send:3");
    other();
    OK(!*open_now(), "every: no such call has come");
    solve(1);
    OK(*open_now(), "the first one begins an iteration");
    EQ_INT(thread->level->begin_ns, timed_pass(0) - 5, "where it was made");
    solve(9);
    EQ_INT(ended("3 MPI_Send"), 3, "each third one after it begins another");
    check_all_time();
}

static void test_time_is_cut_to_the_nanosecond(void)
{
    watch("time:0.001");
    const int64_t begin_ns = thread->begin_ns;
    EQ_INT(thread->border_due_ns, begin_ns, "time: the first interval begins at once");
    timed_pass(2 * MS + 123457);
    timed_call(thread, CALL_MPI_Comm_size, 1 * MS, 0);
    EQ_INT(thread->level->begin_ns, begin_ns + 3 * MS, "the last interval begins in the call");
    EQ_INT(thread->border_due_ns, begin_ns + 4 * MS, "the next one has its instant");
    const struct series *series = &thread->iterations->series[0];
    iteration_flush_queue_async(thread);
    EQ_INT(clustering_iterations(series->clustering), 3, "three have ended");
    bool exact = true;
    for (uint32_t c = 0; c < clustering_count(series->clustering); c++) {
        struct cluster_view cluster;
        clustering_view(series->clustering, c, &cluster);
        exact = exact && cluster.wall_ns == (int64_t)cluster.size * MS;
    }
    OK(exact, "each of exactly its length");
    EQ_INT(timed_sum(thread, &thread->closed, METRIC_computation), 2 * MS + 123457,
           "what was computed is in them");
    EQ_INT(timed_sum(thread, &thread->closed, METRIC_mpi_other), 1 * MS - 123457,
           "and the call's part of the third");
    EQ_INT(timed_times(thread, &thread->outside), 0, "nothing is outside");
    check_all_time();
}

static void test_time_in_the_handler(void)
{
    watch("time:0.001");
    const int64_t begin_ns = thread->begin_ns;
    OK(!timeline_come_async(thread, timed_pass(500)),
       "a handler can not begin the first one: there is nothing to gather it in");
    EQ_INT(thread->last_ns, begin_ns, "the line stays");
    timeline_come(thread, timed_pass(500));
    EQ_INT(thread->level->begin_ns, begin_ns, "the next call begins it, where it should");
    EQ_INT(thread->level->pending_ns, 1000, "all that was computed is in it");
    OK(timeline_come_async(thread, timed_pass(2 * MS + 1000)),
       "the others a handler can begin");
    EQ_INT(thread->level->begin_ns, begin_ns + 2 * MS, "where they should");
    EQ_INT(thread->level->pending_ns, 2000, "with what was computed since");
    check_all_time();
}

static void test_outer_items_end_inner_ones(void)
{
    watch("every:MPI_Barrier:1,every:MPI_Send:1");
    solve(2);
    const struct level *inner = thread->level;
    EQ_INT(inner - thread->levels, 2, "the second item is open in the first");
    EQ_INT(inner->named, 2, "which is written before it");
    solve(0);
    EQ_INT(thread->level - thread->levels, 1, "that ends it where it begins again");
    EQ_INT(thread->level->named, 1, "and is open itself");
    solve(1);
    EQ_INT(thread->level - thread->levels, 2, "once at most, each");
    EQ_INT(thread->iterations->series[0].nested_in, -1, "the one is in no other");
    EQ_INT(thread->iterations->series[1].nested_in, 0, "the other in that");
    check_all_time();
}

static void test_borders_wait_for_markers(void)
{
    watch("time:0.001");
    const int64_t begin_ns = thread->begin_ns;
    timeline_come(thread, timed_pass(100));
    timed_begin(thread, "own", false);
    timed_pass(2 * MS);
    timeline_come(thread, timed_pass(0));
    EQ_INT(thread->level - thread->levels, 2, "a marker's phase is not ended by a border");
    EQ_INT((thread->level - 1)->begin_ns, begin_ns, "nor is what is around it");
    timed_end(thread, "own");
    const int64_t end_ns = timed_pass(0);
    timed_pass(50);
    timeline_come(thread, timed_pass(0));
    EQ_INT(ended(phase_table[thread->level->phase].name), 2, "the borders come after it");
    EQ_INT(thread->level->begin_ns, end_ns, "late rather than not at all");
    check_all_time();
}

static void test_who_recognises_borders(void)
{
    watch("every:MPI_Barrier:1000000,every:MPI_Send:1000000");
    timeline_come(thread, timed_pass(30));
    OK(watch_begin_async(thread, 0, thread->last_ns), "an item is begun");
    OK(watch_begin_async(thread, 1, thread->last_ns), "and another one in it");
    EQ_INT(thread->level->named, 2, "which is open");
    timed_begin(thread, "own", false);
    OK(!watch_begin_async(thread, 0, thread->last_ns),
       "not where a marker's phase is open in it");
    OK(!watch_end_async(thread, 1, thread->last_ns), "nor can it end there");
    EQ_INT(thread->level - thread->levels, 3, "nothing has changed");
    timed_end(thread, "own");
    timeline_come(thread, timed_pass(40));
    OK(watch_end_async(thread, 0, thread->last_ns), "when that has ended it can");
    EQ_INT(thread->level - thread->levels, 0, "with all that is in it");
    OK(watch_end_async(thread, 0, thread->last_ns), "there is nothing to do twice");
    check_all_time();
}

int main(void)
{
    static void (*const tests[])(void) = {
        test_nothing_is_watched_for,
        test_functions,
        test_calls,
        test_every_so_many_calls,
        test_time_is_cut_to_the_nanosecond,
        test_time_in_the_handler,
        test_outer_items_end_inner_ones,
        test_borders_wait_for_markers,
        test_who_recognises_borders,
    };
    timed_start();
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        alone(tests[i]);
    return tap_done();
}
