/*
 * Aliases of return addresses: who meets one on the stack must go where its return address
 * leads, by returning, by exceptions, by ending a thread or by walking.
 */
#include "alias_frames.h"
#include "dwarf/lsda.h"
#include "host/arena.h"
#include "tap.h"
#include "trap.h"
#include "tree/cct.h"
#include "unwind/alias.h"
#include "unwind/recipe.h"
#include "unwind/walker.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FUNCTION __attribute__((noipa)) static

enum { NODES = 1 << 12, ROUNDS = 2000, FRAMES_MOST = 64 };

static struct arena arena;
static struct cct tree;
static struct profile profile;
static struct walker *walker;
static struct walk_scratch *scratch;
static struct stack_bounds bounds;
static const struct anchor no_anchor = {.cfa = UINTPTR_MAX, .caller_cfa = UINTPTR_MAX};

static unsigned long failed_walks;

/* Exceptions are libunwind's, not GCC's (test_alias_libunwind). */
static bool libunwind;

/* Makes the walker the calling thread's: one has it at a time. */
static void take_walker(void)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    bounds = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
    walker_reset_async(walker, CCT_ROOT, &no_anchor);
}

static bool start(void)
{
    layouts_start();
    recipe_start();
    if (arena_create_async(&arena, (size_t)1 << 26) != 0)
        return false;
    walker = arena_take_async(&arena, sizeof *walker);
    scratch = arena_take_async(&arena, sizeof *scratch);
    if (!cct_create(&tree, &arena, NODES) || !profile_create_async(&profile, &tree, &arena))
        return false;
    take_walker();
    return true;
}

__attribute__((noipa, optimize("no-omit-frame-pointer"))) void look(void)
{
    const uintptr_t *frame = ARCH_FRAME();
    const struct registers caller = arch_caller(frame, alias_target_async(frame[1]));
    struct walk_result walk = unwind_async(walker, scratch, &bounds, &caller, &tree);
    if (walk.visited)
        visits_add_async(&scratch->visits, &profile, &tree);
    failed_walks += walk.failed;
    if (walk.remembered)
        unwind_put_aliases(walker);
}

uintptr_t probed;

__attribute__((noipa)) void probe(void)
{
    probed = (uintptr_t)__builtin_return_address(0);
}

FUNCTION void call_probe(void)
{
    probe();
    __asm__ volatile("");
}

static void test_an_alias_is_for_ever(void)
{
    call_probe();
    uintptr_t alias = alias_find(probed);
    OK(alias_is_async(alias), "a return address has an alias");
    EQ_INT(alias_target_async(alias), probed, "which leads to it");
    EQ_INT(alias_find(probed), alias, "and stays the same");
    OK(!alias_is_async(probed) && alias_target_async(probed) == probed,
       "the address itself is none");
    EQ_INT(alias_find((uintptr_t)call_probe), 0, "where no call ends there can be none");
}

static void test_no_alias_where_exceptions_stop(void)
{
    static const enum lsda expected[FRAME_KINDS] = {
        [FRAME_CLEANUP] = LSDA_CLEANUP,     [FRAME_CATCH] = LSDA_STOP,
        [FRAME_CATCH_ALL] = LSDA_STOP,      [FRAME_NOEXCEPT] = LSDA_STOP,
        [FRAME_CLEANUP_INSIDE] = LSDA_STOP,
    };
    static const char *const names[FRAME_KINDS] = {
        "a function that has nothing to do", "a destructor", "a handler",
        "a handler for everything",          "noexcept",     "a call outside the try block",
        "a destructor, then a handler"};
    for (int kind = 0; kind < FRAME_KINDS; kind++) {
        frame_probe((enum frame_kind)kind);
        EQ_INT(lsda_find(probed), expected[kind], "%s", names[kind]);
        EQ_INT(alias_find(probed) == 0, expected[kind] > (libunwind ? LSDA_NONE : LSDA_CLEANUP),
               "and its alias");
    }
    call_probe();
    EQ_INT(lsda_find(probed), LSDA_NONE, "a function in C");
    EQ_INT(lsda_find((uintptr_t)&arena), LSDA_STOP, "an address that is no code");
}

static uintptr_t returned_to;

FUNCTION void look_and_return(void)
{
    look();
    returned_to = ((const uintptr_t *)__builtin_frame_address(0))[1];
}

static void test_exceptions_pass(void)
{
    look_and_return();
    OK(alias_is_async(returned_to), "functions that look return by aliases");
    struct exception_counts counts = throw_and_catch(ROUNDS);
    /* Depths are 2 on average: three objects, and one more around the rethrowing. */
    EQ_INT(counts.caught, 3 * ROUNDS, "every exception was caught where it should be");
    EQ_INT(counts.destroyed, ROUNDS * (3 + 3 + 1), "after every destructor on the way");
    EQ_INT(failed_walks, 0, "and every walk reached the root");
}

static void leave_thread(void)
{
    look();
    pthread_exit((void *)&arena);
}

static void wait_to_be_cancelled(void)
{
    for (;;) {
        look();
        pause();
    }
}

static int cleaned;

static void clean(void *argument)
{
    (void)argument;
    cleaned++;
    look();
}

static void *run_thread(void *function)
{
    void (*run)(void);
    memcpy(&run, &function, sizeof run);
    take_walker();
    pthread_cleanup_push(clean, NULL);
    inside_objects(run);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *end_of_thread(void (*function)(void), bool cancel)
{
    void *argument, *result = NULL;
    pthread_t thread;
    memcpy(&argument, &function, sizeof argument);
    cleaned = objects_destroyed = 0;
    pthread_create(&thread, NULL, run_thread, argument);
    if (cancel)
        pthread_cancel(thread);
    pthread_join(thread, &result);
    return result;
}

static void test_threads_end_from_inside(void)
{
    for (int i = 0; i < 20; i++) {
        void *result = end_of_thread(leave_thread, false);
        if (i > 0 && result == &arena && objects_destroyed == 3 && cleaned == 1)
            continue;
        OK(result == &arena, "pthread_exit");
        EQ_INT(objects_destroyed, 3, "destroys the objects on the way");
        EQ_INT(cleaned, 1, "and cleans up");
    }
    for (int i = 0; i < 20; i++) {
        void *result = end_of_thread(wait_to_be_cancelled, true);
        /* It may not have come far. */
        if (i > 0 && result == PTHREAD_CANCELED)
            continue;
        OK(result == PTHREAD_CANCELED, "pthread_cancel");
    }
    take_walker();
}

FUNCTION int in_child(int levels)
{
    look();
    int below = levels > 0 ? in_child(levels - 1) : fork() == 0;
    look();
    return below;
}

static void test_a_child_returns_too(void)
{
    int status = 0;
    fflush(stdout);
    if (in_child(20))
        _exit(7);
    wait(&status);
    OK(WIFEXITED(status) && WEXITSTATUS(status) == 7, "a child of fork returns by aliases");
}

static sigjmp_buf place;
static int jumps;

FUNCTION void jump_from(int levels)
{
    look();
    if (levels > 0)
        jump_from(levels - 1);
    else
        siglongjmp(place, 1);
    look();
}

static void jump_on_signal(int number)
{
    (void)number;
    look();
    jump_from(3);
}

FUNCTION void jump_in_many_ways(void)
{
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (sigsetjmp(place, 1)) {
            jumps++;
            look();
            continue;
        }
        if (i % 2)
            raise(SIGUSR1);
        else
            jump_from(i % 7);
    }
    look();
}

static void test_jumps_leave_nothing_behind(void)
{
    struct sigaction action = {.sa_handler = jump_on_signal};
    sigaction(SIGUSR1, &action, NULL);
    jump_in_many_ways();
    EQ_INT(jumps, ROUNDS, "jumped out of functions and signal handlers, and returned");
}

/* Addresses of the callers as glibc sees them, without aliases. */
FUNCTION int callers(void **found)
{
    void *all[FRAMES_MOST];
    int kept = 0, count = backtrace(all, FRAMES_MOST);
    /* The first is here. */
    for (int i = 1; i < count; i++)
        if (!alias_is_async((uintptr_t)all[i]))
            found[kept++] = all[i];
    return kept;
}

/* Whether the callers are the same before and after they return by aliases. */
FUNCTION int same_callers(int levels)
{
    /* From this function, by one or two lines, on. */
    void *found[2][FRAMES_MOST];
    int count[2];
    if (levels > 0) {
        int same = same_callers(levels - 1);
        __asm__ volatile("");
        return same;
    }
    for (int i = 0; i < 2; i++) {
        count[i] = callers(found[i]);
        look();
    }
    return count[0] == count[1] && count[0] > 6 + 3 &&
           memcmp(found[0] + 1, found[1] + 1, (size_t)(count[0] - 1) * sizeof(void *)) == 0;
}

static void test_unwinders_pass(void)
{
    EQ_INT(same_callers(6), 1, "backtrace() finds the same callers");
}

static int stepped_on, stepped_wrong;

/* A sample of exactly there: if it is an alias, in the function that it leads to. */
static void on_step(int number, siginfo_t *info, void *context)
{
    const struct registers at = arch_interrupted(context);
    (void)number;
    (void)info;
    if (!alias_is_async(at.pc))
        return;
    struct recipe unlisted;
    struct walk_result walk = unwind_async(walker, scratch, &bounds, &at, &tree);
    uintptr_t function =
        recipe_find_async(alias_target_async(at.pc), RECIPE_CALLER, &unlisted)->function;
    stepped_on++;
    stepped_wrong += walk.failed || tree.nodes[walk.node].key != function;
}

FUNCTION void return_in_steps(int levels)
{
    if (levels > 0) {
        return_in_steps(levels - 1);
    } else {
        look();
        trap_every_instruction();
    }
    __asm__ volatile("");
}

static void test_samples_in_an_alias(void)
{
    if (!CAN_STEP)
        return;
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    return_in_steps(5);
    trap_no_instruction();
    EQ_INT(stepped_on, 6, "every function returned by its alias");
    EQ_INT(stepped_wrong, 0, "and a sample there is one of its caller");
}

enum { THREADS = 4, SITES = 512 };

static uintptr_t sites[SITES], found[THREADS][SITES];
static int sites_known;

FUNCTION void note_site(void)
{
    sites[sites_known++] = (uintptr_t)__builtin_return_address(0);
}

#define TWICE(x) x x
#define EIGHT(x) TWICE(TWICE(TWICE(x)))

FUNCTION void many_sites(void)
{
    EIGHT(EIGHT(EIGHT(note_site();)))
}

static void *find_all(void *list)
{
    for (int i = 0; i < SITES; i++)
        ((uintptr_t *)list)[i] = alias_find(sites[i]);
    return NULL;
}

static void test_threads_agree(void)
{
    pthread_t threads[THREADS];
    int wrong = 0;
    many_sites();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, find_all, found[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS * SITES; i++) {
        uintptr_t alias = found[i / SITES][i % SITES];
        wrong += alias != found[0][i % SITES] || alias_target_async(alias) != sites[i % SITES];
    }
    EQ_INT(sites_known, SITES, "%d places that a function is called from", SITES);
    EQ_INT(wrong, 0, "have the same aliases for %d threads", THREADS);
}

static int64_t visits_of_function(uintptr_t function)
{
    int64_t visits = 0;
    for (uint32_t i = 0; i < tree.node_count; i++)
        if (tree.nodes[i].kind == NODE_FUNCTION &&
            code_address(tree.nodes[i].key) == function && profile_has_async(&profile, i))
            visits += profile.values[tree.nodes[i].cell +
                                     layout_table[LAYOUT_FRAME].cell_of[METRIC_visits]];
    return visits;
}

FUNCTION void visited_inner(int looks)
{
    for (int i = 0; i < looks; i++)
        look();
}

FUNCTION void visited(int looks)
{
    visited_inner(looks);
    visited_inner(looks);
    __asm__ volatile("");
}

static void test_visits_are_exact(void)
{
    profile_clear_async(&profile);
    for (int i = 0; i < 100; i++)
        visited(1 + i % 3);
    EQ_INT(visits_of_function((uintptr_t)visited), 100, "a function in a loop");
    EQ_INT(visits_of_function((uintptr_t)visited_inner), 200, "and one that it calls twice");
}

static void test_a_full_table(void)
{
    const char *code = (const char *)test_a_full_table;
    for (int i = 0; i < 2 * ALIAS_COUNT; i++)
        alias_find((uintptr_t)code - (uintptr_t)i);
    call_probe();
    uintptr_t known = alias_find(probed);
    OK(alias_target_async(known) == probed, "known addresses keep their aliases");
    frame_probe(FRAME_AFTER_CATCH);
    EQ_INT(alias_find(sites[0] + 1), 0, "and no other gets one");
    test_visits_are_exact();
}

int main(void)
{
    if (!OK(start(), "there is memory"))
        return tap_done();
    libunwind = dlsym(RTLD_DEFAULT, "__libunwind_Unwind_Resume");
    alias_start();
    test_an_alias_is_for_ever();
    test_no_alias_where_exceptions_stop();
    test_exceptions_pass();
    if (!libunwind)
        test_threads_end_from_inside();
    test_a_child_returns_too();
    test_jumps_leave_nothing_behind();
    test_unwinders_pass();
    test_samples_in_an_alias();
    test_threads_agree();
    test_visits_are_exact();
    test_a_full_table();
    arena_destroy_async(&arena);
    return tap_done();
}
