/*
 * What it takes to follow a longjmp out of a signal handler, or to return from one: the layout
 * of the C library's jmp_buf, shadow stacks, and the system call.
 */
#ifndef TSPROF_ARCH_JUMP_H
#define TSPROF_ARCH_JUMP_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* The stack pointer that a longjmp to WHERE would restore.  glibc stores it mangled. */
uintptr_t arch_jump_target_async(const struct __jmp_buf_tag *where);

/*
 * Whether the processor keeps a second copy of the calling thread's return addresses, a shadow
 * stack (GCS).
 */
static inline bool arch_has_shadow_stack(void)
{
    /* "hint #40" is chkfeat: it clears the bits of features in use; older ones do nothing. */
    register uint64_t features __asm__("x16") = 1;
    __asm__ volatile("hint #40" : "+r"(features));
    return features == 0;
}

/* Returns from a signal handler to the context, a ucontext_t, that lies at CONTEXT. */
static inline _Noreturn void arch_return_from_signal(uintptr_t context)
{
    /* The kernel has put a siginfo_t before it, and takes the stack pointer for its address. */
    register uintptr_t number __asm__("x8") = SYS_rt_sigreturn;
    __asm__ volatile("mov sp, %0\n\tsvc #0"
                     :
                     : "r"(context - sizeof(siginfo_t)), "r"(number)
                     : "memory");
    __builtin_unreachable();
}

#endif
