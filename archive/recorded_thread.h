/*
 * Which iterations of a thread can be chosen for a trace, and which of them were (choose.h).
 * Memory from malloc.
 */
#ifndef TSPROF_RECORDED_THREAD_H
#define TSPROF_RECORDED_THREAD_H

#include "archive/choose.h"
#include "archive/program.h"
#include "archive/recording.h"
#include "archive/shortage.h"
#include "common/trace_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread's stream, and what its series are in the end. */
struct recorded_thread {
    const struct recording *recording;
    uint32_t owner;                          /* of the stream */
    uint32_t phases[EVENT_FILE_SERIES];      /* in the summary; UINT32_MAX: not shown */
    uint32_t generations[EVENT_FILE_SERIES]; /* of those that are iterations still */
    const struct event_lost *lost; /* what it let go of each series; NULL: nothing is known */
    int64_t ended_ns;              /* when it ended recording; 0: at its end */
};

/*
 * What the COUNT threads of a process in LIST offer together, of what SPEC allows to choose:
 * nothing that one of them may have let go.  Adds to SUPPLY and SHORTAGE, which start from all
 * zeros.
 */
void recorded_threads_offer(const struct recorded_thread *list, size_t count,
                            const struct program *program, const struct trace_spec *spec,
                            struct supply *supply, struct shortage *shortage);

/* The iterations of a thread that were chosen, in the order in which they begin. */
struct chosen_iterations {
    struct recorded_iteration *all;
    const struct recorded_iteration **list; /* NULL: everything is written */
    size_t count;
    bool failed; /* there was no memory */
};

/* Those of THREAD that OFFERS has; to be freed with chosen_iterations_free. */
struct chosen_iterations recorded_thread_choose(const struct recorded_thread *thread,
                                                const struct program *program,
                                                const struct trace_spec *spec,
                                                const struct offers *offers);
void chosen_iterations_free(struct chosen_iterations *chosen);

#endif
