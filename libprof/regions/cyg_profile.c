/*
 * What functions that were compiled with -finstrument-functions call when they are entered and
 * left.  The C library has functions of these names that do nothing, so programs can be linked
 * without tsprof.
 */
#include "regions/early.h"
#include "regions/regions.h"
#include "unwind/unwind.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

static inline __attribute__((always_inline)) void tell(void *function, void *site,
                                                       const uintptr_t *frame, bool enters)
{
    struct thread *thread = thread_self;
    const struct region_event event = {.function = (uintptr_t)function,
                                       .site = alias_target_async((uintptr_t)site),
                                       .at = unwind_caller(frame)};
    if (!thread) {
        (enters ? early_enter : early_leave)(&event);
        return;
    }
    /* What happens on other stacks is sampled like functions that tell nothing. */
    if (event.at.sp < thread->stack.low || event.at.sp >= thread->stack.high)
        return;
    thread = thread_enter(frame, false);
    if (thread)
        (enters ? regions_enter : regions_leave)(thread, &event);
}

void __cyg_profile_func_enter(void *function, void *site)
{
    tell(function, site, __builtin_frame_address(0), true);
}

void __cyg_profile_func_exit(void *function, void *site)
{
    tell(function, site, __builtin_frame_address(0), false);
}
