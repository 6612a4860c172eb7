/*
 * Work that needs more stack than the program may have left.
 *
 * elfutils and the demangler keep tables of hundreds of kilobytes on the stack; a program's
 * thread can be content with sixteen in all.  Program context.
 */
#ifndef TSPROF_OWN_STACK_H
#define TSPROF_OWN_STACK_H

/*
 * Calls WORK with ARGUMENT on a stack of some megabytes, which is gone afterwards; on the
 * caller's where there is no memory for one.  Not to be left by a jump.
 */
void own_stack_call(void (*work)(void *argument), void *argument);

#endif
