/* Where a function was called from, read from its own frame.  Any context. */
#ifndef TSPROF_CALLER_H
#define TSPROF_CALLER_H

#include "unwind/alias.h"
#include "unwind/walker.h"

/*
 * The registers of the caller of a function whose frame address is FRAME, where the saved frame
 * pointer and the return address lie.
 */
static inline struct registers unwind_caller(const uintptr_t *frame)
{
    return arch_caller(frame, alias_target_async(arch_return_address(frame)));
}

#endif
