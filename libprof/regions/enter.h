/*
 * Entering and leaving regions; for those that the compiler has call (cyg_profile.c).  Program
 * context of any thread; errno is preserved.
 */
#ifndef TSPROF_REGIONS_ENTER_H
#define TSPROF_REGIONS_ENTER_H

#include "timeline/timeline.h"

/* One call of __cyg_profile_func_enter or _exit. */
struct region_event {
    uintptr_t function;  /* its first address */
    uintptr_t site;      /* where it was called from: the address it returns to */
    struct registers at; /* of the function that makes this call */
};

/*
 * Attributes the computation that is pending on the innermost level of THREAD, which has
 * regions, to the innermost of them, or to the level's own path if none is entered.
 */
void regions_give_async(struct thread *thread);

/* THREAD, which has claimed its context, enters a region, or leaves one. */
void regions_enter(struct thread *thread, const struct region_event *event);
void regions_leave(struct thread *thread, const struct region_event *event);

#endif
