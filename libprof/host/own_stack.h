/*
 * Running what needs more stack than the program may have left.
 *
 * elfutils and the demangler keep tables of hundreds of kilobytes on the stack; a thread of the
 * program may have a stack of sixteen kilobytes.  Program context.
 */
#ifndef TSPROF_OWN_STACK_H
#define TSPROF_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls WORK with ARGUMENT on a stack of some megabytes, which is freed afterwards; on the
 * caller's stack if there is no memory for one.  Where a signal handler of the program's leaves
 * WORK by a jump the stack stays.
 */
void own_stack_call(void (*work)(void *argument), void *argument);

/* Whether FRAME is on the stack of the calling thread's last such call.  Any context. */
bool own_stack_holds_async(uintptr_t frame);

#endif
