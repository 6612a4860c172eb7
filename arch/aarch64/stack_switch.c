/* See stack_switch.h. */
#include "arch/aarch64/stack_switch.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What lies on a stack that is not running, from its stack pointer up. */
struct resting {
    uint64_t x29, x30;
    uint64_t x[10]; /* x19 to x28 */
    uint64_t d[8];  /* the lower halves of v8 to v15 */
    uint64_t fpcr, fpsr;
};

/*
 * At the very first switch the registers say what to call.  An unwinder finds no caller above
 * it: the rule for the return address is "undefined".
 */
__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".type tsprof_stack_begin, %function\n"
        "tsprof_stack_begin:\n"
        ".cfi_startproc\n"
        ".cfi_undefined x30\n"
        "mov x0, x19\n"
        "blr x20\n"
        "brk #0\n"
        ".cfi_endproc\n"
        ".size tsprof_stack_begin, . - tsprof_stack_begin\n"
        ".balign 16\n"
        ".globl arch_stack_switch_async\n"
        ".hidden arch_stack_switch_async\n"
        ".type arch_stack_switch_async, %function\n"
        "arch_stack_switch_async:\n"
        ".cfi_startproc\n"
        "hint #34\n"
        "stp x29, x30, [sp, #-176]!\n"
        ".cfi_def_cfa_offset 176\n"
        ".cfi_offset x29, -176\n"
        ".cfi_offset x30, -168\n"
        "stp x19, x20, [sp, #16]\n"
        "stp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\n"
        "stp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\n"
        "stp d10, d11, [sp, #112]\n"
        "stp d12, d13, [sp, #128]\n"
        "stp d14, d15, [sp, #144]\n"
        "mrs x9, fpcr\n"
        "mrs x10, fpsr\n"
        "stp x9, x10, [sp, #160]\n"
        "mov x9, sp\n"
        "str x9, [x0]\n"
        "mov sp, x1\n"
        "ldp x9, x10, [sp, #160]\n"
        "msr fpcr, x9\n"
        "msr fpsr, x10\n"
        "ldp x19, x20, [sp, #16]\n"
        "ldp x21, x22, [sp, #32]\n"
        "ldp x23, x24, [sp, #48]\n"
        "ldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\n"
        "ldp d10, d11, [sp, #112]\n"
        "ldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\n"
        "ldp x29, x30, [sp], #176\n"
        ".cfi_def_cfa_offset 0\n"
        ".cfi_restore x29\n"
        ".cfi_restore x30\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size arch_stack_switch_async, . - arch_stack_switch_async\n"
        ".popsection\n");

_Static_assert(sizeof(struct resting) == 176 && offsetof(struct resting, fpcr) == 160,
               "as the switch has it");

void *arch_stack_prepare_async(void *top, void (*begin)(void *argument), void *argument)
{
    struct resting *resting = (struct resting *)top - 1;
    memset(resting, 0, sizeof *resting);
    __asm__ volatile("mrs %0, fpcr" : "=r"(resting->fpcr));
    __asm__ volatile("mrs %0, fpsr" : "=r"(resting->fpsr));
    resting->x[0] = (uint64_t)argument;
    resting->x[1] = (uint64_t)begin;
    __asm__("adr %0, tsprof_stack_begin" : "=r"(resting->x30));
    return resting;
}
