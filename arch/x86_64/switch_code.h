/* Instructions with which code goes over to another stack. */
#ifndef TSPROF_ARCH_SWITCH_CODE_H
#define TSPROF_ARCH_SWITCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where glibc's swapcontext, whose code is FUNCTION up to END, is between two stacks: from where
 * it has loaded the other's stack pointer until it has pushed where to go there.  False if it is
 * written otherwise.
 */
bool arch_find_stack_switch(const unsigned char *function, const unsigned char *end,
                            uintptr_t *begin_switch, uintptr_t *end_switch);

/*
 * Where a function of SIZE bytes of CODE sets its stack pointer and jumps, as GCC's unwinder does
 * to get to who catches an exception; NULL if it does not.  *BYTES is the length of that.
 */
const unsigned char *arch_find_jump_to_context_async(const unsigned char *code, size_t size,
                                                     size_t *bytes);

#endif
