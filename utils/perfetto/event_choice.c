/* See event_choice.h. */
#include "perfetto/event_choice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_in(const struct range *range, uint64_t number)
{
    return number >= range->first && number <= range->last;
}

bool chooses_thread(const struct event_choice *choice, uint32_t number)
{
    const struct trace_thread *thread = &choice->trace->threads[number];
    const uint32_t rank = choice->trace->processes[thread->process].rank;
    const bool all = choice->options->ranks.last == UINT64_MAX;
    return (rank == TRACE_NONE ? all : is_in(&choice->options->ranks, rank)) &&
           is_in(&choice->options->threads, thread->number);
}

static bool counts(const struct event_choice *choice, uint32_t phase)
{
    return !choice->phases || choice->phases[phase];
}

/* Whether the iterations that EVENT is in are among those that are asked for. */
static bool is_chosen_iteration(const struct event_choice *choice,
                                const struct trace_event *event)
{
    if (!choice->phases && !choice->options->iterations_given)
        return true;
    for (size_t i = 0; i < event->iteration_count; i++)
        if (counts(choice, event->iterations[i].phase) &&
            is_in(&choice->options->iterations, event->iterations[i].number))
            return true;
    return false;
}

bool chooses_event(const struct event_choice *choice, const struct trace_event *event)
{
    return chooses_thread(choice, event->thread) && is_chosen_iteration(choice, event);
}

void event_choice_note(struct event_choice *choice, const struct trace_event *event)
{
    if (!chooses_thread(choice, event->thread))
        return;
    for (size_t i = 0; i < event->iteration_count; i++) {
        const uint64_t number = event->iterations[i].number;
        if (!counts(choice, event->iterations[i].phase))
            continue;
        choice->has_iterations = true;
        if (number > choice->last_iteration)
            choice->last_iteration = number;
    }
}

/* False, and ERROR, if a phase that is asked for is not in the trace. */
static bool choose_phases(struct event_choice *choice, struct error *error)
{
    const struct trace *trace = choice->trace;
    const struct options *options = choice->options;
    if (options->phase_count == 0)
        return true;
    choice->phases = allocate(trace->region_count, sizeof *choice->phases);
    for (size_t p = 0; p < options->phase_count; p++) {
        bool any = false;
        for (size_t i = 0; i < trace->region_count; i++)
            if (trace->regions[i].is_phase &&
                strcmp(trace->regions[i].name, options->phases[p]) == 0)
                any = choice->phases[i] = true;
        if (!any)
            return error_set(error, "%s: there is no phase \"%s\" in the trace", trace->path,
                             options->phases[p]);
    }
    return true;
}

/* No thread is chosen: sets the message that says which rank or thread does not exist. */
static bool refuse_threads(const struct event_choice *choice, struct error *error)
{
    const struct trace *trace = choice->trace;
    const struct options *options = choice->options;
    uint32_t last_rank = 0, last_thread = 0;
    bool has_rank = false;
    for (size_t i = 0; i < trace->thread_count; i++) {
        const uint32_t rank = trace->processes[trace->threads[i].process].rank;
        const uint32_t number = trace->threads[i].number;
        if (rank != TRACE_NONE && rank > last_rank)
            last_rank = rank;
        if (rank == TRACE_NONE || !is_in(&options->ranks, rank))
            continue;
        has_rank = true;
        last_thread = number > last_thread ? number : last_thread;
    }
    if (has_rank)
        return error_set(error, "%s: has no thread from %" PRIu64 " on; the last is %" PRIu32,
                         trace->path, options->threads.first, last_thread);
    return error_set(error, "%s: has no rank from %" PRIu64 " on; its last is %" PRIu32,
                     trace->path, options->ranks.first, last_rank);
}

/* False, and ERROR, if no thread is among those that are asked for. */
static bool check_threads(const struct event_choice *choice, struct error *error)
{
    for (uint32_t i = 0; i < choice->trace->thread_count; i++)
        if (chooses_thread(choice, i))
            return true;
    return choice->trace->thread_count == 0 || refuse_threads(choice, error);
}

bool event_choice_check(const struct event_choice *choice, struct error *error)
{
    const struct trace *trace = choice->trace;
    const struct range *asked = &choice->options->iterations;
    if (!choice->phases && !choice->options->iterations_given)
        return true;
    if (!choice->has_iterations)
        return error_set(error, "%s: has no iterations of what is chosen", trace->path);
    if (asked->first == asked->last)
        return error_set(error,
                         "%s: has no iteration %" PRIu64 "; the last one in it is %" PRIu64,
                         trace->path, asked->first, choice->last_iteration);
    return error_set(
        error, "%s: has no iterations %" PRIu64 "-%" PRIu64 "; the last one in it is %" PRIu64,
        trace->path, asked->first, asked->last, choice->last_iteration);
}

bool event_choice_make(struct event_choice *choice, const struct trace *trace,
                       const struct options *options, struct error *error)
{
    *choice = (struct event_choice){.trace = trace, .options = options};
    return choose_phases(choice, error) && check_threads(choice, error);
}

void event_choice_free(struct event_choice *choice)
{
    free(choice->phases);
}
