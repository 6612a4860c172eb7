/*
 * Samples after every single instruction of the program of unwind_world.h, the C library's code
 * included: the call path must be the one that the calls and returns so far have made.
 *
 * The processor traps after each instruction.  What it did to the stack pointer tells calls and
 * returns, so where the program is at is known without any call-frame information.
 *
 * TEST_UNWIND_STEPS in the environment says how many instructions to follow.
 */
#include "life/unload.h"
#include "tap.h"
#include "unwind_bare.h"
#include "unwind_judge.h"
#include "unwind_world.h"

#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    STEPS = 60000,
    STRAND_BYTES = 1 << 14,
    CALLS_MOST = 4096,
    REGIONS = STRANDS + 1,
    CALL_BYTES_MOST = 8,
    FAILURES_SHOWN = 5
};

/* A call that has not returned. */
struct call {
    uintptr_t slot;                /* where its return address lies */
    uintptr_t word;                /* the return address */
    const ucontext_t *interrupted; /* of a signal's handler: what it returns to */
};

/* A stack: the thread's own, a coroutine's or the one of signal handlers. */
struct region {
    uintptr_t low;
    uintptr_t high;
    struct call calls[CALLS_MOST];
    size_t count;
};

enum { REGION_OWN, REGION_SIGNALS, REGION_COROUTINES };

static struct region regions[REGIONS + 1];
static size_t region_count = REGION_COROUTINES;

static struct {
    uintptr_t pc;
    uintptr_t sp;
} previous; /* where the last trap was; 0 if calls were made since */

static unsigned long steps, steps_most = STEPS, failed, rewritten;
static atomic_bool stop;

static int called_times;

void look(void)
{
}

/* Coroutines' stacks may lie within the thread's own. */
static struct region *region_of(uintptr_t sp)
{
    for (size_t i = region_count; i-- > REGION_SIGNALS;)
        if (sp > regions[i].low && sp <= regions[i].high)
            return &regions[i];
    return &regions[REGION_OWN];
}

static void add_call(struct region *region, uintptr_t slot, uintptr_t word,
                     const ucontext_t *interrupted)
{
    if (region->count < CALLS_MOST)
        region->calls[region->count++] = (struct call){slot, word, interrupted};
}

/* What was called from frames below SP has returned, or was jumped out of. */
static void drop_calls(struct region *region, uintptr_t sp)
{
    while (region->count > 0 && region->calls[region->count - 1].slot < sp)
        region->count--;
}

/* These push where to go on the new stack, as if they had been called from there. */
static uintptr_t stack_switchers[2];

static bool switches_stacks(uintptr_t pc)
{
    uintptr_t function = function_of(pc);
    return function && (function == stack_switchers[0] || function == stack_switchers[1]);
}

/* Keeps up with the instruction that has just been executed. */
static void follow(const greg_t *registers)
{
    uintptr_t pc = (uintptr_t)registers[REG_RIP], sp = (uintptr_t)registers[REG_RSP];
    struct region *region = region_of(sp);
    drop_calls(region, sp);
    if (previous.sp - sp == sizeof(uintptr_t)) {
        uintptr_t word = *(const uintptr_t *)sp;
        bool called = word - previous.pc - 2 <= CALL_BYTES_MOST - 2 && pc != word;
        if (called || switches_stacks(pc))
            add_call(region, sp, word, NULL);
    }
    previous.pc = pc;
    previous.sp = sp;
}

/* Where a handler returns to: two instructions, with the saved context on top of the stack. */
static bool ends_handler(uintptr_t pc)
{
    static const unsigned char first[] = {0x48, 0xc7, 0xc0, 0x0f}, second[] = {0x0f, 0x05};
    const unsigned char *code = (const unsigned char *)pc;
    return memcmp(code, first, sizeof first) == 0 ||
           (memcmp(code, second, sizeof second) == 0 &&
            memcmp(code - 7, first, sizeof first) == 0);
}

/* Appends what was interrupted; *REGION and *LEFT become its stack and calls. */
static void describe_interrupted(struct reference *reference, const ucontext_t *interrupted,
                                 const struct region **region, size_t *left)
{
    const greg_t *saved = interrupted->uc_mcontext.gregs;
    const struct region *next = region_of((uintptr_t)saved[REG_RSP]);
    add_frame(reference, (uintptr_t)saved[REG_RIP], true);
    *left = next == *region ? *left : next->count;
    *region = next;
}

/* The stack as the calls have made it; false if it is being rewritten. */
static bool describe(struct reference *reference, const greg_t *registers)
{
    uintptr_t sp = (uintptr_t)registers[REG_RSP];
    const struct region *region = region_of(sp);
    size_t left = region->count;
    reference->count = 0;
    add_frame(reference, (uintptr_t)registers[REG_RIP], true);
    if (ends_handler((uintptr_t)registers[REG_RIP])) {
        reference->trampoline[0] = true;
        describe_interrupted(reference, (const ucontext_t *)sp, &region, &left);
    }
    while (left > 0) {
        const struct call *call = &region->calls[--left];
        /* Who throws an exception writes where it is caught over where its callers return to.
         */
        if (*(const uintptr_t *)call->slot != call->word) {
            rewritten++;
            return false;
        }
        add_frame(reference, call->word, false);
        if (call->interrupted)
            describe_interrupted(reference, call->interrupted, &region, &left);
    }
    return true;
}

/* The file that ADDRESS was loaded from. */
static const char *file_of(uintptr_t address, uintptr_t *base)
{
    struct dl_find_object object;
    *base = 0;
    if (_dl_find_object((void *)address, &object) != 0)
        return "";
    *base = object.dlfo_link_map->l_addr;
    return object.dlfo_link_map->l_name;
}

static void show_failure(const struct reference *reference, uint32_t node)
{
    uintptr_t from_base, at_base;
    if (++failed > FAILURES_SHOWN)
        return;
    while (tree.nodes[tree.nodes[node].parent].kind == NODE_FUNCTION)
        node = tree.nodes[node].parent;
    const char *from = file_of(reference->pc[0], &from_base);
    const char *at = file_of(function_of_node(node), &at_base);
    printf("# at %s+%#lx the walk stopped in %s+%#lx\n", from,
           (unsigned long)(reference->pc[0] - from_base), at,
           (unsigned long)(function_of_node(node) - at_base));
}

static void on_step(int number, siginfo_t *info, void *context)
{
    static struct reference reference;
    ucontext_t *at = context;
    (void)number;
    (void)info;
    if (stop) {
        at->uc_mcontext.gregs[REG_EFL] &= ~0x100;
        return;
    }
    follow(at->uc_mcontext.gregs);
    bool known = describe(&reference, at->uc_mcontext.gregs);
    const struct registers start = registers_of(at);
    struct walk_result walk =
        unwind_sample_async(walker, scratch, &bounds, &start, aux_of(at), &tree);
    if (!(known ? agrees(&reference, walk.node, walk.failed)
                : begins_like(&reference, walk.node)))
        show(&reference, walk.node);
    else if (walk.failed)
        show_failure(&reference, walk.node);
    if (tree.node_count > NODES / 2)
        start_over();
    if (++steps >= steps_most)
        world.over = true;
}

/* makecontext has written where the coroutine returns to: to what ends it. */
static void on_prepared(const ucontext_t *context)
{
    uintptr_t sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    uintptr_t low = (uintptr_t)context->uc_stack.ss_sp;
    struct region *region = &regions[REGION_COROUTINES];
    while (region < regions + region_count && region->low != low)
        region++;
    if (region == regions + region_count)
        region_count++;
    *region = (struct region){.low = low, .high = low + context->uc_stack.ss_size};
    add_call(region, sp, *(const uintptr_t *)sp, NULL);
}

/* The kernel called the handler; nothing was traced since. */
static void on_signalled(const ucontext_t *interrupted)
{
    const uintptr_t *slot = (const uintptr_t *)interrupted - 1;
    struct region *region = region_of((uintptr_t)slot);
    if (region != region_of((uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP]))
        region->count = 0;
    add_call(region, (uintptr_t)slot, *slot, interrupted);
    previous.sp = 0;
}

/* Calls made before the first trap, from main on; to be called where tracing begins. */
static inline __attribute__((always_inline)) void begin(void)
{
    struct region *own = &regions[REGION_OWN];
    struct call calls[64];
    size_t count = 0;
    unw_context_t context;
    unw_cursor_t cursor;
    unw_getcontext(&context);
    unw_init_local(&cursor, &context);
    while (count < 64 && unw_step(&cursor) > 0) {
        unw_word_t ip, sp;
        unw_get_reg(&cursor, UNW_REG_IP, &ip);
        unw_get_reg(&cursor, UNW_REG_SP, &sp);
        calls[count++] = (struct call){.slot = sp - sizeof ip, .word = ip};
    }
    own->count = 0;
    region_count = REGION_COROUTINES;
    while (count-- > 0)
        add_call(own, calls[count].slot, calls[count].word, NULL);
    previous.sp = 0;
    stop = false;
    steps = failed = wrong = rewritten = 0;
}

/* At most one walk in MOST_OF may have stopped early. */
static void expect_right_paths(const char *what, unsigned long most_of)
{
    OK(steps > 0, "took a sample after each of %lu instructions of %s", steps, what);
    EQ_INT(wrong, 0, "every call path is what the calls have made");
    OK(failed * most_of <= steps, "fewer than one in %lu did not reach the root: %lu", most_of,
       failed);
    printf("# %lu while the stack was being rewritten\n", rewritten);
}

__attribute__((noipa)) static void test_random_stacks(void)
{
    char inside[STRANDS / 2 * STRAND_BYTES];
    world.inside = inside;
    world.strand_bytes = STRAND_BYTES;
    world.prepared = on_prepared;
    world.signalled = on_signalled;
    world.stepped = true;
    world_start();
    begin();
    trap_every_instruction();
    while (!world.over)
        go(DEEPEST_NEST);
    stop = true;
    /* It throws exceptions and changes stacks more than anything else. */
    expect_right_paths("the patterns", 50);
    world_free();
}

/* The kernel's part of reading the clock is code of its own. */
__attribute__((noipa)) static void test_the_kernel_s_code(void)
{
    struct timespec now;
    struct timeval time_of_day;
    world.over = false;
    begin();
    trap_every_instruction();
    for (int i = 0; i < 20; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        gettimeofday(&time_of_day, NULL);
        sched_getcpu();
        time(NULL);
    }
    stop = true;
    expect_right_paths("the clock", 1000);
}

__attribute__((noipa)) static void called_back(void)
{
    called_times++;
    __asm__ volatile("");
}

/*
 * Nothing says how to leave these functions.  Frame pointers do not help: whether the function
 * has set its own cannot be known, and its caller's would lead to a path without the caller.
 */
__attribute__((noipa)) static void test_code_without_information(void)
{
    char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*framed)(void (*)(void)), (*bare)(void (*)(void));
    char *second = memory + GENERATED_BYTES;
    if (!OK(memory != MAP_FAILED, "memory for code"))
        return;
    memcpy(memory, generated_framed, GENERATED_BYTES);
    memcpy(second, generated_bare, GENERATED_BYTES);
    mprotect(memory, 4096, PROT_READ | PROT_EXEC);
    memcpy(&framed, &memory, sizeof framed);
    memcpy(&bare, &second, sizeof bare);
    begin();
    trap_every_instruction();
    for (int i = 0; i < 10; i++) {
        bare_outer(called_back, 1);
        assembly_framed(called_back);
        assembly_bare(called_back);
        framed(called_back);
        bare(called_back);
        called_back();
    }
    stop = true;
    EQ_INT(called_times, 10 * 7, "it ran as it should");
    EQ_INT(wrong, 0, "every call path is right as far as it goes");
    OK(failed > 0 && failed < steps, "%lu of %lu walks stopped where nothing is known", failed,
       steps);
    munmap(memory, 4096);
}

/* The loader binds, relocates, runs constructors and unmaps under samples. */
__attribute__((noipa)) static void test_a_library_that_comes_and_goes(void)
{
    char file[4096];
    void (*run)(void (*)(void)) = NULL;
    ssize_t length = readlink("/proc/self/exe", file, sizeof file - 64);
    file[length > 0 ? length : 0] = '\0';
    snprintf(strrchr(file, '/') + 1, 64, "unwind_library.so");
    called_times = 0;
    begin();
    trap_every_instruction();
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    void *found = library ? dlsym(library, "library_run") : NULL;
    memcpy(&run, &found, sizeof run);
    if (run)
        run(called_back);
    if (library)
        dlclose(library);
    stop = true;
    EQ_INT(called_times, 2, "it ran");
    expect_right_paths("loading, using and unloading a library", 1000);
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const char *wanted = getenv("TEST_UNWIND_STEPS");
    if (wanted)
        steps_most = strtoul(wanted, NULL, 10);
    if (!OK(judge_start(), "there is memory"))
        return tap_done();
    sigaction(SIGTRAP, &action, NULL);
    unload_watch();
    stack_switchers[0] = (uintptr_t)dlsym(RTLD_DEFAULT, "swapcontext");
    stack_switchers[1] = (uintptr_t)dlsym(RTLD_DEFAULT, "setcontext");
    regions[REGION_OWN] = (struct region){.low = bounds.low, .high = bounds.high};
    regions[REGION_SIGNALS] =
        (struct region){.low = (uintptr_t)world_signal_stack,
                        .high = (uintptr_t)world_signal_stack + sizeof world_signal_stack};
    test_random_stacks();
    test_the_kernel_s_code();
    test_code_without_information();
    test_a_library_that_comes_and_goes();
    return tap_done();
}
