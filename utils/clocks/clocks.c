/* See clocks.h. */
#include "clocks/clocks.h"

#include "clocks/dependencies.h"

#include <string.h>

static bool has_clocks(const struct trace *trace)
{
    if (trace->has_one_clock)
        return false;
    for (size_t i = 1; i < trace->process_count; i++)
        if (strcmp(trace->processes[i].host, trace->processes[0].host) != 0)
            return true;
    return false;
}

static void visit(void *context, const struct trace_event *event)
{
    dependencies_take(context, event);
}

/* One RUN over all events of the archive. */
static bool run(const struct trace *of, enum clock_run run, struct corrections *corrections,
                struct clock_findings *found, struct error *error)
{
    struct trace *trace = trace_open(of->path, error);
    if (!trace)
        return false;
    if (!trace_is_alike(trace, of)) {
        trace_close(trace);
        return error_set(error, "%s: has changed while it was read", of->path);
    }
    struct logical_clock *clock = logical_clock_create(trace->thread_count, run, corrections);
    struct dependencies *dependencies = dependencies_create(trace, clock);
    trace->reads_ahead = of->reads_ahead;
    trace->decoders = of->decoders;
    const bool good = trace_read(trace, visit, dependencies, error);
    logical_clock_end(clock, found);
    dependencies_free(dependencies);
    logical_clock_free(clock);
    trace_close(trace);
    return good;
}

bool clocks_correct(struct trace *trace, struct clocks *clocks, struct error *error)
{
    *clocks = (struct clocks){.looked = has_clocks(trace)};
    if (!clocks->looked)
        return true;
    struct corrections *corrections = corrections_create(trace->thread_count);
    bool good = run(trace, CLOCK_JUMPS, corrections, &clocks->found, error);
    if (corrections_count(corrections) == 0) {
        corrections_free(corrections);
        return good;
    }
    good = run(trace, CLOCK_LIMITS, corrections, &clocks->found, error) && good;
    good = run(trace, CLOCK_CHECK, corrections, &clocks->found, error) && good;
    corrections_rewind(corrections);
    trace_set_corrections(trace, corrections);
    return good;
}
