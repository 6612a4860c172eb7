/* Where a function was called from, read from its own frame.  Any context. */
#ifndef TSPROF_CALLER_H
#define TSPROF_CALLER_H

#include "unwind/alias.h"
#include "unwind/unwind.h"

/*
 * The registers of the caller of a function whose frame address is FRAME, where the saved frame
 * pointer and the return address lie.
 */
static inline struct registers unwind_caller(const uintptr_t *frame)
{
    return (struct registers){
        .pc = alias_target_async(frame[1]) - 1, .sp = (uintptr_t)(frame + 2), .fp = frame[0]};
}

#endif
