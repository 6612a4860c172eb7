/*
 * The stack walker against libunwind: every call path must be the one that a full walk finds,
 * whatever the walker remembers, and no function may seem entered more often than it was.  With
 * aliases of return addresses (test_unwind_aliases) every entry must be seen.
 *
 * TEST_UNWIND_WALKS in the environment says how many walks to make.
 */
#define UNW_LOCAL_ONLY
#include "tap.h"
#include "unwind_judge.h"
#include "unwind_world.h"

#include <libunwind.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { WALKS = 250000, FULL_EVERY = 64, MARK_EVERY = 50, STRAND_BYTES = 1 << 16 };

/* Whether look() puts aliases where functions return to. */
#ifndef ALIASES
#define ALIASES 0
#endif

int main(void);

static unsigned long walks, walks_most = WALKS, failed;

static struct reference reference;

/* Below frames that mark: what a walker finds that remembers nothing. */
static struct walker *forgetful;
static struct anchor marked;
static bool anchored;

static void step_through(unw_cursor_t *cursor, bool exact)
{
    reference.count = 0;
    do {
        unw_word_t ip = 0;
        unw_get_reg(cursor, UNW_REG_IP, &ip);
        add_frame(&reference, ip, exact);
        exact = false;
    } while (unw_step(cursor) > 0);
}

/* Only for look(): drops the frame of the function it is inlined in. */
static inline __attribute__((always_inline)) void walk_fully(void)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_getcontext(&context);
    unw_init_local(&cursor, &context);
    unw_step(&cursor);
    step_through(&cursor, false);
}

static struct walk_result walk_from(const uintptr_t *frame)
{
    const struct registers start = caller_of(frame);
    const struct walk_result walk = unwind_async(walker, scratch, &bounds, &start, &tree);
    if (walk.visited)
        visits_add_async(&scratch->visits, &profile, &tree);
    return walk;
}

/* As a marker in the function that has called the one of FRAME does, now and then. */
static void mark_at(const uintptr_t *frame)
{
    struct anchor here;
    unwind_anchor_async(&bounds, caller_of(frame), &here);
    if (memcmp(&here, &marked, sizeof here) == 0)
        return;
    marked = here;
    walker_reset_async(walker, CCT_ROOT, &marked);
}

static void look_below_anchor(const uintptr_t *frame)
{
    const struct registers start = caller_of(frame);
    if (walks % MARK_EVERY == 0)
        mark_at(frame);
    uint32_t found = unwind_async(walker, scratch, &bounds, &start, &tree).node;
    walker_reset_async(forgetful, CCT_ROOT, &marked);
    wrong += unwind_async(forgetful, scratch, &bounds, &start, &tree).node != found;
    world.over = ++walks == walks_most;
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) void look(void)
{
    const uintptr_t *frame = ARCH_FRAME();
    if (world.over)
        return;
    if (anchored) {
        look_below_anchor(frame);
        return;
    }
    struct walk_result walk = walk_from(frame);
    if (ALIASES && walk.remembered)
        unwind_put_aliases(walker);
    failed += walk.failed;
    /* Two different walkers that agree are right; libunwind's fast one is not always. */
    world.over = ++walks == walks_most;
    pattern_counting = !world.over;
    if (walks % FULL_EVERY != 0) {
        static void *found[FRAMES_MOST];
        int count = unw_backtrace(found, FRAMES_MOST);
        reference.count = 0;
        for (int i = 1; i < count; i++)
            add_frame(&reference, (uintptr_t)found[i], false);
        if (agrees(&reference, walk.node, false))
            return;
    }
    walk_fully();
    if (!agrees(&reference, walk.node, walk.failed))
        show(&reference, walk.node);
}

static int64_t visits_of(uint32_t node)
{
    if (!profile_has_async(&profile, node) || tree.nodes[node].layout != LAYOUT_FRAME)
        return 0;
    return profile
        .values[tree.nodes[node].cell + layout_table[LAYOUT_FRAME].cell_of[METRIC_visits]];
}

/* Visits of all call paths that end in the function that starts at FUNCTION. */
static int64_t visits_of_function(uintptr_t function)
{
    int64_t visits = 0;
    for (uint32_t i = 0; i < tree.node_count; i++)
        if (tree.nodes[i].kind == NODE_FUNCTION && function_of_node(i) == function)
            visits += visits_of(i);
    return visits;
}

enum { VISITED_MOST = 256 };

static int64_t visited[VISITED_MOST]; /* by position in the list of counters, from its end */

static size_t counter_count(void)
{
    size_t count = 0;
    for (const struct pattern_counter *each = pattern_counters; each; each = each->next)
        count++;
    return count;
}

static void note_visits(void)
{
    size_t at = counter_count();
    for (const struct pattern_counter *each = pattern_counters; each; each = each->next)
        visited[--at] += visits_of_function(each->function);
}

static void forget_entries(void)
{
    pattern_counting = true;
    for (struct pattern_counter *each = pattern_counters; each; each = each->next)
        each->entered = 0;
    for (size_t i = 0; i < VISITED_MOST; i++)
        visited[i] = 0;
}

/* CALM: without signals and coroutines, so that every function can return by an alias. */
static void test_random_stacks(bool calm)
{
    char inside[STRANDS / 2 * STRAND_BYTES];
    world.inside = inside;
    world.strand_bytes = STRAND_BYTES;
    size_t at, excessive = 0, missed = 0;
    uint64_t entered = 0, seen = 0;
    world_start();
    strand->in_handler = calm;
    walks = 0;
    forget_entries();
    start_over();
    while (!world.over) {
        go(DEEPEST_NEST);
        if (tree.node_count > NODES / 2) {
            note_visits();
            start_over();
        }
    }
    note_visits();
    world_free();
    world.over = false;
    EQ_INT(walks, walks_most, "walked %lu times", walks_most);
    EQ_INT(wrong, 0, "every call path is the one of a full walk");
    EQ_INT(failed, 0, "every walk reached the root");
    at = counter_count();
    for (const struct pattern_counter *each = pattern_counters; each; each = each->next) {
        excessive += visited[--at] > (int64_t)each->entered;
        if (visited[at] > (int64_t)each->entered)
            printf("# main%+ld: %jd visits, %ju entries\n",
                   (long)(each->function - (uintptr_t)main), (intmax_t)visited[at],
                   (uintmax_t)each->entered);
        missed += ALIASES && calm && each->looks && visited[at] < (int64_t)each->entered;
        entered += each->entered;
        seen += (uint64_t)visited[at];
    }
    EQ_INT(excessive, 0, "no function was visited more often than entered");
    printf("# %ju entries, %ju visits, %zu functions\n", (uintmax_t)entered, (uintmax_t)seen,
           counter_count());
    OK(seen > 0, "and some were visited");
    EQ_INT(missed, 0, "no visit of a function that always looks was missed");
    strand->in_handler = false;
}

/* Takes a sample of the interrupted function. */
static void on_sample(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    const struct registers start = registers_of(context);
    trap_passed(context);
    if (unwind_sample_async(walker, scratch, &bounds, &start, aux_of(context), &tree).visited)
        visits_add_async(&scratch->visits, &profile, &tree);
}

__attribute__((noipa)) static int sample_me(int times)
{
    volatile int i = 0;
    for (; i < times; i++)
        TRAP();
    return i;
}

static void test_samples_of_one_visit_count_one_visit(void)
{
    struct sigaction action = {.sa_sigaction = on_sample, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    start_over();
    sample_me(10);
    EQ_INT(visits_of_function((uintptr_t)sample_me), 1,
           "ten samples of a function that was entered once");
}

__attribute__((noipa)) static void look_twice(void)
{
    look();
    look();
    __asm__ volatile("");
}

static void on_signal_twice(int number)
{
    (void)number;
    look_twice();
    look();
    look();
}

static void test_a_signal_handler_is_entered_once_per_signal(void)
{
    for (int flags = 0; flags <= SA_ONSTACK; flags += SA_ONSTACK) {
        struct sigaction action = {.sa_handler = on_signal_twice, .sa_flags = flags};
        sigaction(SIGUSR1, &action, NULL);
        start_over();
        for (int i = 0; i < 5; i++)
            raise(SIGUSR1);
        OK(visits_of_function((uintptr_t)on_signal_twice) <= 5, "a handler of 5 signals %s",
           flags ? "on another stack" : "on the stack");
        OK(visits_of_function((uintptr_t)look_twice) <= 5, "and a function in it");
    }
}

__attribute__((noipa)) static int sink(int levels)
{
    int below = levels > 0 ? sink(levels - 1) : 0;
    look();
    return below + 1;
}

static void test_deep_recursion_is_not_counted_again(void)
{
    for (int levels = UNWIND_DEEPEST / 2; levels <= 4 * UNWIND_DEEPEST; levels *= 2) {
        start_over();
        failed = 0;
        sink(levels);
        OK(visits_of_function((uintptr_t)sink) <= levels + 1, "%d levels, walked from each",
           levels + 1);
        OK(visits_of_function((uintptr_t)sink) > 0, "and some of them counted");
    }
}

static ucontext_t outside;

static void on_coroutine(void)
{
    look_twice();
    look();
    setcontext(&outside);
}

static void test_another_stack_is_not_counted_again(void)
{
    static char stack[1 << 18];
    volatile sig_atomic_t back = 0;
    ucontext_t other;
    start_over();
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    makecontext(&other, on_coroutine, 0);
    getcontext(&outside);
    if (!back) {
        back = 1;
        setcontext(&other);
    }
    OK(visits_of_function((uintptr_t)on_coroutine) <= 1, "a coroutine that was entered once");
    OK(visits_of_function((uintptr_t)look_twice) <= 1, "and a function in it");
}

/* The path of a walk from here below an anchor, as a count of frames. */
static int frames_of(uint32_t node)
{
    int frames = 0;
    for (; node != CCT_ROOT; node = tree.nodes[node].parent)
        frames++;
    return frames;
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) static int frames_here(void)
{
    const uintptr_t *frame = ARCH_FRAME();
    return frames_of(walk_from(frame).node);
}

/* What a marker does in its caller. */
__attribute__((noipa, optimize("no-omit-frame-pointer"))) static void mark(void)
{
    const uintptr_t *frame = ARCH_FRAME();
    struct anchor anchor;
    unwind_anchor_async(&bounds, caller_of(frame), &anchor);
    walker_reset_async(walker, CCT_ROOT, &anchor);
}

__attribute__((noipa)) static int one_below(void)
{
    int frames = frames_here();
    __asm__ volatile("");
    return frames;
}

__attribute__((noipa)) static int two_below(void)
{
    int frames = one_below();
    __asm__ volatile("");
    return frames;
}

__attribute__((noipa)) static void mark_and_return(void)
{
    mark();
    __asm__ volatile("");
}

static void test_a_walk_stops_at_the_marking_frame(void)
{
    start_over();
    mark();
    for (int i = 0; i < 2; i++) {
        EQ_INT(frames_here(), 0, "the marking function itself");
        EQ_INT(one_below(), 1, "a function that it calls");
        EQ_INT(two_below(), 2, "and one that this calls");
    }
    mark_and_return();
    for (int i = 0; i < 2; i++) {
        EQ_INT(frames_here(), 0, "the caller of a function that marked and returned");
        EQ_INT(one_below(), 1, "another function that it calls");
    }
}

/* Marked, and called again from elsewhere, with its frame where it was. */
__attribute__((noipa)) static int mark_or_look(bool marks)
{
    int frames = 0;
    /* One call of each, whatever the compiler makes of it. */
    for (volatile int i = marks ? 0 : 1; i < 2; i++)
        if (i == 0)
            mark();
        else
            frames = frames_here();
    return frames;
}

static void test_the_marking_function_called_again(void)
{
    start_over();
    int marking = mark_or_look(true);
    int second = mark_or_look(false);
    int third = mark_or_look(false);
    EQ_INT(marking, 0, "the marking function");
    EQ_INT(second, 1, "another call of it, which did not mark");
    EQ_INT(third, 1, "one more");
}

/* Whatever is remembered, walks that end at a marking frame are those without memory. */
static void test_random_stacks_below_anchors(void)
{
    char inside[STRANDS / 2 * STRAND_BYTES];
    world.inside = inside;
    world.strand_bytes = STRAND_BYTES;
    forgetful = aligned_alloc(_Alignof(struct walker), sizeof *forgetful);
    marked = no_anchor;
    anchored = true;
    walks = wrong = 0;
    world_start();
    start_over();
    while (!world.over) {
        go(DEEPEST_NEST);
        if (tree.node_count > NODES / 2) {
            start_over();
            marked = no_anchor;
        }
    }
    anchored = false;
    EQ_INT(wrong, 0, "of %lu walks below marking frames none is wrong", walks);
    world_free();
    free(forgetful);
}

int main(void)
{
    const char *wanted = getenv("TEST_UNWIND_WALKS");
    if (wanted)
        walks_most = strtoul(wanted, NULL, 10);
    if (!OK(judge_start(), "there is memory"))
        return tap_done();
    walker->single = ALIASES;
    test_random_stacks(false);
    if (ALIASES)
        test_random_stacks(true);
    test_samples_of_one_visit_count_one_visit();
    test_a_signal_handler_is_entered_once_per_signal();
    test_deep_recursion_is_not_counted_again();
    test_another_stack_is_not_counted_again();
    test_a_walk_stops_at_the_marking_frame();
    test_the_marking_function_called_again();
    test_random_stacks_below_anchors();
    return tap_done();
}
