/* See coroutine.h. */
#include "host/coroutine.h"

#include "arch/arch.h"
#include "host/clock.h"

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

enum { GUARD_BYTES = 4 << 10 };

/*
 * The thread sanitizer must be told of every change of stacks; the address sanitizer that
 * frames which were never returned from, when work was left half-way, are none any more.
 */
static void say_begin(struct coroutine *coroutine)
{
#ifdef __SANITIZE_ADDRESS__
    ASAN_UNPOISON_MEMORY_REGION(coroutine->stack, COROUTINE_STACK_BYTES);
#endif
#ifdef __SANITIZE_THREAD__
    if (!coroutine->own_fiber)
        coroutine->own_fiber = __tsan_create_fiber(0);
#else
    (void)coroutine;
#endif
}

static void say_resume(struct coroutine *coroutine)
{
#ifdef __SANITIZE_THREAD__
    coroutine->resumer_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(coroutine->own_fiber, 0);
#else
    (void)coroutine;
#endif
}

static void say_pause(struct coroutine *coroutine)
{
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(coroutine->resumer_fiber, 0);
#else
    (void)coroutine;
#endif
}

void coroutine_create_async(struct coroutine *coroutine)
{
    *coroutine = (struct coroutine){.stack = NULL};
    /* Where the processor checks return addresses, a second stack needs the kernel's help. */
    if (arch_has_shadow_stack())
        return;
    char *memory = mmap(NULL, COROUTINE_STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return;
    if (mprotect(memory, GUARD_BYTES, PROT_NONE) == 0)
        coroutine->stack = memory;
    else
        munmap(memory, COROUTINE_STACK_BYTES);
}

bool coroutine_holds_async(const struct coroutine *coroutine, uintptr_t address)
{
    const uintptr_t low = (uintptr_t)coroutine->stack;
    return low != 0 && address >= low && address < low + COROUTINE_STACK_BYTES;
}

/*
 * Whether the caller runs on that stack: in a signal handler of the program, which has
 * interrupted the work.
 */
static bool is_here_async(const struct coroutine *coroutine)
{
    return coroutine_holds_async(coroutine, (uintptr_t)__builtin_frame_address(0));
}

/* `runs` stays true until the switch is complete: a jump that comes first is then seen. */
static void leave_async(struct coroutine *coroutine)
{
    say_pause(coroutine);
    arch_stack_switch_async(&coroutine->own, coroutine->resumer);
}

/* The first function on the coroutine's stack. */
static void begin_async(void *argument)
{
    struct coroutine *coroutine = argument;
    coroutine->work(coroutine->argument);
    coroutine->under_way = false;
    leave_async(coroutine);
}

void coroutine_start_async(struct coroutine *coroutine, void (*work)(void *argument),
                           void *argument)
{
    coroutine->under_way = coroutine->runs = false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    coroutine->work = work;
    coroutine->argument = argument;
    coroutine->own = NULL;
    if (coroutine->stack && !is_here_async(coroutine)) {
        say_begin(coroutine);
        coroutine->own = arch_stack_prepare_async(coroutine->stack + COROUTINE_STACK_BYTES,
                                                  begin_async, coroutine);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    coroutine->under_way = true;
}

bool coroutine_resume_async(struct coroutine *coroutine, int64_t until_ns)
{
    if (!coroutine->under_way)
        return true;
    coroutine->until_ns = until_ns;
    if (coroutine->own) {
        coroutine->runs = true;
        say_resume(coroutine);
        arch_stack_switch_async(&coroutine->resumer, coroutine->own);
        coroutine->runs = false;
    } else {
        coroutine->work(coroutine->argument);
        coroutine->under_way = false;
    }
    return !coroutine->under_way;
}

void coroutine_pause_async(struct coroutine *coroutine)
{
    if (coroutine->runs && clock_now_async() >= coroutine->until_ns)
        leave_async(coroutine);
}

void coroutine_drop_async(struct coroutine *coroutine)
{
    coroutine->under_way = coroutine->runs = false;
}
