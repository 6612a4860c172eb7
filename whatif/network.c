/*
 * What a message costs by LogGPS (Ino, Fujimoto and Hagihara 2001): L, o, g, G, S and s.
 * See graph.h.
 */
#include "whatif/graph.h"

static uint64_t rounded(double ns)
{
    return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

bool network_waits(const struct whatif_network *network, const struct graph_message *message,
                   uint64_t bytes)
{
    return message->always_waits ||
           (!message->is_buffered && bytes > network->synchronous_bytes);
}

/* An overhead for each packet. */
uint64_t network_overhead(const struct whatif_network *network, uint64_t bytes)
{
    const uint64_t packet = network->packet_bytes ? network->packet_bytes : 1;
    const uint64_t packets = bytes > packet ? bytes / packet + (bytes % packet != 0) : 1;
    return rounded(network->overhead_ns * (double)packets);
}

/* From a message's first byte to its last. */
uint64_t network_stretch(const struct whatif_network *network, uint64_t bytes)
{
    return bytes > 1 ? rounded(network->byte_ns * (double)(bytes - 1)) : 0;
}

uint64_t network_latency(const struct whatif_network *network)
{
    return rounded(network->latency_ns);
}

uint64_t network_gap(const struct whatif_network *network, uint64_t bytes)
{
    const uint64_t stretch = network_stretch(network, bytes), gap = rounded(network->gap_ns);
    return gap > stretch ? gap : stretch;
}

uint64_t network_flight(const struct whatif_network *network, uint64_t bytes)
{
    return network_stretch(network, bytes) + network_latency(network);
}
