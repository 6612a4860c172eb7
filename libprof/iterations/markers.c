/*
 * The markers' functions, which include/tsprof.h finds by tsprof_get_api in a process that is
 * measured.  Program context of any thread.
 */
#include "iterations/phase.h"
#include "timeline/timeline.h"
#include "tsprof.h"
#include "unwind/unwind.h"

#define EXPORT __attribute__((visibility("default")))

/*
 * Each marker reads the clock before anything else, and finds its caller's registers through
 * its own frame.  Before the measurement and after it a marker does nothing.
 */
#define MARKER(function, work)                                                                 \
    static void function(const char *name)                                                     \
    {                                                                                          \
        const uintptr_t *frame = ARCH_FRAME();                                                 \
        uint64_t ticks = clock_ticks_async();                                                  \
        if (!name || !measurement_runs_async())                                                \
            return;                                                                            \
        struct thread *thread = thread_enter(frame, false);                                    \
        if (!thread)                                                                           \
            return;                                                                            \
        work;                                                                                  \
        thread_leave_marker(thread);                                                           \
    }

MARKER(begin_phase, phase_begin(thread, name, false, unwind_caller(frame), ticks))
MARKER(end_phase, phase_end(thread, name, unwind_caller(frame), ticks))
MARKER(begin_iteration, phase_begin(thread, name, true, unwind_caller(frame), ticks))
MARKER(end_iteration, phase_end(thread, name, unwind_caller(frame), ticks))

EXPORT const struct tsprof_api *tsprof_get_api(unsigned version);

/* The table of markers for VERSION of the header; NULL if the runtime is too old for it. */
const struct tsprof_api *tsprof_get_api(unsigned version)
{
    static const struct tsprof_api api = {
        .version = 1,
        .phase_begin = begin_phase,
        .phase_end = end_phase,
        .iteration_begin = begin_iteration,
        .iteration_end = end_iteration,
    };
    return version <= api.version ? &api : NULL;
}
