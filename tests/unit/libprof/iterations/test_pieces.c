/*
 * How long the pieces are in which iterations and slices with many call paths are taken in,
 * counted in instructions: as short with many call paths as with few.  Not those that
 * sanitizers add.
 */
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"
#include "tests/unit/trap.h"

#include <signal.h>

/* Call paths, and the most instructions of a piece: some microseconds. */
enum { FEW = 300, MANY = 600, MOST_INSTRUCTIONS = 17000 };

static struct thread *thread;
static volatile long instructions;
static bool is_counting; /* which takes some microseconds an instruction */

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    instructions++;
}

/*
 * The instructions of the longest piece until all work is done, but for the clustering if the
 * call paths are KNOWN.
 */
static long longest_piece(bool known, long *pieces)
{
    long longest = 0;
    /* Every reading of the clock says that a piece has been long enough. */
    timed_tick(50000);
    for (*pieces = 0; iteration_is_owed_async(thread) || (!known && thread->pieces.under_way);
         ++*pieces) {
        const bool counts =
            !known || !thread->search || thread->search->slices.list.stage != SLICE_HAND;
        instructions = 0;
        if (is_counting)
            trap_every_instruction();
        iteration_cluster_async(thread);
        if (is_counting)
            trap_no_instruction();
        longest = counts && instructions > longest ? instructions : longest;
    }
    timed_tick(0);
    return longest;
}

static uint32_t path(uint32_t parent, uint64_t site)
{
    return cct_child_async(&thread->tree, parent, NODE_FUNCTION, 2, site << 48, LAYOUT_FRAME,
                           METRIC_none);
}

/* Adds to COUNT call paths below ROOT, the last first in every other call. */
static void fill(uint32_t root, uint64_t count)
{
    static bool backwards;
    for (uint64_t i = 0; i < count; i++)
        profile_add_async(thread->level->profile, &thread->tree,
                          path(root, backwards ? count - i : i + 1), METRIC_computation,
                          (int64_t)i + 1);
    backwards = !backwards;
}

/*
 * The longest piece of two iterations with COUNT call paths.
 */
static long iterations(uint64_t count, long *pieces)
{
    long longest = 0;
    for (int i = 0; i < 2; i++) {
        timed_begin(thread, "step", true);
        fill(thread->level->root, count);
        /* As while clusters are read: nothing is done yet. */
        thread->frozen = true;
        timed_end(thread, "step");
        thread->frozen = false;
        const long found = longest_piece(i > 0, pieces);
        longest = found > longest ? found : longest;
    }
    iteration_flush_queue_async(thread);
    return longest;
}

/* The same of slices. */
static long slices(uint64_t count, long *pieces)
{
    long longest = 0;
    for (int i = 0; i < 2; i++) {
        /*
         * The clock has moved on while the last one was made.  As if that had taken no time:
         * otherwise not every slice would have a profile.
         */
        thread->search->slices.cost_ns = 0;
        timeline_come(thread, timed_pass(0));
        iteration_flush_queue_async(thread);
        thread->search->slices.cost_ns = 0;
        fill(CCT_ROOT, count);
        timeline_come(thread, timed_pass(thread->search->slices.next_ns - timed_pass(0)));
        const long found = longest_piece(i > 0, pieces);
        longest = found > longest ? found : longest;
    }
    return longest;
}

static void check(const char *what, long (*work)(uint64_t count, long *pieces))
{
    long few_pieces, many_pieces;
    is_counting = false;
    work(FEW, &few_pieces);
    is_counting = true;
    const long few = work(FEW, &few_pieces), many = work(MANY, &many_pieces);
    OK(few > 0 && few < MOST_INSTRUCTIONS, "%s: no piece has many instructions, %ld", what,
       few);
    OK(many < MOST_INSTRUCTIONS, "%s: nor where there are more call paths, %ld", what, many);
    OK(many_pieces > few_pieces * 3 / 2, "%s: there are more pieces then, %ld and %ld", what,
       few_pieces, many_pieces);
}

static void test_iterations(void)
{
    thread = timed_attach();
    check("iterations", iterations);
}

static void test_slices(void)
{
    thread = timed_attach();
    search_start(thread);
    timeline_come(thread, timed_pass(1));
    long pieces;
    is_counting = false;
    longest_piece(true, &pieces);
    check("slices", slices);
    search_stop(thread, thread->last_ns);
    OK(slices_count_async(thread) >= 6, "slices have been made");
}

/* GCC tells, and Clang by another name. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

int main(void)
{
    if (IS_SANITIZED) {
        puts("1..0 # SKIP sanitizers add instructions of their own");
        return 0;
    }
    const struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    timed_start();
    sigaction(SIGTRAP, &trap, NULL);
    test_slices();
    test_iterations();
    return tap_done();
}
