/*
 * What it takes to follow a longjmp out of a signal handler, or to return from one: the layout
 * of the C library's jmp_buf, shadow stacks, and the system call.
 */
#ifndef TSPROF_ARCH_JUMP_H
#define TSPROF_ARCH_JUMP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { ARCH_JUMP_SP_WORD = 6 /* where glibc's jmp_buf has the stack pointer */ };

/* The stack pointer that a longjmp to WHERE would restore.  glibc stores it mangled. */
static inline uintptr_t arch_jump_target_async(const struct __jmp_buf_tag *where)
{
    uintptr_t sp = (uintptr_t)where->__jmpbuf[ARCH_JUMP_SP_WORD];
    __asm__("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(sp) : : "cc");
    return sp;
}

/*
 * Whether the processor keeps a second copy of the calling thread's return addresses, a shadow
 * stack.
 */
static inline bool arch_has_shadow_stack(void)
{
    uint64_t top = 0;
    /* Leaves TOP alone where there is no shadow stack. */
    __asm__ volatile("rdsspq %0" : "+r"(top));
    return top != 0;
}

/* Returns from a signal handler to the context, a ucontext_t, that lies at CONTEXT. */
static inline _Noreturn void arch_return_from_signal(uintptr_t context)
{
    __asm__ volatile("mov %0, %%rsp\n\tsyscall"
                     :
                     : "r"(context), "a"(SYS_rt_sigreturn)
                     : "memory");
    __builtin_unreachable();
}

#endif
