/*
 * The network's parameters from the times of messages in a trace: the least of them by length,
 * for nothing is faster than the network.  See graph.h.
 */
#include "whatif/graph.h"

#include <math.h>

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

/* Whether the length of the message may decide whether its send waits. */
static bool is_ordinary(const struct graph_message *message)
{
    return !message->is_buffered && !message->always_waits && message->sent != WHATIF_NONE;
}

/* The longest message whose send ended before its receive began. */
static bool find_longest_eager(const struct whatif *graph, uint64_t *bytes)
{
    bool any = false;
    *bytes = 0;
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        if (!is_ordinary(message) ||
            graph->calls[message->sent].leave_ns >= graph->calls[message->receive].enter_ns)
            continue;
        any = true;
        *bytes = message->bytes > *bytes ? message->bytes : *bytes;
    }
    return any;
}

/*
 * That message, if several longer ones have waited: each so much longer than OVERHEAD_NS that
 * it was no coincidence.
 */
static uint64_t find_synchronous(const struct whatif *graph, uint64_t overhead_ns)
{
    enum { NO_COINCIDENCE = 10, SEVERAL = 3 };
    uint64_t longest, shortest = WHATIF_NO_SIZE;
    const bool any = find_longest_eager(graph, &longest);
    size_t count = 0;
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        if (!is_ordinary(message) || message->bytes == 0 || (any && message->bytes <= longest))
            continue;
        const uint64_t posted_ns = graph->calls[message->receive].enter_ns,
                       waits_ns = graph->calls[message->sent].enter_ns;
        if (posted_ns <= waits_ns || posted_ns - waits_ns <= NO_COINCIDENCE * overhead_ns)
            continue;
        count++;
        shortest = message->bytes < shortest ? message->bytes : shortest;
    }
    return count < SEVERAL ? WHATIF_NO_SIZE : any ? longest : shortest - 1;
}

/* From the beginning of the NUMBERth message's send to the end of its receive, in nanoseconds:
 * what else happens in these calls makes that longer, never shorter.  Negative if it says
 * nothing. */
static double passage_of(const struct whatif *graph, const struct whatif_network *network,
                         size_t number)
{
    const struct graph_message *message = &graph->messages[number];
    const struct graph_call *send = &graph->calls[message->send],
                            *arrival = &graph->calls[message->arrival];
    if (network_waits(network, message, message->bytes) || arrival->leave_ns <= send->enter_ns)
        return -1;
    return (double)(arrival->leave_ns - send->enter_ns);
}

static double least_passage(const struct whatif *graph, const struct whatif_network *network)
{
    double least = INFINITY;
    for (size_t i = 0; i < graph->message_count; i++) {
        const double ns = passage_of(graph, network, i);
        least = ns >= 0 && ns < least ? ns : least;
    }
    return least;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* How long the bytes of a message that waits for its receive have had: they set out when all
 * that they wait for was there.  Negative if they had no time. */
static double rest_of(const struct whatif *graph, const struct graph_message *message)
{
    const struct graph_call *calls = graph->calls;
    const uint64_t posted =
        later(calls[message->receive].enter_ns, calls[message->answer].enter_ns);
    const uint64_t begun =
        later(posted, later(calls[message->send].enter_ns, calls[message->serve].enter_ns));
    return (double)calls[message->arrival].leave_ns - (double)begun;
}

/* The least time for each byte: of messages that wait for their receives, and how much longer
 * than the quickest others take.  They must be so long that it shows. */
static double find_slope(const struct whatif *graph, const struct whatif_network *network,
                         double quickest_ns)
{
    enum { SHOWS = 1024 };
    double slope = INFINITY;
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        const bool waits = network_waits(network, message, message->bytes);
        const double passage = passage_of(graph, network, i);
        if (message->bytes < SHOWS || (waits ? message->is_probed : passage < 0))
            continue;
        const double ns = waits ? rest_of(graph, message) : passage - quickest_ns;
        const double one = ns / (double)(message->bytes - 1);
        slope = one < slope ? one : slope;
    }
    return slope < INFINITY && slope > 0 ? slope : 0;
}

/* What is left of each message's time when its bytes are taken away, at least. */
static double least_rest(const struct whatif *graph, const struct whatif_network *network)
{
    double least = INFINITY;
    for (size_t i = 0; i < graph->message_count; i++) {
        const double ns = passage_of(graph, network, i);
        const uint64_t bytes = graph->messages[i].bytes;
        const double rest = ns - network->byte_ns * (double)(bytes ? bytes - 1 : 0);
        least = ns >= 0 && rest < least ? rest : least;
    }
    return least;
}

/* The most that the latency can be for a message that waits for its receive: from the beginning
 * of the send a request, an answer and the bytes take three of it, from that of the receive
 * two, and from when the sender was there to send, one. */
static double most_latency_of(const struct whatif *graph, const struct whatif_network *network,
                              const struct graph_message *message)
{
    const struct graph_call *calls = graph->calls;
    const double leave = (double)calls[message->arrival].leave_ns,
                 overhead = network->overhead_ns,
                 stretch = network->byte_ns * (double)(message->bytes ? message->bytes - 1 : 0);
    const double sent = leave - (double)calls[message->send].enter_ns;
    if (message->is_probed)
        return sent - 2 * overhead;
    const double posted = leave - (double)later(calls[message->receive].enter_ns,
                                                calls[message->answer].enter_ns),
                 served = leave - (double)calls[message->serve].enter_ns;
    return fmin((sent - 3 * overhead - stretch) / 3,
                fmin((posted - 2 * overhead - stretch) / 2, served - overhead - stretch));
}

/* Of all of them; infinite if there are none. */
static double most_latency(const struct whatif *graph, const struct whatif_network *network)
{
    double most = INFINITY;
    for (size_t i = 0; i < graph->message_count; i++) {
        const struct graph_message *message = &graph->messages[i];
        if (network_waits(network, message, message->bytes))
            most = fmin(most, most_latency_of(graph, network, message));
    }
    return most;
}

struct whatif_network network_fit(const struct whatif *graph)
{
    const uint64_t overhead = find_overhead(graph);
    struct whatif_network network = {.overhead_ns = (double)overhead,
                                     .gap_ns = (double)overhead,
                                     .synchronous_bytes = find_synchronous(graph, overhead),
                                     .packet_bytes = WHATIF_NO_SIZE};
    const double quickest = least_passage(graph, &network);
    network.byte_ns = find_slope(graph, &network, quickest);
    const double one = least_rest(graph, &network) - 2 * network.overhead_ns,
                 other = most_latency(graph, &network);
    const double latency = one < other ? one : other;
    network.latency_ns = latency > 0 && latency < INFINITY ? latency : 0;
    return network;
}
