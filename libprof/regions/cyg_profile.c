/*
 * What functions that were compiled with -finstrument-functions call when they are entered and
 * left.  The C library has functions of these names that do nothing, so programs can be linked
 * without tsprof.
 */
#include "regions/early.h"
#include "regions/filtered.h"
#include "regions/quick.h"
#include "regions/regions.h"
#include "unwind/unwind.h"

#include <dlfcn.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* A library that the program is linked with may have such functions, too: they go on hearing.
 */
static void (*next_enter)(void *, void *), (*next_exit)(void *, void *);
/* They are to hear of every event: none is to be quick. */
static bool others_listen;

/* The next definition of SYMBOL; NULL if that is the C library's, which does nothing. */
static void *find_next(const char *symbol)
{
    Dl_info next, library;
    void *found = dlsym(RTLD_NEXT, symbol);
    if (found && dladdr(found, &next) && dladdr((void *)&memcpy, &library) &&
        next.dli_fbase == library.dli_fbase)
        return NULL;
    return found;
}

/* Before the program's own constructors, most of which are instrumented. */
static void __attribute__((constructor)) find_others(void)
{
    void *enter = find_next("__cyg_profile_func_enter");
    void *exit = find_next("__cyg_profile_func_exit");
    memcpy(&next_enter, &enter, sizeof enter);
    memcpy(&next_exit, &exit, sizeof exit);
    others_listen = enter || exit;
    dlerror();
}

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
    if ((thread->regions_refused && !thread->regions) || event.at.sp < thread->stack.low ||
        event.at.sp >= thread->stack.high)
        return;
    thread = thread_enter(frame, false);
    if (thread)
        (enters ? regions_enter : regions_leave)(thread, &event);
}

/* Whether the event was a quick one; one that is in a trace if RECORDS. */
static inline __attribute__((always_inline)) bool is_quick(struct thread *thread,
                                                           void *function, void *site,
                                                           const uintptr_t *frame, bool enters,
                                                           bool records)
{
    return (enters ? quick_enter : quick_leave)(thread, frame, (uintptr_t)function,
                                                (uintptr_t)site, records);
}

/* One event of some hundred is timed, whichever way it goes. */
static inline __attribute__((always_inline)) void
tell_timed(void *function, void *site, const uintptr_t *frame, bool enters)
{
    struct thread *thread = thread_self;
    struct telling *telling = enters ? &thread->cost.entries : &thread->cost.exits;
    const int64_t begin_ns = telling_begin(telling);
    if (!is_quick(thread, function, site, frame, enters, false) &&
        !is_quick(thread, function, site, frame, enters, true))
        tell(function, site, frame, enters);
    telling_end(telling, begin_ns);
}

/* The same of one that is, where the thread may not be measured. */
static inline __attribute__((always_inline)) bool
is_recorded(void *function, void *site, const uintptr_t *frame, bool enters)
{
    return thread_self && is_quick(thread_self, function, site, frame, enters, true);
}

static __attribute__((noinline)) void tell_enter(void *function, void *site,
                                                 const uintptr_t *frame)
{
    const bool is_out = filtered_is_out((uintptr_t)function);
    if (!is_out && thread_self && telling_is_due(&thread_self->cost.entries))
        tell_timed(function, site, frame, true);
    else if (!is_out && !is_recorded(function, site, frame, true))
        tell(function, site, frame, true);
    if (next_enter)
        next_enter(function, site);
}

static __attribute__((noinline)) void tell_exit(void *function, void *site,
                                                const uintptr_t *frame)
{
    const bool is_out = filtered_is_out((uintptr_t)function);
    if (!is_out && thread_self && telling_is_due(&thread_self->cost.exits))
        tell_timed(function, site, frame, false);
    else if (!is_out && !is_recorded(function, site, frame, false))
        tell(function, site, frame, false);
    if (next_exit)
        next_exit(function, site);
}

/* Apart, so that no register is saved for functions that are left out. */
static __attribute__((noinline)) void look_enter(void *function, void *site,
                                                 const uintptr_t *frame)
{
    struct thread *thread = thread_self;
    if (__builtin_expect(thread && !others_listen && !telling_is_due(&thread->cost.entries) &&
                             is_quick(thread, function, site, frame, true, false),
                         1))
        return;
    tell_enter(function, site, frame);
}

static __attribute__((noinline)) void look_exit(void *function, void *site,
                                                const uintptr_t *frame)
{
    struct thread *thread = thread_self;
    if (__builtin_expect(thread && !others_listen && !telling_is_due(&thread->cost.exits) &&
                             is_quick(thread, function, site, frame, false, false),
                         1))
        return;
    tell_exit(function, site, frame);
}

/* Keeps the call before it from being the last thing that a function does: its frame is used.
 */
static inline __attribute__((always_inline)) void keep_frame(void)
{
    __asm__ volatile("");
}

void __cyg_profile_func_enter(void *function, void *site)
{
    if (filtered_is_surely_out((uintptr_t)function) && !next_enter)
        return;
    look_enter(function, site, ARCH_FRAME());
    keep_frame();
}

void __cyg_profile_func_exit(void *function, void *site)
{
    if (filtered_is_surely_out((uintptr_t)function) && !next_exit)
        return;
    look_exit(function, site, ARCH_FRAME());
    keep_frame();
}
