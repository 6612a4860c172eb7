/*
 * The numbers of one thread as a section of the summary: they are encoded here, and the
 * command's own reader, which validates what it reads, gives them back.
 */
#include "encode/location.h"

#include "assemble/resolve.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"

#include "tap.h"
#include "tests/unit/libprof/read_back.h"
#include "tests/unit/libprof/timed_thread.h"

#include <unistd.h>

enum { NODES_MOST = 256, ITERATIONS = 4, RANK = 7, HOST = 3, SUMMARY_PHASES = 6 };

static struct thread *thread;
static uint32_t leaf, function; /* in iterations: a call, and who makes it */
static uint32_t after;          /* the same call outside of all iterations */

static __attribute__((noipa)) uint32_t work(void)
{
    timed_pass(100);
    const uint32_t node = timed_call(thread, CALL_MPI_Comm_size, 20, 3);
    __asm__ volatile("" ::: "memory");
    return node;
}

/* Iterations of 123 ns, and 50 ns of computation in the function between them. */
static void measure(void)
{
    after = work();
    for (int i = 0; i < ITERATIONS; i++) {
        timed_begin(thread, "step", true);
        leaf = work();
        function = thread->tree.nodes[leaf].parent;
        level_attribute_async(thread, thread->level, function);
        timed_end(thread, "step");
        timeline_come(thread, timed_pass(50));
    }
    iteration_flush_queue_async(thread);
}

static void test_own_numbers(void)
{
    const uint32_t caller = thread->tree.nodes[after].parent;
    const struct snapshot_profile outside = {
        .profiles = {&thread->outside},
        .profile_count = 1,
        .pending = {{.node = caller, .computation_ns = thread->level->pending_ns}},
        .pending_count = 1};
    const struct proposal nothing = {.count = 0};
    struct encoder out = {0};
    location_encode_own_async(thread, thread->last_ns, &outside, &thread->closed, &nothing,
                              NULL, &out);
    struct read_back *back =
        read_back_numbers(out.bytes, out.size, thread->tree.node_count, phase_count);
    if (!OK(back, "a thread's own numbers can be read"))
        return;
    EQ_INT(read_back_place(back, 0).wall_ns, thread->last_ns - thread->begin_ns,
           "up to an instant");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, caller, METRIC_computation),
           100 + ITERATIONS * 50, "with what was pending");
    EQ_INT(read_back_cell(back, 0, READ_OUTSIDE, caller, METRIC_computation),
           100 + ITERATIONS * 50, "which lies outside of all iterations");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, leaf, METRIC_visits), ITERATIONS,
           "calls are under the thread's own numbers");
    EQ_INT(read_back_cell(back, 0, READ_OUTSIDE, leaf, METRIC_visits), 0,
           "those in iterations not outside of them");
    EQ_INT(read_back_series(back, 0, 0).iterations, ITERATIONS, "iterations are there");
    EQ_INT(read_back_series(back, 0, 0).phase, thread->iterations->series[0].phase,
           "under their phase");
    EQ_INT(thread->level->pending_ns, 100 + ITERATIONS * 50,
           "nothing of the thread has changed");
    read_back_free(back);
    encoder_free(&out);
}

/* All nodes stay what they are in the summary, but two numbers higher. */
enum { SHIFT = 2 };

static struct read_back *encode(const uint32_t *nodes)
{
    uint32_t phases[PHASES_MOST] = {0};
    struct encoder out = {0};
    phases[thread->iterations->series[0].phase] = 5;
    const struct location_maps maps = {.nodes = nodes, .phases = phases};
    const struct location_place place = {.rank = RANK, .host = HOST};
    location_encode(thread, &place, &maps, &out);
    OK(!out.failed, "a location is encoded");
    struct read_back *back = read_back_location(
        out.bytes, out.size, thread->tree.node_count + SHIFT, SUMMARY_PHASES);
    OK(back, "and can be read");
    encoder_free(&out);
    NEED(back);
    return back;
}

static void name_nodes(uint32_t *nodes)
{
    NEED(thread->tree.node_count <= NODES_MOST);
    for (uint32_t n = 0; n < thread->tree.node_count; n++)
        nodes[n] = n + SHIFT;
}

static void test_whose_it_is(void)
{
    uint32_t nodes[NODES_MOST];
    name_nodes(nodes);
    struct read_back *back = encode(nodes);
    const struct read_place place = read_back_place(back, 0);
    EQ_INT(place.rank, RANK, "it tells the rank");
    EQ_INT(place.thread, thread->number, "the thread");
    EQ_INT(place.host, HOST, "the host");
    EQ_INT(place.process, getpid(), "and the process");
    EQ_INT(place.wall_ns, thread->end_ns - thread->begin_ns, "how long it was measured");
    EQ_INT(place.start_ns, measurement_clock.epoch_ns + thread->first_ns, "and since when");
    EQ_INT(place.notes, 1, "it has a note");
    OK(read_back_has_note(back, 0, note_text_async(NOTE_PHASE_MISUSED)), "in words");
    EQ_INT(read_back_cost(back, 0, "calls"), ITERATIONS + 1, "it tells what was counted");
    EQ_INT(read_back_cost(back, 0, "markers"), 2 * ITERATIONS + 1, "of tsprof's own work");
    read_back_free(back);
}

static void test_numbers_come_back(void)
{
    uint32_t nodes[NODES_MOST];
    name_nodes(nodes);
    struct read_back *back = encode(nodes);
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, leaf + SHIFT, METRIC_mpi_other), ITERATIONS * 20,
           "values are under the summary's names of nodes");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, leaf + SHIFT, METRIC_visits), ITERATIONS,
           "of every metric");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, function + SHIFT, METRIC_computation),
           ITERATIONS * 100, "on every call path");
    EQ_INT(read_back_cell(back, 0, READ_OUTSIDE, leaf + SHIFT, METRIC_visits), 0,
           "what was in iterations is not outside of them");
    EQ_INT(read_back_cell(back, 0, READ_OUTSIDE, after + SHIFT, METRIC_mpi_other), 20,
           "what was outside is");
    const struct read_series series = read_back_series(back, 0, 0);
    EQ_INT(read_back_place(back, 0).series, 1, "there is a series");
    EQ_INT(series.phase, 5, "under the summary's name of its phase");
    EQ_INT(series.iterations, ITERATIONS, "with all iterations");
    EQ_INT(series.size, ITERATIONS, "in clusters");
    EQ_INT(series.wall_ns, ITERATIONS * (100 + 20 + 3), "of their time");
    EQ_INT(read_back_clustered(back, 0, 0, leaf + SHIFT, METRIC_mpi_other), ITERATIONS * 20,
           "and their values");
    read_back_free(back);
}

/* The function that calls MPI in iterations is not shown: it becomes part of the phase. */
static void test_frames_that_are_left_out(void)
{
    uint32_t nodes[NODES_MOST];
    const uint32_t phase = thread->tree.nodes[function].parent;
    name_nodes(nodes);
    struct read_back *back = encode(nodes);
    const int64_t visits = read_back_cell(back, 0, READ_WHOLE, phase + SHIFT, METRIC_visits),
                  before =
                      read_back_cell(back, 0, READ_WHOLE, phase + SHIFT, METRIC_computation);
    OK(read_back_cell(back, 0, READ_WHOLE, function + SHIFT, METRIC_visits) > 0,
       "a frame that is shown has visits");
    read_back_free(back);
    nodes[function] = nodes[phase] | RESOLVED_LEFT_OUT;
    back = encode(nodes);
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, function + SHIFT, METRIC_computation), 0,
           "one that is not has nothing");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, phase + SHIFT, METRIC_computation) - before,
           ITERATIONS * 100, "its time is that of the one around it");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, phase + SHIFT, METRIC_visits), visits,
           "but entering the one is not entering the other");
    EQ_INT(read_back_cell(back, 0, READ_WHOLE, leaf + SHIFT, METRIC_visits), ITERATIONS,
           "what it calls stays what it is");
    read_back_free(back);
}

/* Largest values are of a call path and a metric. */
static void test_largest_values(void)
{
    uint32_t nodes[NODES_MOST];
    const uint32_t metric = thread->tree.nodes[leaf].time_metric;
    name_nodes(nodes);
    struct read_back *back = encode(nodes);
    EQ_INT(read_back_largest(back, 0, 0, function + SHIFT, METRIC_computation), 100,
           "a function has one of computation");
    EQ_INT(read_back_largest(back, 0, 0, leaf + SHIFT, metric), 20, "and a call of MPI's");
    read_back_free(back);
    nodes[leaf] = nodes[function];
    back = encode(nodes);
    EQ_INT(read_back_largest(back, 0, 0, function + SHIFT, METRIC_computation), 100,
           "both are there if they are one call path in the summary");
    EQ_INT(read_back_largest(back, 0, 0, function + SHIFT, metric), 20, "each of its metric");
    read_back_free(back);
}

int main(void)
{
    timed_start();
    thread = timed_attach();
    measure();
    test_own_numbers();
    timed_end(thread, "never begun");
    timed_stop(thread);
    test_whose_it_is();
    test_numbers_come_back();
    test_frames_that_are_left_out();
    test_largest_values();
    return tap_done();
}
