/*
 * Iterations on their way into clusters: at once, or several together where they are long, or
 * put off until the thread's next collective synchronization; and what happens to those that
 * find no memory then.
 */
#include "iterations/iteration.h"

#include "host/config.h"
#include "iterations/aside.h"
#include "iterations/instance.h"
#include "iterations/phase.h"
#include "library/typed.h"
#include "life/attach.h"
#include "measure/measure.h"
#include "unwind/caller.h"
#include "unwind/recipe.h"
#include "wrappers/mpi_rules.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct thread *thread;
static int ranks = 2;

static int no(MPI_Comm handle, int *flag)
{
    (void)handle;
    return *flag = 0;
}

static int size(MPI_Comm handle, int *value)
{
    (void)handle;
    *value = ranks;
    return MPI_SUCCESS;
}

static void play(enum mpi_call call, void *function)
{
    memcpy(&mpi_real_table[1][call], &function, sizeof function);
}

/* What the wrapper of a barrier does, after a barrier that has been passed. */
__attribute__((noinline)) static void pass_barrier(enum mpi_call call)
{
    const uintptr_t *frame = ARCH_FRAME();
    thread_claim_async(thread, 0);
    uint64_t begin = measure_begin(thread, call, frame), end = measure_end(thread);
    struct request_operation later;
    struct counted_mpi_call counted = {.thread = thread,
                                       .later = call == CALL_MPI_Ibarrier ? &later : NULL};
    counted.leaf = measure_record(thread, call, frame, begin, end);
    rule_barrier(&counted, MPI_COMM_WORLD);
    thread_leave(thread);
}

__attribute__((noinline)) static void mark_at(const char *name, bool begins, uint64_t ticks)
{
    struct registers caller = unwind_caller(ARCH_FRAME());
    thread_claim_async(thread, 0);
    if (begins)
        phase_begin(thread, name, true, caller, ticks);
    else
        phase_end(thread, name, caller, ticks);
    thread->depth = DEPTH_PROGRAM;
}

static void mark(const char *name, bool begins)
{
    mark_at(name, begins, clock_ticks_async());
}

static void have_iteration(const char *name)
{
    mark(name, true);
    pass_barrier(CALL_MPI_Ibarrier);
    mark(name, false);
    while (thread->pieces.under_way)
        iteration_cluster_async(thread);
}

/* The profile that was put aside. */
static const struct profile *aside_profile(const struct thread *of)
{
    return of->iterations->aside.ended.profile;
}

/* Does a piece of work as short as one can be. */
static void coroutine_is_left(struct thread *of)
{
    of->iterations->queue.enough = UINT32_MAX;
    coroutine_resume_async(&of->pieces, 0);
}

/* A short one, unless others take the processor: then there is another one. */
static void have_short_iteration(const char *name)
{
    int64_t begin_ns;
    do {
        begin_ns = clock_now_async();
        have_iteration(name);
    } while (clock_now_async() - begin_ns >= WAITING_LEAST_NS);
}

/* One that takes two milliseconds. */
static void have_long_iteration(const char *name)
{
    const struct timespec time = {.tv_nsec = 2000000};
    mark(name, true);
    pass_barrier(CALL_MPI_Barrier);
    nanosleep(&time, NULL);
    mark(name, false);
}

/* How many are clustered, once what has been begun is done: on a busy machine in pieces. */
static unsigned long long done(uint32_t series)
{
    while (thread->pieces.under_way || aside_profile(thread))
        iteration_cluster_async(thread);
    return clustering_iterations(thread->iterations->series[series].clustering);
}

static unsigned long long ended(uint32_t series)
{
    return iteration_count_async(thread, series);
}

/* All values of PROFILE. */
static int64_t sum(const struct profile *profile)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        const struct node *node = &thread->tree.nodes[profile->touched[i]];
        for (unsigned n = 0; n < layout_table[node->layout].cells; n++)
            total += profile->values[node->cell + n];
    }
    return total;
}

static int64_t sum_of_clusters(uint32_t series)
{
    int64_t total = 0;
    const struct clustering *clustering = thread->iterations->series[series].clustering;
    for (uint32_t c = 0; c < clustering_count(clustering); c++) {
        struct cluster_view cluster;
        clustering_view(clustering, c, &cluster);
        for (size_t i = 0; i < cluster.cell_count; i++)
            total += cluster.values[i];
    }
    return total;
}

static void test_at_once(void)
{
    config.number[SETTING_COMPRESS_AT] = COMPRESS_AT_ITERATION;
    have_short_iteration("step");
    OK(ended(0) >= 1, "an iteration counts when it has ended");
    EQ_INT(done(0), ended(0), "and a short one is in a cluster");
}

static void test_together(void)
{
    const unsigned long long before = done(0);
    for (int i = 1; i < WAITING_MOST; i++)
        have_long_iteration("step");
    EQ_INT(done(0), before, "long iterations wait, collectives or not");
    EQ_INT(ended(0), before + WAITING_MOST - 1, "but count");
    have_long_iteration("step");
    EQ_INT(done(0), before + WAITING_MOST, "until there are enough of them");
    EQ_INT(ended(0), before + WAITING_MOST, "which does not count them again");
    have_long_iteration("step");
    have_short_iteration("step");
    OK(ended(0) >= before + WAITING_MOST + 2, "or a short one comes");
    EQ_INT(done(0), ended(0), "which stays behind them");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums of both are the same");
}

/* What clustering costs is known by series, to whoever decides whether it is worth it. */
static void test_costs(void)
{
    const struct iterations *iterations = thread->iterations;
    const int64_t before_ns = iterations->cost_ns, own_ns = iterations->series[0].cost_ns,
                  begin_ns = clock_now_async();
    have_iteration("step");
    iteration_flush_queue_async(thread);
    const int64_t cost_ns = iterations->series[0].cost_ns - own_ns;
    OK(cost_ns > 0 && cost_ns <= clock_now_async() - begin_ns, "clustering costs time: %lld ns",
       (long long)cost_ns);
    EQ_INT(iterations->cost_ns - before_ns, cost_ns, "that of this series alone");
    iteration_flush_queue_async(thread);
    EQ_INT(iterations->series[0].cost_ns - own_ns, cost_ns,
           "where none waits it costs nothing");
}

static void test_put_off(void)
{
    const unsigned long long before = done(0);
    config.number[SETTING_COMPRESS_AT] = COMPRESS_AT_COLLECTIVE;
    have_iteration("step");
    EQ_INT(done(0), before, "an iteration waits");
    EQ_INT(ended(0), before + 1, "but counts");
    pass_barrier(CALL_MPI_Ibarrier);
    EQ_INT(done(0), before, "while a barrier has only been started");
    ranks = 1;
    pass_barrier(CALL_MPI_Barrier);
    EQ_INT(done(0), before, "and while nobody else takes part in one");
    ranks = 2;
    pass_barrier(CALL_MPI_Barrier);
    EQ_INT(done(0), before + 1, "until all have waited for each other");
    EQ_INT(ended(0), before + 1, "which does not count it again");
    pass_barrier(CALL_MPI_Barrier);
    EQ_INT(done(0), before + 1, "nor does another barrier");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums of both are the same");
}

static void test_few_wait(void)
{
    const unsigned long long before = done(0);
    mark("step", true);
    for (int i = 1; i < ENDED_MOST; i++)
        have_iteration("inner");
    EQ_INT(done(1), 0, "nested ones wait");
    mark("step", false);
    EQ_INT(done(1), ENDED_MOST - 1, "until they are enough, with what is around them");
    EQ_INT(done(0), before + 1, "which is added after them");
    EQ_INT(ended(0), before + 1, "and counted once");
    have_iteration("step");
    EQ_INT(done(0), before + 1, "the next ones wait again");
    iteration_flush_queue_async(thread);
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

/* The program ended, or jumped out of its handler, while they were handed over. */
static void test_left_half_way(void)
{
    mark("step", true);
    for (int i = 1; i < ENDED_MOST; i++)
        have_iteration("inner");
    const unsigned long long before = done(1);
    /* As it is while the last but one is. */
    thread->iterations->queue.count = ENDED_MOST;
    thread->iterations->queue.ended[ENDED_MOST - 1] =
        thread->iterations->queue.ended[ENDED_MOST - 2];
    thread->iterations->queue.first = ENDED_MOST - 1;
    const int32_t *next = thread->calls->walk_debt_ns;
    mark("inner", true);
    mark("inner", false);
    EQ_INT(done(1), before, "what was being handed over is not handed over again");
    EQ_INT(ended(1), before + 2, "what is behind it and the next one wait");
    OK(thread->calls->walk_debt_ns == next && thread->iterations->queue.first == 0 &&
           thread->iterations->queue.count == 2,
       "and there is room for them");
    iteration_flush_queue_async(thread);
    EQ_INT(done(1), before + 2, "until they are handed over");
    mark("step", false);
    iteration_flush_queue_async(thread);
}

/* While clusters may not change iterations wait until the queue is full. */
static void test_full(void)
{
    iteration_flush_queue_async(thread);
    const unsigned long long before = done(0);
    thread->frozen = true;
    for (int i = 0; i < ENDED_MOST; i++)
        have_iteration("step");
    thread->frozen = false;
    EQ_INT(done(0), before, "all wait");
    const size_t cells = thread->iterations->queue.cells_used;
    mark("step", true);
    pass_barrier(CALL_MPI_Barrier);
    mark("step", false);
    OK(done(0) > before && ended(0) == before + ENDED_MOST + 1, "the first makes room");
    OK(thread->iterations->queue.cells_used <= cells + cells / ENDED_MOST,
       "for the cells of the next, too");
    iteration_flush_queue_async(thread);
    EQ_INT(done(0), before + ENDED_MOST + 1, "each is handed over once");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "with what was in it");
}

/* So that nothing of what is drawn can be drawn again. */
static size_t say_all_used(void)
{
    return SIZE_MAX / 2;
}

/* Without memory for those that wait. */
static void test_nothing_left(void)
{
    budget_settle_by(say_all_used);
    const unsigned long long before = done(0);
    size_t most = 1;
    while (budget_draw_async(most))
        most *= 2;
    size_t drawn = most - 1;
    for (size_t part = most; part > 0; part /= 2)
        if (budget_draw_async(part))
            drawn += part;
    thread->iterations->queue.drawn = false;
    have_iteration("step");
    EQ_INT(done(0), before + 1, "without memory for them none waits");
    budget_return_async(drawn);
    have_iteration("step");
    EQ_INT(done(0), before + 1, "with it they do");
    iteration_flush_queue_async(thread);
}

/* Iterations with a great number of call paths. */
static void test_large_ones_wait_less(void)
{
    config.number[SETTING_COMPRESS_AT] = COMPRESS_AT_ITERATION;
    iteration_flush_queue_async(thread);
    const unsigned long long before = done(0);
    for (int i = 0; i < 2; i++) {
        /* However long it takes to fill it. */
        const uint64_t ticks = clock_ticks_async();
        mark_at("step", true, ticks);
        for (uint32_t site = 1; site < ENDED_CELLS / 2; site++)
            profile_add_async(thread->level->profile, &thread->tree,
                              cct_child_async(&thread->tree, thread->level->root, NODE_FUNCTION,
                                              1, site, LAYOUT_FRAME, METRIC_none),
                              METRIC_computation, 1);
        mark_at("step", false, ticks);
        EQ_INT(done(0), before + 1 + (unsigned)i, "large ones do not wait");
    }
    thread->frozen = true;
    mark("step", true);
    profile_accumulate_async(thread->level->profile, &thread->closed, &thread->tree);
    mark("step", false);
    iteration_settle_async(thread);
    OK(thread->frozen && thread->iterations->queue.count == 1 &&
           thread->iterations->queue.cells_used + thread->iterations->queue.paths_used >
               ENDED_CELLS,
       "unless clusters are read: one has room, however large");
    thread->frozen = false;
    iteration_cluster_async(thread);
    EQ_INT(done(0), before + 3, "it is clustered later");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

enum { LARGE = 3000 }; /* call paths */

static void fill(uint32_t count, int64_t value)
{
    for (uint32_t site = 1; site <= count; site++)
        profile_add_async(thread->level->profile, &thread->tree,
                          cct_child_async(&thread->tree, thread->level->root, NODE_FUNCTION, 2,
                                          site, LAYOUT_FRAME, METRIC_none),
                          METRIC_computation, value);
}

/* One with so many call paths that it is put aside. */
static void have_large_iteration(const char *name)
{
    mark(name, true);
    fill(LARGE, 1);
    mark(name, false);
}

static bool is_aside(void)
{
    return aside_is_used_async(thread->iterations);
}

/* Works in pieces until nothing is aside; returns how many it took. */
static int take_in(void)
{
    int pieces = 0;
    for (; is_aside(); pieces++)
        iteration_cluster_async(thread);
    return pieces;
}

static void test_put_aside(void)
{
    iteration_flush_queue_async(thread);
    const unsigned long long before = ended(0);
    const int64_t closed = sum(&thread->closed);
    have_large_iteration("step");
    OK(is_aside(), "an iteration with many call paths is put aside");
    EQ_INT(ended(0), before + 1, "but counts");
    OK(!iteration_is_idle_async(thread), "and is work that is left");
    const struct profile *first = aside_profile(thread);
    OK(take_in() > 1, "it is taken in in pieces");
    OK(sum(&thread->closed) > closed, "and is in the sum then");
    EQ_INT(ended(0), before + 1, "counted once");
    have_large_iteration("step");
    OK(is_aside() && aside_profile(thread) != first, "the next one has another profile");
    have_large_iteration("step");
    OK(is_aside() && aside_profile(thread) == first, "and makes room for the one after it");
    EQ_INT(ended(0), before + 3, "which counts");
    iteration_skip_async(thread, 0, 2);
    EQ_INT(ended(0), before + 5, "like those without a profile behind it");
    have_iteration("step");
    OK(!is_aside(), "a small one comes after it");
    EQ_INT(ended(0), before + 6, "and counts");
    iteration_flush_queue_async(thread);
    EQ_INT(clustering_iterations(thread->iterations->series[0].clustering), before + 6,
           "all of them are clustered");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

static void test_put_aside_within(void)
{
    const unsigned long long before = ended(0);
    mark("step", true);
    const struct profile *around = thread->level->profile;
    have_large_iteration("inner");
    OK(is_aside(), "one within another is put aside");
    take_in();
    OK(sum(around) > LARGE, "and added to that");
    have_large_iteration("inner");
    OK(is_aside(), "again");
    mark("step", false);
    OK(is_aside() && aside_profile(thread) == around, "the outer one follows it");
    EQ_INT(ended(0), before + 1, "and counts");
    iteration_flush_queue_async(thread);
    OK(!is_aside(), "a flush leaves none");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

/* A save reads the profiles, and the pieces are its. */
static void test_put_aside_while_frozen(void)
{
    const unsigned long long before = done(0);
    thread->frozen = true;
    have_large_iteration("step");
    OK(is_aside(), "one is put aside while clusters are read");
    OK(!iteration_cluster_async(thread) && is_aside(), "and stays there");
    have_large_iteration("step");
    OK(is_aside() && thread->iterations->queue.count == 1, "until the next one comes");
    EQ_INT(ended(0), before + 2, "both count");
    thread->frozen = false;
    iteration_flush_queue_async(thread);
    EQ_INT(done(0), before + 2, "and are clustered after it");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

/* The program left by a jump while it was taken in. */
static void test_put_aside_and_left(void)
{
    const unsigned long long before = done(0);
    int left = 0;
    for (int pieces = 0; left < 20; pieces = (pieces + 1) % 40) {
        have_large_iteration("step");
        for (int i = 0; i < pieces && is_aside(); i++)
            coroutine_is_left(thread);
        left += is_aside();
        thread->pieces.runs = thread->pieces.under_way;
        take_in();
        iteration_flush_queue_async(thread);
        if (pieces == 39)
            break;
    }
    OK(left > 1, "work is left half way");
    OK(done(0) > before, "and gone on with");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

/* The program has left a piece by a jump, or ends in one: what comes does not pause for it. */
static void test_left_behind(void)
{
    iteration_flush_queue_async(thread);
    for (int frozen = 0; frozen < 2; frozen++) {
        const unsigned long long before = ended(0);
        /* Nothing is done at once, as while clusters are read: it is not clustering that is
         * left. */
        thread->frozen = true;
        mark("step", true);
        fill(200, 1);
        mark("step", false);
        thread->frozen = false;
        OK(is_aside(), "an iteration is taken in");
        coroutine_start_async(&thread->pieces, thread->pieces.work, thread);
        while (is_aside())
            coroutine_is_left(thread);
        thread->pieces.under_way = thread->pieces.runs = true;
        thread->frozen = frozen;
        mark("step", true);
        fill(64, 1);
        mark("step", false);
        thread->frozen = false;
        EQ_INT(ended(0), before + 2, "an iteration ends after a piece that was left");
        iteration_flush_queue_async(thread);
        EQ_INT(done(0), before + 2, "and both are clustered");
        EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
    }
}

/* Those that came before one for which there is no memory count as well. */
static void test_skipped_without_memory(void)
{
    struct cluster_queue *queue = &thread->iterations->queue;
    have_long_iteration("step");
    const unsigned long long before = ended(0);
    iteration_skip_async(thread, 0, 5);
    budget_settle_by(say_all_used);
    size_t most = 1, drawn;
    while (budget_draw_async(most))
        most *= 2;
    drawn = most - 1;
    for (size_t part = most; part > 0; part /= 2)
        if (budget_draw_async(part))
            drawn += part;
    const size_t room = queue->paths_room;
    queue->paths_room = queue->paths_used;
    have_long_iteration("step");
    queue->paths_room = queue->paths_used;
    have_long_iteration("step");
    queue->paths_room = room;
    budget_return_async(drawn);
    EQ_INT(ended(0), before + 7, "iterations without memory count, and those before them");
    iteration_flush_queue_async(thread);
    EQ_INT(ended(0), before + 7, "also when all are clustered");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0), "the sums are the same");
}

/* Of a loop that is found whose passes count as outside until it is shown. */
static void test_passes_aside(void)
{
    struct level *outer = thread->level;
    const int64_t outside = sum(&thread->outside);
    for (int pass = 0; pass < 2; pass++) {
        const int64_t cost_ns = thread->iterations->series[1].cost_ns;
        instance_open_pass_async(thread, CCT_ROOT, 1, CCT_ROOT, thread->last_ns);
        fill(LARGE, 1);
        instance_close_async(thread, thread->last_ns);
        OK(is_aside(), "a pass is put aside");
        OK(pass == 0 || thread->iterations->series[1].cost_ns > cost_ns,
           "what taking in the one before has cost is its loop's");
    }
    OK(thread->level == outer, "they have ended");
    iteration_settle_async(thread);
    OK(!is_aside() && sum(&thread->outside) - outside >= 2 * LARGE,
       "both are in what is around them");
    iteration_flush_queue_async(thread);
}

static void test_without_memory(void)
{
    config.number[SETTING_COMPRESS_AT] = COMPRESS_AT_COLLECTIVE;
    int64_t before = sum(&thread->closed), outside = sum(&thread->outside);
    void *free_blocks[HEAP_CLASSES];
    config.number[SETTING_CLUSTERS] = 0;
    have_iteration("strict");
    iteration_flush_queue_async(thread);
    int64_t closed = sum(&thread->closed);
    OK(closed > before, "an iteration was closed");
    have_iteration("strict");
    int64_t waiting = sum(&thread->closed) - closed;
    OK(waiting > 0, "one that waits counts as closed");
    outside = sum(&thread->outside);
    const size_t used = thread->heap.arena.used;
    /* Its kind cannot be taken into another. */
    thread->heap.arena.used = thread->heap.arena.size;
    memcpy(free_blocks, thread->heap.free, sizeof free_blocks);
    memset(thread->heap.free, 0, sizeof free_blocks);
    struct path_entry *paths = thread->iterations->queue.paths;
    paths[thread->iterations->queue.ended[0].profile.path_count - 1].visits += 1000;
    iteration_flush_queue_async(thread);
    memcpy(thread->heap.free, free_blocks, sizeof free_blocks);
    thread->heap.arena.used = used;
    EQ_INT(clustering_lost(thread->iterations->series[2].clustering), 1,
           "without memory it is lost");
    EQ_INT(sum(&thread->closed), closed, "not closed any more");
    EQ_INT(sum(&thread->outside), outside + waiting, "but outside all iterations");
    OK(thread->notes >> NOTE_ITERATIONS_LOST & 1, "it is noted");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0) + sum_of_clusters(2),
           "the sums are the same");
}

static void test_the_end(void)
{
    have_iteration("step");
    EQ_INT(ended(0), done(0) + 1, "an iteration waits at the end");
    threads_close();
    thread_stop(thread, clock_now_async());
    EQ_INT(ended(0), done(0), "and is in a cluster after it");
    EQ_INT(sum(&thread->closed), sum_of_clusters(0) + sum_of_clusters(2),
           "the sums are the same");
}

int main(void)
{
    setenv("TSPROF_EQUIVALENCE", "strong", 1);
    config_start();
    layouts_start();
    mpi_calls_start();
    recipe_start();
    clock_start();
    clock_calibrate();
    play(CALL_MPI_Comm_test_inter, (void *)no);
    play(CALL_MPI_Comm_size, (void *)size);
    play(CALL_MPI_Comm_rank, (void *)no);
    const struct follow_place nowhere = follow_place(NULL);
    const struct thread_identity identity = thread_identity();
    thread = thread_attach(clock_now_async(), &nowhere, &identity);
    test_at_once();
    test_together();
    test_costs();
    test_put_off();
    test_few_wait();
    test_left_half_way();
    test_full();
    test_nothing_left();
    test_large_ones_wait_less();
    test_put_aside();
    test_put_aside_within();
    test_put_aside_while_frozen();
    test_put_aside_and_left();
    test_left_behind();
    test_skipped_without_memory();
    test_passes_aside();
    test_without_memory();
    test_the_end();
    return tap_done();
}
