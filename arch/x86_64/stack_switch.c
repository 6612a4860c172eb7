/* See stack_switch.h. */
#include "arch/x86_64/stack_switch.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * What lies on a stack that is not running, from its stack pointer up.  The x87 control word is
 * not among it: nothing here uses that unit, and loading a word that traps what the program has
 * raised meanwhile would be a SIGFPE.
 */
struct resting {
    uint32_t mxcsr, unused;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    uint64_t return_address;
    uint64_t end[2]; /* the first function finds the stack empty, and aligned to 16 bytes */
};

/*
 * At the very first switch the registers say what to call.  An unwinder finds no caller above
 * it: the rule for the return address is "undefined".
 */
__asm__(".pushsection .text\n"
        ".balign 16\n"
        ".type tsprof_stack_begin, @function\n"
        "tsprof_stack_begin:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "mov %r12, %rdi\n"
        "call *%r13\n"
        "ud2\n"
        ".cfi_endproc\n"
        ".size tsprof_stack_begin, . - tsprof_stack_begin\n"
        ".balign 16\n"
        ".globl arch_stack_switch_async\n"
        ".hidden arch_stack_switch_async\n"
        ".type arch_stack_switch_async, @function\n"
        "arch_stack_switch_async:\n"
        ".cfi_startproc\n"
        "push %rbp\n.cfi_adjust_cfa_offset 8\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n"
        "push %r12\n.cfi_adjust_cfa_offset 8\n"
        "push %r13\n.cfi_adjust_cfa_offset 8\n"
        "push %r14\n.cfi_adjust_cfa_offset 8\n"
        "push %r15\n.cfi_adjust_cfa_offset 8\n"
        "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
        "stmxcsr (%rsp)\n"
        "mov %rsp, (%rdi)\n"
        "mov %rsi, %rsp\n"
        "ldmxcsr (%rsp)\n"
        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
        "pop %r15\n.cfi_adjust_cfa_offset -8\n"
        "pop %r14\n.cfi_adjust_cfa_offset -8\n"
        "pop %r13\n.cfi_adjust_cfa_offset -8\n"
        "pop %r12\n.cfi_adjust_cfa_offset -8\n"
        "pop %rbx\n.cfi_adjust_cfa_offset -8\n"
        "pop %rbp\n.cfi_adjust_cfa_offset -8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size arch_stack_switch_async, . - arch_stack_switch_async\n"
        ".popsection\n");

_Static_assert(offsetof(struct resting, end) % 16 == 0 && sizeof(struct resting) % 16 == 0,
               "a call is made with the stack aligned to 16 bytes");

void *arch_stack_prepare_async(void *top, void (*begin)(void *argument), void *argument)
{
    struct resting *resting = (struct resting *)top - 1;
    memset(resting, 0, sizeof *resting);
    __asm__ volatile("stmxcsr %0" : "=m"(resting->mxcsr));
    resting->r12 = (uint64_t)argument;
    resting->r13 = (uint64_t)begin;
    __asm__("lea tsprof_stack_begin(%%rip), %0" : "=r"(resting->return_address));
    return resting;
}
