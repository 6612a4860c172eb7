/*
 * The network's parameters from the times of messages in a trace: the least time for each
 * length, for nothing is faster than the network.  See graph.h.
 */
#include "whatif/graph.h"

#include <string.h>

enum { LENGTHS = 65 };

/* The least times by the logarithm of the length. */
struct least {
    uint64_t ns[LENGTHS], bytes[LENGTHS]; /* ns: UINT64_MAX if there are none */
};

static unsigned class_of(uint64_t bytes)
{
    return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

static void note(struct least *least, uint64_t bytes, uint64_t ns)
{
    const unsigned class = class_of(bytes);
    if (ns >= least->ns[class])
        return;
    least->ns[class] = ns;
    least->bytes[class] = bytes;
}

/* Whether all that CALL has to do with others is one message at one end. */
static bool is_simple(const struct whatif *graph, uint32_t call)
{
    unsigned ends = 0;
    for (uint32_t i = graph->calls[call].first_need; i < graph->calls[call + 1].first_need; i++)
        ends += graph->needs[i].kind == NEED_SENT ? 0
                : graph->needs[i].kind == NEED_START || graph->needs[i].kind == NEED_ARRIVAL
                    ? 1
                    : 2;
    return ends == 1;
}

static uint64_t duration(const struct graph_call *call)
{
    return call->leave_ns - call->enter_ns;
}

/* The shortest call with one message: nothing of it is more than the overhead. */
static uint64_t find_overhead(const struct whatif *graph)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < graph->message_count; i++) {
        const uint32_t calls[] = {graph->messages[i].send, graph->messages[i].arrival};
        for (unsigned j = 0; j < 2; j++)
            if (is_simple(graph, calls[j]) && duration(&graph->calls[calls[j]]) < least)
                least = duration(&graph->calls[calls[j]]);
    }
    return least == UINT64_MAX ? 0 : least;
}

/*
 * The longest message whose send ended before its receive began, if longer ones have waited:
 * for so much longer than OVERHEAD_NS that it was no coincidence.
 */
static uint64_t find_synchronous(const struct whatif *graph, uint64_t overhead_ns)
{
    enum { NO_COINCIDENCE = 10 };
    uint64_t longest = 0, shortest = WHATIF_NO_SIZE;
    bool any = false;
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        const uint64_t posted_ns = graph->calls[message->receive].enter_ns;
        if (message->is_buffered || message->sent == WHATIF_NONE ||
            graph->calls[message->sent].leave_ns >= posted_ns)
            continue;
        any = true;
        if (message->bytes > longest)
            longest = message->bytes;
    }
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        const uint64_t posted_ns = graph->calls[message->receive].enter_ns;
        if (message->is_buffered || message->sent == WHATIF_NONE || message->bytes == 0 ||
            (any && message->bytes <= longest) || message->bytes >= shortest)
            continue;
        const uint64_t waits_ns = graph->calls[message->sent].enter_ns;
        if (posted_ns > waits_ns && posted_ns - waits_ns > NO_COINCIDENCE * overhead_ns)
            shortest = message->bytes;
    }
    return shortest == WHATIF_NO_SIZE ? WHATIF_NO_SIZE : any ? longest : shortest - 1;
}

/* From the beginning of a send to the end of its receive. */
static void find_least(const struct whatif *graph, uint64_t synchronous_bytes,
                       struct least *least)
{
    memset(least, 0xff, sizeof *least);
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        const struct graph_call *send = &graph->calls[message->send],
                                *arrival = &graph->calls[message->arrival];
        if (message->bytes <= synchronous_bytes && arrival->leave_ns > send->enter_ns &&
            is_simple(graph, message->send) && is_simple(graph, message->arrival))
            note(least, message->bytes, arrival->leave_ns - send->enter_ns);
    }
}

/* The least slope between the shortest messages and others. */
static double find_slope(const struct least *least, unsigned shortest)
{
    double slope = -1;
    for (unsigned i = shortest + 1; i < LENGTHS; i++) {
        if (least->ns[i] == UINT64_MAX)
            continue;
        const double rise = (double)least->ns[i] - (double)least->ns[shortest];
        const double one = rise / (double)(least->bytes[i] - least->bytes[shortest]);
        if (slope < 0 || one < slope)
            slope = one;
    }
    return slope > 0 ? slope : 0;
}

struct whatif_network network_fit(const struct whatif *graph)
{
    struct least least;
    unsigned shortest = 0;
    const uint64_t overhead = find_overhead(graph);
    struct whatif_network network = {.overhead_ns = (double)overhead,
                                     .gap_ns = (double)overhead,
                                     .synchronous_bytes = find_synchronous(graph, overhead),
                                     .packet_bytes = WHATIF_NO_SIZE};
    find_least(graph, network.synchronous_bytes, &least);
    while (shortest < LENGTHS && least.ns[shortest] == UINT64_MAX)
        shortest++;
    if (shortest == LENGTHS)
        return network;
    network.byte_ns = find_slope(&least, shortest);
    const double bytes = least.bytes[shortest] ? (double)(least.bytes[shortest] - 1) : 0;
    const double latency =
        (double)least.ns[shortest] - 2 * network.overhead_ns - bytes * network.byte_ns;
    network.latency_ns = latency > 0 ? latency : 0;
    return network;
}
