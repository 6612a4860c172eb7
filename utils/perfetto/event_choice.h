/*
 * Which events of a trace were asked for by rank, thread, phase and iteration.  For perfetto.c.
 */
#ifndef TSPROF_PERFETTO_EVENT_CHOICE_H
#define TSPROF_PERFETTO_EVENT_CHOICE_H

#include "archive/archive.h"
#include "options/options.h"

#include <stdbool.h>
#include <stdint.h>

struct event_choice {
    const struct trace *trace;
    const struct options *options;
    bool *phases;            /* by region: whether its iterations count; NULL: all do */
    uint64_t last_iteration; /* of those noted on the chosen threads, in phases that count */
    bool has_iterations;     /* `last_iteration` is one */
};

/*
 * What OPTIONS choose of TRACE, both of which must outlive it.  False, and ERROR, if the trace
 * has no such rank, thread or phase.  To be freed by `event_choice_free` in either case.
 */
bool event_choice_make(struct event_choice *choice, const struct trace *trace,
                       const struct options *options, struct error *error);
void event_choice_free(struct event_choice *choice);

/* Whether the trace's thread of this number, or this event, is among what was asked for. */
bool chooses_thread(const struct event_choice *choice, uint32_t number);
bool chooses_event(const struct event_choice *choice, const struct trace_event *event);

/* Notes what the message of `event_choice_check` says: each event until one is chosen. */
void event_choice_note(struct event_choice *choice, const struct trace_event *event);

/*
 * When no event was chosen: false, and ERROR, if that is because the phases that were asked for
 * have no iterations, or not the ones that were asked for.
 */
bool event_choice_check(const struct event_choice *choice, struct error *error);

#endif
