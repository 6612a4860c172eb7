/* Finding the instructions that switch to another stack. */
#ifndef TSPROF_ARCH_SWITCH_CODE_H
#define TSPROF_ARCH_SWITCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds where glibc's swapcontext, whose code lies from FUNCTION to END, has other things in
 * the link register than its call-frame information says, and may be between two stacks: from
 * *BEGIN_SWITCH to *END_SWITCH.  Returns false if the code is written differently.
 */
bool arch_find_stack_switch(const unsigned char *function, const unsigned char *end,
                            uintptr_t *begin_switch, uintptr_t *end_switch);

/*
 * Finds where a function, SIZE bytes at CODE, has put the address to continue at in place of
 * its own return address, as GCC's unwinder does to enter the frame that catches an exception.
 * Returns NULL if it does not; otherwise *BYTES is the length of these instructions.
 */
const unsigned char *arch_find_jump_to_context_async(const unsigned char *code, size_t size,
                                                     size_t *bytes);

#endif
