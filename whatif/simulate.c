/* When calls begin and end by LogGPS.  See graph.h. */
#include "whatif/graph.h"

#include <stdlib.h>

bool simulation_times_create(struct times *times, const struct whatif *graph)
{
    *times = (struct times){
        .enters = calloc(graph->call_count + 1, sizeof *times->enters),
        .leaves = calloc(graph->call_count + 1, sizeof *times->leaves),
        .injections = calloc(graph->message_count + 1, sizeof *times->injections),
        .ports = calloc(graph->world->thread_count + 1, sizeof *times->ports),
        .meetings = calloc(graph->operation_count + 1, sizeof *times->meetings)};
    return times->enters && times->leaves && times->injections && times->ports &&
           times->meetings;
}

void simulation_times_free(struct times *times)
{
    free(times->enters);
    free(times->leaves);
    free(times->injections);
    free(times->ports);
    free(times->meetings);
}

static uint64_t scaled(uint64_t ns, float factor)
{
    return factor == 1 ? ns : (uint64_t)((double)ns * (double)factor + 0.5);
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

uint64_t simulation_work(const struct whatif *graph, const struct whatif_changes *changes,
                         uint32_t call)
{
    uint64_t ns = 0;
    for (uint32_t i = graph->calls[call].first_segment;
         i < graph->calls[call + 1].first_segment; i++)
        ns += scaled(graph->segments[i].ns, changes->factors[i]);
    return ns;
}

/* What it takes CALL to hand over its first message, its second and so on. */
static uint64_t sending_ns(const struct whatif_changes *changes, uint32_t call, uint64_t bytes)
{
    if (changes->flags[call] & CALL_IS_REMOVED)
        return 0;
    return scaled(network_overhead(&changes->network, bytes), changes->call_factors[call]);
}

void simulation_enter(const struct whatif *graph, const struct whatif_changes *changes,
                      struct times *times, uint32_t call, uint64_t ns)
{
    uint64_t *port = &times->ports[graph->calls[call].thread];
    times->enters[call] = ns;
    for (uint32_t i = graph->calls[call].first_need; i < graph->calls[call + 1].first_need;
         i++) {
        if (graph->needs[i].kind != NEED_START)
            continue;
        const uint32_t message = graph->needs[i].number;
        const uint64_t bytes = changes->bytes[message];
        ns += sending_ns(changes, call, bytes);
        times->injections[message] = ns;
        if (network_waits(&changes->network, &graph->messages[message], bytes))
            continue;
        times->injections[message] = later(ns, *port);
        *port = times->injections[message] + network_gap(&changes->network, bytes);
    }
}

uint64_t simulation_begun(const struct whatif *graph, const struct whatif_changes *changes,
                          const struct times *times, uint32_t call)
{
    uint64_t ns = times->enters[call];
    for (uint32_t i = graph->calls[call].first_need; i < graph->calls[call + 1].first_need; i++)
        if (graph->needs[i].kind == NEED_START)
            ns += sending_ns(changes, call, changes->bytes[graph->needs[i].number]);
    return ns;
}

/* When the sender has the answer to a request to send: the request has come, the receive is
 * posted, and the receiver is in MPI to answer. */
uint64_t simulation_answered(const struct whatif *graph, const struct whatif_changes *changes,
                             const struct times *times, uint32_t number)
{
    const struct graph_message *message = &graph->messages[number];
    const uint64_t latency = network_latency(&changes->network);
    uint64_t ns = times->injections[number] + latency;
    ns = later(ns, times->enters[message->receive]);
    ns = later(ns, times->enters[message->answer]);
    return ns + network_overhead(&changes->network, 1) + latency;
}

/* When a message that waits for its receive sets out: then the sender has to be in MPI, too. */
static uint64_t departure_ns(const struct whatif *graph, const struct whatif_changes *changes,
                             const struct times *times, uint32_t number)
{
    return later(simulation_answered(graph, changes, times, number),
                 times->enters[graph->messages[number].serve]);
}

static uint64_t arrival_ns(const struct whatif *graph, const struct whatif_changes *changes,
                           const struct times *times, uint32_t number)
{
    const struct graph_message *message = &graph->messages[number];
    const uint64_t bytes = changes->bytes[number];
    const uint64_t flight = network_flight(&changes->network, bytes);
    if (!network_waits(&changes->network, message, bytes))
        return times->injections[number] + flight;
    /* A probe finds the request to send. */
    if (message->is_probed)
        return times->injections[number] + network_latency(&changes->network);
    return departure_ns(graph, changes, times, number) + flight;
}

static uint64_t sent_ns(const struct whatif *graph, const struct whatif_changes *changes,
                        const struct times *times, uint32_t number)
{
    const uint64_t bytes = changes->bytes[number];
    if (!network_waits(&changes->network, &graph->messages[number], bytes))
        return 0;
    return departure_ns(graph, changes, times, number) +
           network_stretch(&changes->network, bytes);
}

static uint64_t latest_start(const struct whatif *graph, const struct whatif_changes *changes,
                             const struct times *times, const struct operation *operation,
                             uint32_t from, uint32_t to)
{
    uint64_t ns = 0;
    for (uint32_t i = from; i < to; i++) {
        const struct member *member = &graph->members[operation->first_member + i];
        if (!(changes->flags[member->end] & CALL_IS_REMOVED))
            ns = later(ns, times->enters[member->start]);
    }
    return ns;
}

/* The members of an operation that all wait for come one after the other, and all have been
 * entered before the first is simulated. */
static uint64_t meeting_ns(const struct whatif *graph, const struct whatif_changes *changes,
                           struct times *times, uint32_t member)
{
    const uint32_t number = graph->members[member].operation;
    const struct operation *operation = &graph->operations[number];
    if (times->meetings[number] == 0)
        times->meetings[number] =
            latest_start(graph, changes, times, operation, 0, operation->member_count);
    return times->meetings[number];
}

static uint64_t member_ns(const struct whatif *graph, const struct whatif_changes *changes,
                          struct times *times, uint32_t member)
{
    const struct operation *operation = &graph->operations[graph->members[member].operation];
    const uint32_t rank = member - operation->first_member, count = operation->member_count;
    switch (operation->kind) {
    case TSPROF_ONE_TO_N:
        return operation->root == WHATIF_NONE || operation->root == rank
                   ? 0
                   : latest_start(graph, changes, times, operation, operation->root,
                                  operation->root + 1);
    case TSPROF_N_TO_ONE:
        return operation->root == rank
                   ? latest_start(graph, changes, times, operation, 0, count)
                   : 0;
    case TSPROF_SCAN:
        return latest_start(graph, changes, times, operation, 0, rank);
    default:
        return meeting_ns(graph, changes, times, member);
    }
}

uint64_t simulation_need(const struct whatif *graph, const struct whatif_changes *changes,
                         struct times *times, const struct need *need)
{
    switch (need->kind) {
    case NEED_ARRIVAL:
        return arrival_ns(graph, changes, times, need->number);
    case NEED_SENT:
        return sent_ns(graph, changes, times, need->number);
    case NEED_MEMBER:
        return member_ns(graph, changes, times, need->number);
    case NEED_LINK: {
        const struct link *link = &graph->links[need->number];
        return times->enters[link->from] + link->after_ns;
    }
    default:
        return 0;
    }
}

uint64_t simulation_gate(const struct whatif *graph, const struct whatif_changes *changes,
                         struct times *times, uint32_t call)
{
    uint64_t ns = 0;
    for (uint32_t i = graph->calls[call].first_need; i < graph->calls[call + 1].first_need; i++)
        if (!graph->is_dropped[i])
            ns = later(ns, simulation_need(graph, changes, times, &graph->needs[i]));
    return ns;
}

uint64_t simulation_ending(const struct whatif *graph, const struct whatif_changes *changes,
                           uint32_t call)
{
    uint64_t ns = 0;
    for (uint32_t i = graph->calls[call].first_need; i < graph->calls[call + 1].first_need; i++)
        if (graph->needs[i].kind == NEED_ARRIVAL)
            ns += network_overhead(&changes->network, changes->bytes[graph->needs[i].number]);
    return ns;
}

uint64_t simulation_leave(const struct whatif *graph, const struct whatif_changes *changes,
                          struct times *times, uint32_t call)
{
    const uint8_t flags = changes->flags[call];
    if (flags & CALL_IS_REMOVED)
        return times->enters[call];
    uint64_t ns = simulation_begun(graph, changes, times, call);
    if (!(flags & CALL_NEVER_WAITS))
        ns = later(ns, simulation_gate(graph, changes, times, call));
    return ns + scaled(simulation_ending(graph, changes, call) + graph->excess[call],
                       changes->call_factors[call]);
}

void simulation_enter_next(const struct whatif *graph, const struct whatif_changes *changes,
                           struct times *times, uint32_t call)
{
    if (!is_end(&graph->calls[call]))
        simulation_enter(graph, changes, times, call + 1,
                         times->leaves[call] + simulation_work(graph, changes, call + 1));
}

void simulation_step(const struct whatif *graph, const struct whatif_changes *changes,
                     struct times *times, uint32_t call)
{
    times->leaves[call] = simulation_leave(graph, changes, times, call);
    simulation_enter_next(graph, changes, times, call);
}

void simulation_begin(const struct whatif *graph, const struct whatif_changes *changes,
                      struct times *times)
{
    for (size_t i = 0; i < graph->operation_count; i++)
        times->meetings[i] = 0;
    for (uint32_t i = 0; i < graph->world->thread_count; i++) {
        const struct graph_thread *thread = &graph->threads[i];
        times->ports[i] = 0;
        if (thread->call_count > 0)
            simulation_enter(graph, changes, times, thread->first_call,
                             thread->begin_ns +
                                 simulation_work(graph, changes, thread->first_call));
    }
}

uint64_t simulation_end(const struct whatif *graph, const struct times *times)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; i < graph->world->thread_count; i++) {
        const struct graph_thread *thread = &graph->threads[i];
        if (thread->call_count > 0)
            ns = later(ns, times->leaves[thread->first_call + thread->call_count - 1]);
    }
    return ns;
}
