/* See switch_code.h. */
#include "arch/x86_64/switch_code.h"

#include <string.h>

bool arch_find_stack_switch(const unsigned char *function, const unsigned char *end,
                            uintptr_t *begin_switch, uintptr_t *end_switch)
{
    /* mov 0xa0(%rdx), %rsp */
    static const unsigned char first[] = {0x48, 0x8b, 0xa2, 0xa0, 0, 0, 0};
    /* mov 0xa8(%rdx), %rcx; push %rcx */
    static const unsigned char last[] = {0x48, 0x8b, 0x8a, 0xa8, 0, 0, 0, 0x51};
    const unsigned char *loads =
        memmem(function, (size_t)(end - function), first, sizeof first);
    const unsigned char *pushes =
        loads ? memmem(loads, (size_t)(end - loads), last, sizeof last) : NULL;
    if (!pushes)
        return false;
    *begin_switch = (uintptr_t)loads + sizeof first;
    *end_switch = (uintptr_t)pushes + sizeof last;
    return true;
}

const unsigned char *arch_find_jump_to_context_async(const unsigned char *code, size_t size,
                                                     size_t *bytes)
{
    /* mov %rcx, %rsp; pop %rcx; jmp *%rcx */
    static const unsigned char sets[] = {0x48, 0x89, 0xcc, 0x59, 0xff, 0xe1};
    *bytes = sizeof sets;
    return memmem(code, size, sets, sizeof sets);
}
