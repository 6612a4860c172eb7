/* See dependencies.h. */
#include "clocks/dependencies.h"

#include "clocks/message_gates.h"
#include "clocks/operation_gates.h"

#include <stdlib.h>
#include <string.h>

struct dependencies {
    const struct trace *trace;
    struct logical_clock *clock;
    struct message_gates *messages;
    struct operation_gates *operations;
    bool *is_certain;    /* by region: who waits for whom in a collective operation */
    uint32_t *regions;   /* by thread: of MPI, the last that was entered */
    uint32_t *stretches; /* by process: how often it has been stopped */
};

/* Between neighbours, or any number of bytes for each pair, some do not wait for others; what
 * MPI_Start and MPI_Startall start may be such an operation. */
static bool is_certain(const char *name)
{
    return !strstr(name, "eighbor") && !strstr(name, "lltoallv") && !strstr(name, "lltoallw") &&
           !strstr(name, "MPI_Start");
}

struct dependencies *dependencies_create(const struct trace *trace, struct logical_clock *clock)
{
    struct dependencies *all = allocate(1, sizeof *all);
    *all = (struct dependencies){.trace = trace,
                                 .clock = clock,
                                 .messages = message_gates_create(trace, clock),
                                 .operations = operation_gates_create(trace, clock)};
    all->is_certain = allocate(trace->region_count + 1, sizeof *all->is_certain);
    all->regions = allocate(trace->thread_count + 1, sizeof *all->regions);
    all->stretches = allocate(trace->process_count + 1, sizeof *all->stretches);
    for (size_t i = 0; i < trace->region_count; i++)
        all->is_certain[i] = is_certain(trace->regions[i].name);
    memset(all->regions, 0xff, trace->thread_count * sizeof *all->regions);
    return all;
}

void dependencies_free(struct dependencies *all)
{
    if (!all)
        return;
    message_gates_free(all->messages);
    operation_gates_free(all->operations);
    free(all->is_certain);
    free(all->regions);
    free(all->stretches);
    free(all);
}

/* Recording pauses on a process's first thread. */
static void stop(struct dependencies *all, uint32_t thread)
{
    const uint32_t process = all->trace->threads[thread].process;
    if (all->trace->threads[thread].number > 0)
        return;
    message_gates_stopped(all->messages, process, ++all->stretches[process]);
    operation_gates_stopped(all->operations, process);
}

static void take_collective(struct dependencies *all, const struct trace_event *event,
                            struct clock_event *to)
{
    const uint32_t region = all->regions[event->thread];
    const bool certain = region != TRACE_NONE && all->is_certain[region];
    if (event->kind == TRACE_COLLECT_POST) {
        to->is_start = true;
        operation_gates_start(all->operations, event, certain);
        return;
    }
    to->from = event->request == TRACE_NO_REQUEST ? SOURCE_ENTER : SOURCE_START;
    operation_gates_end(all->operations, event, certain, to);
}

void dependencies_take(struct dependencies *all, const struct trace_event *event)
{
    struct clock_event to = {.thread = event->thread,
                             .order = event->order,
                             .time_ns = event->time_ns,
                             .request = event->request};
    const uint32_t stretch = all->stretches[all->trace->threads[event->thread].process];
    switch (event->kind) {
    case TRACE_ENTER:
        to.is_enter = all->trace->regions[event->region].is_mpi;
        if (to.is_enter)
            all->regions[event->thread] = event->region;
        break;
    case TRACE_SEND:
        to.source = message_gates_sent(all->messages, event, stretch);
        break;
    case TRACE_RECV:
        to.through = message_gates_received(all->messages, event, stretch);
        break;
    case TRACE_COLLECT:
    case TRACE_COLLECT_POST:
        take_collective(all, event, &to);
        break;
    case TRACE_OFF:
        stop(all, event->thread);
        break;
    default:
        break;
    }
    logical_clock_take(all->clock, &to);
}
