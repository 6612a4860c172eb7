/* See jumps.h. */
#include "sample/jumps.h"

#include "sample/sampler.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

/*
 * A set of signals as the kernel has it.  The C library's sigprocmask hides the signals that it
 * uses itself.
 */
typedef unsigned long kernel_mask;

typedef __attribute__((noreturn)) void (*jump_to)(struct __jmp_buf_tag *where, int value);

static jump_to real[JUMP_FUNCTIONS];

/* Runs before main, since programs may jump where dlsym must not be called. */
static void __attribute__((constructor)) find_real(void)
{
    static const char *const names[JUMP_FUNCTIONS] = {
        [JUMP_LONGJMP] = "longjmp",
        [JUMP__LONGJMP] = "_longjmp",
        [JUMP_SIGLONGJMP] = "siglongjmp",
        [JUMP_CHECKED] = "__longjmp_chk",
    };
    for (int i = 0; i < JUMP_FUNCTIONS; i++) {
        void *found = dlsym(RTLD_NEXT, names[i]);
        memcpy(&real[i], &found, sizeof found);
    }
}

static bool is_on(const struct stack_bounds *stack, uintptr_t address)
{
    return address >= stack->low && address < stack->high;
}

/*
 * Whether a jump from FRAME to TARGET leaves the handler that takes a sample, for the frames
 * that the sample has interrupted, with all of them on the thread's own stack, or in a piece of
 * work that the handler does on a stack for that.
 */
static bool leaves_sample(const struct thread *thread, uintptr_t frame, uintptr_t target)
{
    const struct stack_bounds *stack = &thread->stack;
    return (is_on(stack, frame) || coroutine_holds_async(&thread->pieces, frame)) &&
           is_on(stack, thread->sampling->jumps.frame) && is_on(stack, target) &&
           target > thread->sampling->jumps.frame;
}

static kernel_mask mask_of(int signal)
{
    return signal > 0 ? (kernel_mask)1 << (signal - 1) : 0;
}

static kernel_mask blocked_now(void)
{
    kernel_mask mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, sizeof mask);
    return mask;
}

static void unblock(int signal)
{
    const kernel_mask mask = mask_of(signal);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &mask, NULL, sizeof mask);
}

/*
 * The handler may have been entered, and not have called jumps_begin_async yet.  Then that
 * sample is lost, but later ones must still be taken.  This can only be the case where the jump
 * unblocks the handler's signal, so only jumps that restore a signal mask are looked at.
 */
static void leave_unbegun(struct thread *thread, const struct __jmp_buf_tag *where)
{
    const int signal = thread->sampling->timer.signal, error = errno;
    if (where->__mask_was_saved && thread->sampling->timer.exists &&
        !sigismember(&where->__saved_mask, signal) && blocked_now() & mask_of(signal))
        sampler_resume_async(thread);
    errno = error;
}

/*
 * Whether the handler that runs with signal mask NOW handles a fault.  Returning from it would
 * only raise the same fault again.
 */
static bool handles_fault(const ucontext_t *interrupted, kernel_mask now)
{
    const kernel_mask faults = mask_of(SIGSEGV) | mask_of(SIGBUS) | mask_of(SIGFPE) |
                               mask_of(SIGILL) | mask_of(SIGTRAP);
    kernel_mask before;
    memcpy(&before, &interrupted->uc_sigmask, sizeof before);
    return now & ~before & faults;
}

/*
 * Where the program's handler, whose caller has registers CALLER, is to return to in the sample
 * for a jump to TARGET: the address of a ucontext_t; 0 if that is not known.
 */
static uintptr_t find_context(const struct thread *thread, const struct registers *caller,
                              uintptr_t target)
{
    const uintptr_t low = (uintptr_t)thread->pieces.stack;
    if (arch_has_shadow_stack())
        return 0;
    if (coroutine_holds_async(&thread->pieces, caller->sp)) {
        const struct stack_bounds pieces = {.low = low, .high = low + COROUTINE_STACK_BYTES};
        return unwind_find_last_context_async(&pieces, caller);
    }
    const uintptr_t context =
        unwind_find_context_async(&thread->stack, caller, thread->sampling->jumps.frame);
    return target > context ? context : 0;
}

/*
 * Stores the jump and returns from the program's handler to the sample.  Comes back to the
 * caller only where that is not safe; then the jump has to be made at once.
 */
static void wait_for_sample(struct thread *thread, enum jump_function function,
                            const struct __jmp_buf_tag *where, int value,
                            const uintptr_t *frame)
{
    const struct registers caller = unwind_caller(frame);
    struct jumps *jumps = &thread->sampling->jumps;
    const kernel_mask mask = blocked_now();
    const int error = errno;
    const uintptr_t context = find_context(thread, &caller, arch_jump_target_async(where));
    ucontext_t *interrupted = (ucontext_t *)context;
    if (!interrupted || handles_fault(interrupted, mask))
        return;
    jumps->function = function;
    memcpy(jumps->where, where, sizeof jumps->where);
    jumps->value = value;
    jumps->error = error;
    floating_save_async(&jumps->floating);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    jumps->waits = true;
    memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
    sigaltstack(NULL, &interrupted->uc_stack);
    arch_return_from_signal(context);
}

void jumps_go_async(struct jumps *jumps, int signal)
{
    jumps->waits = false;
    unblock(signal);
    floating_restore_async(&jumps->floating);
    errno = jumps->error;
    real[jumps->function](jumps->where, jumps->value);
}

static void prepare(enum jump_function function, const struct __jmp_buf_tag *where, int value,
                    const uintptr_t *frame)
{
    struct thread *thread = thread_self;
    if (!thread)
        return;
    if (thread->sampling->jumps.frame == 0) {
        if (!thread->stopped)
            leave_unbegun(thread, where);
    } else if (!thread->sampling->jumps.waits &&
               leaves_sample(thread, arch_frame_address(frame),
                             arch_jump_target_async(where))) {
        wait_for_sample(thread, function, where, value, frame);
    }
}

/*
 * The function that jumps.  The C library's check of fortified programs takes a jump from the
 * stack of a coroutine, or of a look-up that a handler interrupted, for one downwards.
 */
static jump_to jump_from(enum jump_function function, uintptr_t frame)
{
    const struct thread *thread = thread_self;
    const bool away =
        function == JUMP_CHECKED && thread &&
        (coroutine_holds_async(&thread->pieces, frame) || own_stack_holds_async(frame));
    return real[away ? JUMP_LONGJMP : function];
}

/* Defined by the symbol names: the headers of a fortified build redirect the C names. */
#define JUMP(function, name)                                                                   \
    _Noreturn void jumps_##function(struct __jmp_buf_tag *where, int value) __asm__(name);     \
    __attribute__((visibility("default"))) void jumps_##function(struct __jmp_buf_tag *where,  \
                                                                 int value)                    \
    {                                                                                          \
        prepare(function, where, value, ARCH_FRAME());                                         \
        if (!real[function])                                                                   \
            find_real();                                                                       \
        jump_from(function, ARCH_FRAME_ADDRESS())(where, value);                               \
    }

JUMP(JUMP_LONGJMP, "longjmp")
JUMP(JUMP__LONGJMP, "_longjmp")
JUMP(JUMP_SIGLONGJMP, "siglongjmp")
JUMP(JUMP_CHECKED, "__longjmp_chk")
