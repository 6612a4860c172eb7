/*
 * Running what needs more stack than the program may have left.
 *
 * elfutils and the demangler keep tables of hundreds of kilobytes on the stack; a thread of the
 * program may have a stack of sixteen kilobytes.  Program context.
 */
#ifndef TSPROF_OWN_STACK_H
#define TSPROF_OWN_STACK_H

/*
 * Calls WORK with ARGUMENT on a stack of some megabytes, which is freed afterwards; on the
 * caller's stack if there is no memory for one.  WORK must not leave by longjmp.
 */
void own_stack_call(void (*work)(void *argument), void *argument);

#endif
