/* See jumps.h. */
#include "sample/jumps.h"

#include "unwind/alias.h"
#include "sample/sampler.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <xmmintrin.h>

/* Where the C library's jmp_buf has the stack pointer. */
enum { SP_WORD = 6 };

/* A set of signals as the kernel sees it: the C library's hides its own. */
typedef unsigned long kernel_mask;

typedef __attribute__((noreturn)) void (*jump_to)(struct __jmp_buf_tag *where, int value);

static jump_to real[JUMP_FUNCTIONS];

/* Before main, since programs jump where dlsym may not be called. */
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

/* The stack pointer that a jump to WHERE restores: the C library mangles it. */
static uintptr_t target_of(const struct __jmp_buf_tag *where)
{
    uintptr_t sp = (uintptr_t)where->__jmpbuf[SP_WORD];
    __asm__("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(sp) : : "cc");
    return sp;
}

static bool is_on(const struct stack_bounds *stack, uintptr_t address)
{
    return address >= stack->low && address < stack->high;
}

/* Whether a jump from FRAME to TARGET leaves the handler that takes a sample for the frames
 * that it has interrupted, all on the thread's own stack. */
static bool leaves_sample(const struct thread *thread, uintptr_t frame, uintptr_t target)
{
    const struct stack_bounds *stack = &thread->stack;
    return is_on(stack, frame) && is_on(stack, thread->sampling->jumps.frame) && is_on(stack, target) &&
           target > thread->sampling->jumps.frame;
}

static bool has_shadow_stack(void)
{
    uint64_t top = 0;
    __asm__ volatile("rdsspq %0" : "+r"(top));
    return top != 0;
}

/* As the handler whose saved context is at CONTEXT would at its end. */
static _Noreturn void return_to(uintptr_t context)
{
    __asm__ volatile("mov %0, %%rsp\n\tsyscall"
                     :
                     : "r"(context), "a"(SYS_rt_sigreturn)
                     : "memory");
    __builtin_unreachable();
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
 * The handler may just have been entered, and not yet said so: then the sample is lost, but not
 * those that follow.  It is so where the jump unblocks the handler's signal: so only jumps that
 * restore a mask are looked at.
 */
static void leave_unbegun(struct thread *thread, const struct __jmp_buf_tag *where)
{
    const int signal = sampler_signal_async(), error = errno;
    if (where->__mask_was_saved && thread->sampling->timer.exists &&
        !sigismember(&where->__saved_mask, signal) && blocked_now() & mask_of(signal))
        sampler_resume_async(thread);
    errno = error;
}

/* Whether a handler with mask NOW was called for a fault: the same would happen once more. */
static bool handles_fault(const ucontext_t *interrupted, kernel_mask now)
{
    const kernel_mask faults = mask_of(SIGSEGV) | mask_of(SIGBUS) | mask_of(SIGFPE) |
                               mask_of(SIGILL) | mask_of(SIGTRAP);
    kernel_mask before;
    memcpy(&before, &interrupted->uc_sigmask, sizeof before);
    return now & ~before & faults;
}

/* Has the jump wait, and returns from the program's handler; returns where that cannot be. */
static void wait_for_sample(struct thread *thread, enum jump_function function,
                            const struct __jmp_buf_tag *where, int value,
                            const uintptr_t *frame)
{
    const struct registers caller = {
        .pc = alias_target_async(frame[1]) - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0]};
    struct jumps *jumps = &thread->sampling->jumps;
    const kernel_mask mask = blocked_now();
    const int error = errno;
    const uintptr_t context =
        has_shadow_stack() ? 0
                           : unwind_find_context_async(&thread->stack, &caller, jumps->frame);
    ucontext_t *interrupted = (ucontext_t *)context;
    if (!interrupted || target_of(where) <= context || handles_fault(interrupted, mask))
        return;
    jumps->function = function;
    memcpy(jumps->where, where, sizeof jumps->where);
    jumps->value = value;
    jumps->error = error;
    jumps->sse_control = _mm_getcsr();
    __asm__ volatile("fnstcw %0" : "=m"(jumps->x87_control));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    jumps->waits = true;
    memcpy(&interrupted->uc_sigmask, &mask, sizeof mask);
    sigaltstack(NULL, &interrupted->uc_stack);
    return_to(context);
}

void jumps_go_async(struct jumps *jumps, int signal)
{
    jumps->waits = false;
    unblock(signal);
    _mm_setcsr(jumps->sse_control);
    __asm__ volatile("fldcw %0" : : "m"(jumps->x87_control));
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
               leaves_sample(thread, (uintptr_t)frame, target_of(where))) {
        wait_for_sample(thread, function, where, value, frame);
    }
}

/* The names as they are for the linker: a checking C library's headers redirect them. */
#define JUMP(function, name)                                                                   \
    _Noreturn void jumps_##function(struct __jmp_buf_tag *where, int value) __asm__(name);     \
    __attribute__((visibility("default"))) void jumps_##function(struct __jmp_buf_tag *where,  \
                                                                 int value)                    \
    {                                                                                          \
        prepare(function, where, value, __builtin_frame_address(0));                           \
        if (!real[function])                                                                   \
            find_real();                                                                       \
        real[function](where, value);                                                          \
    }

JUMP(JUMP_LONGJMP, "longjmp")
JUMP(JUMP__LONGJMP, "_longjmp")
JUMP(JUMP_SIGLONGJMP, "siglongjmp")
JUMP(JUMP_CHECKED, "__longjmp_chk")
