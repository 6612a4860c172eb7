/*
 * Going on with work that has a stack of its own, and back, without a system call.
 */
#ifndef TSPROF_ARCH_STACK_SWITCH_H
#define TSPROF_ARCH_STACK_SWITCH_H

/*
 * Prepares the stack that ends at TOP, aligned to 16 bytes, so that the first switch to what is
 * returned calls BEGIN with ARGUMENT, with the caller's floating-point control and flags (FPCR,
 * FPSR).  BEGIN must never return.
 */
void *arch_stack_prepare_async(void *top, void (*begin)(void *argument), void *argument);

/*
 * Leaves the running code, stores in *FROM where it is to be gone on with, and goes on at TO.
 * Keeps the registers that a function has to keep, and FPCR and FPSR; the mask of signals is
 * the thread's and stays.
 */
void arch_stack_switch_async(void **from, void *to);

#endif
