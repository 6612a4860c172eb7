/*
 * What a jump out of a signal handler is made of: the C library's jmp_buf, shadow stacks, and how
 * a handler returns.
 */
#ifndef TSPROF_ARCH_JUMP_H
#define TSPROF_ARCH_JUMP_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { ARCH_JUMP_SP_WORD = 6 /* of a jmp_buf's registers, where glibc has the stack pointer */ };

/* The stack pointer that a jump to WHERE restores: glibc mangles it. */
static inline uintptr_t arch_jump_target(const struct __jmp_buf_tag *where)
{
    uintptr_t sp = (uintptr_t)where->__jmpbuf[ARCH_JUMP_SP_WORD];
    __asm__("ror $0x11, %0\n\txor %%fs:0x30, %0" : "+r"(sp) : : "cc");
    return sp;
}

/* Whether the processor keeps a second copy of the calling thread's return addresses. */
static inline bool arch_has_shadow_stack(void)
{
    uint64_t top = 0;
    /* Does nothing where there is none. */
    __asm__ volatile("rdsspq %0" : "+r"(top));
    return top != 0;
}

/* Returns from a signal handler whose saved context is at CONTEXT. */
static inline _Noreturn void arch_return_from_signal(uintptr_t context)
{
    __asm__ volatile("mov %0, %%rsp\n\tsyscall"
                     :
                     : "r"(context), "a"(SYS_rt_sigreturn)
                     : "memory");
    __builtin_unreachable();
}

#endif
