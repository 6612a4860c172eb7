/*
 * Aliases of return addresses: other addresses that lead to the same place.
 *
 * Where a function's return address is replaced by its alias, the function returns as before;
 * but a later call from the same place writes the return address itself again.  So an alias
 * that is found on the stack proves that the function is still in the call in which it was put
 * there.
 *
 * Each return address has one alias for good.  Nothing has to be undone when frames are left in
 * other ways than by returning, and copies of a stack stay valid: whoever jumps to an alias, at
 * any time, on any stack and in any thread or child process, arrives where its return address
 * would have led.
 *
 * The aliases are a table of jumps with call-frame information: to an unwinder each is an empty
 * frame between a function and its caller.
 */
#ifndef TSPROF_ALIAS_H
#define TSPROF_ALIAS_H

#include "arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether ADDRESS lies in the table.  Any context. */
static inline bool alias_is_async(uintptr_t address)
{
    return address - (uintptr_t)alias_code < sizeof alias_code;
}

/* Where the return address ADDRESS leads: itself if it is no alias, and is not signed.  Any
 * context. */
static inline uintptr_t alias_target_async(uintptr_t address)
{
    const uintptr_t code = arch_code_address(address), offset = code - (uintptr_t)alias_code;
    return __builtin_expect(offset < sizeof alias_code, 0) ? alias_targets[offset / ALIAS_BYTES]
                                                           : code;
}

/*
 * Finds out which unwinder the program uses, and whether it can do with aliases at all.  Once,
 * in program context, before any alias is asked for.
 */
void alias_start(void);

/*
 * The alias of RETURN_ADDRESS.  Returns 0 if it must not have one (no call precedes it, a
 * signal handler returns there, or an exception could not pass) or the table is full.  Any
 * thread, program context only.
 */
uintptr_t alias_find(uintptr_t return_address);

/*
 * Whether the calling thread's return addresses may be replaced: not while the processor keeps
 * a second copy of them (a shadow stack).  Any context.
 */
static inline bool alias_allowed_async(void)
{
    return !arch_has_shadow_stack();
}

#endif
