/* See jump.h. */
#include "arch/aarch64/jump.h"

enum { JUMP_SP_WORD = 13 /* where glibc's jmp_buf has the stack pointer */ };

/*
 * What the stack pointer is combined with lies where only the C library can reach it.  So have
 * it store a stack pointer that is known: calls do not change it.
 */
static __attribute__((noinline)) uintptr_t find_guard(void)
{
    jmp_buf here;
    uintptr_t sp;
    _setjmp(here);
    __asm__ volatile("mov %0, sp" : "=r"(sp));
    return (uintptr_t)here->__jmpbuf[JUMP_SP_WORD] ^ sp;
}

uintptr_t arch_jump_target_async(const struct __jmp_buf_tag *where)
{
    return (uintptr_t)where->__jmpbuf[JUMP_SP_WORD] ^ find_guard();
}
