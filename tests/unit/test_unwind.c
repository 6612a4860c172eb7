/*
 * The stack walker against libunwind: every call path must be the one that a full walk finds,
 * whatever the walker remembers, and no function may seem entered more often than it was.
 */
#define UNW_LOCAL_ONLY
#include "arena.h"
#include "cct.h"
#include "profile.h"
#include "recipe.h"
#include "tap.h"
#include "unwind.h"
#include "unwind_patterns.h"

#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
    WALKS = 1000000,
    STEPS = 20000,
    NODES = 1 << 19,
    STRANDS = 5,
    STRAND_BYTES = 1 << 20,
    FRAMES_MOST = 2000,
    FULL_EVERY = 64,
    WRONG_SHOWN = 5
};

/* A stack as libunwind sees it, innermost frame first. */
struct reference {
    uintptr_t pc[FRAMES_MOST]; /* as for a look-up: less one where it is a return address */
    bool trampoline[FRAMES_MOST];
    size_t count;
};

static struct arena arena;
static struct cct tree;
static struct profile profile;
static struct walker *walker;
static struct walk_scratch *scratch;
static struct stack_bounds bounds;
static const struct anchor no_anchor = {.cfa = UINTPTR_MAX, .caller_cfa = UINTPTR_MAX};

int main(void);

static unsigned long walks, wrong, failed;
static bool silent; /* look() does nothing */

struct pattern_counter *pattern_counters;

uint32_t pick(uint32_t bound)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % bound);
}

static void find_bounds(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    bounds = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
}

static void start_over(void)
{
    size_t buckets = (size_t)tree.bucket_mask + 1;
    memset(tree.buckets, 0, buckets * sizeof *tree.buckets);
    tree.node_count = 2;
    tree.cell_count = tree.nodes[1].cell + layout_table[LAYOUT_EVERYTHING].cells;
    profile_clear_async(&profile);
    walker_reset_async(walker, CCT_ROOT, &no_anchor);
}

static bool start(void)
{
    layouts_start();
    find_bounds();
    recipe_start();
    if (arena_create(&arena, (size_t)1 << 30) != 0)
        return false;
    walker = arena_take_async(&arena, sizeof *walker);
    scratch = arena_take_async(&arena, sizeof *scratch);
    if (!cct_create(&tree, &arena, NODES) || !profile_create(&profile, &tree, &arena))
        return false;
    start_over();
    return true;
}

static bool is_trampoline(uintptr_t ip)
{
    /* mov $SYS_rt_sigreturn, %rax; syscall */
    return memcmp((const void *)ip, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9) == 0;
}

static void add_frame(struct reference *reference, uintptr_t ip, bool exact)
{
    size_t count = reference->count;
    exact = exact || (count && reference->trampoline[count - 1]);
    if (ip == 0 || count == FRAMES_MOST)
        return;
    reference->pc[count] = exact ? ip : ip - 1;
    reference->trampoline[count] = is_trampoline(ip);
    reference->count++;
}

/* The start of the function around PC by the unwind tables, remembered. */
static uintptr_t function_of(uintptr_t pc)
{
    static struct {
        uintptr_t pc, function;
    } known[1 << 16];
    size_t at = (pc * UINT64_C(0x9E3779B97F4A7C15)) >> 48;
    unw_proc_info_t info = {0};
    if (known[at].pc == pc)
        return known[at].function;
    unw_get_proc_info_by_ip(unw_local_addr_space, pc, &info, NULL);
    /* A prepared stack returns to the start of a function, which nothing has called. */
    if (pc >= info.end_ip)
        unw_get_proc_info_by_ip(unw_local_addr_space, pc + 1, &info, NULL);
    known[at].pc = pc;
    return known[at].function = info.start_ip;
}

/* Whether the call path of NODE is the REFERENCE; of a walk that failed, its inner part. */
static bool agrees(const struct reference *reference, uint32_t node, bool partly)
{
    for (size_t i = 0; i < reference->count; i++) {
        const struct node *at = &tree.nodes[node];
        if (reference->trampoline[i])
            continue;
        if (partly && at->kind == NODE_ARTIFICIAL && node != CCT_ROOT)
            return true;
        bool outermost = i + 1 == reference->count ||
                         (partly && tree.nodes[at->parent].kind == NODE_ARTIFICIAL);
        if (at->kind != NODE_FUNCTION ||
            (code_address(at->key) != function_of(reference->pc[i]) &&
             code_address(at->key) != reference->pc[i]) ||
            code_address(at->site) != (outermost ? 0 : reference->pc[i + 1]))
            return false;
        node = at->parent;
    }
    return node == CCT_ROOT;
}

static void show(const struct reference *reference, uint32_t node)
{
    if (++wrong > WRONG_SHOWN)
        return;
    printf("# wrong path: node (function, site) / libunwind (function, pc)\n");
    for (size_t i = 0; i < reference->count || node != CCT_ROOT; i++) {
        const struct node *at = &tree.nodes[node];
        printf("# %#lx %#lx / ", (unsigned long)at->key, (unsigned long)at->site);
        if (i < reference->count)
            printf("%#lx %#lx%s", (unsigned long)function_of(reference->pc[i]),
                   (unsigned long)reference->pc[i],
                   reference->trampoline[i] ? " (signal)" : "");
        putchar('\n');
        node = i < reference->count && reference->trampoline[i] ? node : at->parent;
    }
}

static struct reference reference;

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

static struct registers caller_of(const uintptr_t *frame)
{
    return (struct registers){.pc = frame[1] - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0]};
}

static struct walk_result walk_from(const uintptr_t *frame)
{
    return unwind_async(walker, scratch, &bounds, caller_of(frame), &tree, &profile);
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) void look(void)
{
    const uintptr_t *frame = __builtin_frame_address(0);
    if (silent || walks >= WALKS)
        return;
    struct walk_result walk = walk_from(frame);
    failed += walk.failed;
    /* Two different walkers that agree are right; libunwind's fast one is not always. */
    if (walks++ % FULL_EVERY != 0) {
        void *found[FRAMES_MOST];
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

static struct coroutine {
    ucontext_t context;
    struct strand strand;
    struct coroutine *resumer; /* NULL: not running */
    char *stack;
} coroutines[STRANDS];

static struct coroutine *running = &coroutines[0];
struct strand *strand = &coroutines[0].strand;

static void continue_with(struct coroutine *next)
{
    struct coroutine *self = running;
    running = next;
    strand = &next->strand;
    swapcontext(&self->context, &next->context);
}

static void yield_strand(void)
{
    struct coroutine *resumer = running->resumer;
    running->resumer = NULL;
    continue_with(resumer);
}

static void run_coroutine(void)
{
    for (;;) {
        go(2);
        yield_strand();
    }
}

static void prepare(struct coroutine *coroutine)
{
    coroutine->stack = malloc(STRAND_BYTES);
    getcontext(&coroutine->context);
    coroutine->context.uc_stack.ss_sp = coroutine->stack;
    coroutine->context.uc_stack.ss_size = STRAND_BYTES;
    coroutine->context.uc_link = pick(2) ? &coroutines[0].context : NULL;
    makecontext(&coroutine->context, run_coroutine, 0);
}

void switch_strand(int depth)
{
    struct coroutine *other = &coroutines[1 + pick(STRANDS - 1)];
    if (strand->in_handler || silent) {
        go(depth - 1);
    } else if (running != &coroutines[0] && pick(2)) {
        yield_strand();
    } else if (other != running && !other->resumer) {
        if (!other->stack)
            prepare(other);
        other->resumer = running;
        continue_with(other);
    }
}

void go(int depth)
{
    ENTER(go);
    for (uint32_t i = 1 + pick(2); i > 0; i--) {
        if (depth <= 0) {
            look();
            continue;
        }
        if (walks >= WALKS)
            return;
        const pattern *patterns = pick(2) ? patterns_plain : patterns_framed;
        patterns[pick(PATTERN_COUNT)](depth);
    }
}

__attribute__((noipa)) static void on_signal(int number)
{
    ENTER(on_signal);
    struct strand *mine = strand;
    (void)number;
    mine->in_handler = true;
    look();
    if (pick(4) == 0)
        go(2);
    look();
    mine->in_handler = false;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void handle_signals(void)
{
    static char memory[1 << 18];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, NULL);
    handle(SIGUSR1, on_signal, 0);
    handle(SIGUSR2, on_signal, SA_ONSTACK);
}

static int64_t visits_of(uint32_t node)
{
    if (profile.stamps[node] != profile.epoch || tree.nodes[node].layout != LAYOUT_FRAME)
        return 0;
    return profile
        .values[tree.nodes[node].cell + layout_table[LAYOUT_FRAME].cell_of[METRIC_visits]];
}

/* Visits of all call paths that end in the function that starts at FUNCTION. */
static int64_t visits_of_function(uintptr_t function)
{
    int64_t visits = 0;
    for (uint32_t i = 0; i < tree.node_count; i++)
        if (tree.nodes[i].kind == NODE_FUNCTION && code_address(tree.nodes[i].key) == function)
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

static void test_a_million_random_stacks(void)
{
    size_t at, excessive = 0;
    uint64_t entered = 0, seen = 0;
    handle_signals();
    while (walks < WALKS) {
        go(6);
        if (tree.node_count > NODES / 2) {
            note_visits();
            start_over();
        }
    }
    note_visits();
    EQ_INT(walks, WALKS, "walked %d times", WALKS);
    EQ_INT(wrong, 0, "every call path is the one of a full walk");
    EQ_INT(failed, 0, "every walk reached the root");
    at = counter_count();
    for (const struct pattern_counter *each = pattern_counters; each; each = each->next) {
        excessive += visited[--at] > (int64_t)each->entered;
        if (visited[at] > (int64_t)each->entered)
            printf("# main%+ld: %jd visits, %ju entries\n",
                   (long)(each->function - (uintptr_t)main), (intmax_t)visited[at],
                   (uintmax_t)each->entered);
        entered += each->entered;
        seen += (uint64_t)visited[at];
    }
    EQ_INT(excessive, 0, "no function was visited more often than entered");
    printf("# %ju entries, %ju visits, %zu functions\n", (uintmax_t)entered, (uintmax_t)seen,
           counter_count());
    OK(seen > 0, "and some were visited");
}

static unsigned long steps, steps_failed, steps_wrong;

/* After every instruction: a sample of exactly there. */
static void on_step(int number, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    const greg_t *saved = at->uc_mcontext.gregs;
    struct registers start = {.pc = (uintptr_t)saved[REG_RIP],
                              .sp = (uintptr_t)saved[REG_RSP],
                              .fp = (uintptr_t)saved[REG_RBP]};
    unw_cursor_t cursor;
    (void)number;
    (void)info;
    if (steps++ == STEPS) {
        at->uc_mcontext.gregs[REG_EFL] &= ~0x100;
        return;
    }
    struct walk_result walk =
        unwind_sample_async(walker, scratch, &bounds, start, &tree, &profile);
    unw_init_local2(&cursor, at, UNW_INIT_SIGNAL_FRAME);
    step_through(&cursor, true);
    steps_failed += walk.failed;
    if (!agrees(&reference, walk.node, walk.failed)) {
        steps_wrong++;
        show(&reference, walk.node);
    }
}

static void trap_every_instruction(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\t"
                     "lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
}

static void test_samples_at_every_instruction(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    walks = 0;
    silent = true;
    start_over();
    trap_every_instruction();
    while (steps <= STEPS)
        for (int i = 0; i < PATTERN_COUNT - 7; i++) {
            patterns_plain[i](0);
            patterns_framed[i](0);
        }
    silent = false;
    OK(steps > STEPS, "took a sample at each of %d instructions", STEPS);
    EQ_INT(steps_wrong, 0, "every call path is the one of a full walk");
    printf("# %lu failed\n", steps_failed);
    OK(steps_failed * 200 <= STEPS, "at most one in 200 did not reach the root");
}

static uintptr_t sampled_function;

/* Takes a sample of the interrupted function. */
static void on_sample(int number, siginfo_t *info, void *context)
{
    const greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct registers start = {.pc = (uintptr_t)saved[REG_RIP],
                              .sp = (uintptr_t)saved[REG_RSP],
                              .fp = (uintptr_t)saved[REG_RBP]};
    (void)number;
    (void)info;
    unwind_sample_async(walker, scratch, &bounds, start, &tree, &profile);
}

__attribute__((noipa)) static int sample_me(int times)
{
    volatile int i = 0;
    sampled_function = (uintptr_t)sample_me;
    for (; i < times; i++)
        __asm__ volatile("int3");
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
        handle(SIGUSR1, on_signal_twice, flags);
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

static void on_coroutine(void)
{
    look_twice();
    look();
    continue_with(&coroutines[0]);
}

static void test_another_stack_is_not_counted_again(void)
{
    struct coroutine *other = &coroutines[1];
    free(other->stack);
    prepare(other);
    makecontext(&other->context, on_coroutine, 0);
    start_over();
    continue_with(other);
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
    const uintptr_t *frame = __builtin_frame_address(0);
    return frames_of(walk_from(frame).node);
}

/* What a marker does in its caller. */
__attribute__((noipa, optimize("no-omit-frame-pointer"))) static void mark(void)
{
    const uintptr_t *frame = __builtin_frame_address(0);
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

int main(void)
{
    if (!OK(start(), "there is memory"))
        return tap_done();
    test_a_million_random_stacks();
    test_samples_of_one_visit_count_one_visit();
    test_samples_at_every_instruction();
    test_a_signal_handler_is_entered_once_per_signal();
    test_deep_recursion_is_not_counted_again();
    test_another_stack_is_not_counted_again();
    test_a_walk_stops_at_the_marking_frame();
    for (int i = 0; i < STRANDS; i++)
        free(coroutines[i].stack);
    arena_destroy(&arena);
    return tap_done();
}
