/*
 * Measures the parameters of LogGPS (Ino, Fujimoto and Hagihara, PPoPP 2001) between two ranks.
 * Times are in seconds, lengths in bytes; each is the least of many, for nothing is faster than
 * the network.  How long a packet is shows in what sends take (packets.h).
 */
#ifndef TSPROF_NETWORK_MEASURE_H
#define TSPROF_NETWORK_MEASURE_H

#include <stdint.h>

struct network {
    double latency, overhead, gap, per_byte; /* L, o, g, G */
    uint64_t synchronous; /* S: the longest message whose send does not wait for its receive;
                             UINT64_MAX: none waits */
    uint64_t packet;      /* s; PACKETS_NONE: sends go up in no steps up to packets_to bytes */
    uint64_t packets_to;
};

/* Called by both ranks of MPI_COMM_WORLD, ONE and OTHER, and by no others; the result is on
 * ONE. The program is aborted if there is no memory. */
void measure_network(int one, int other, struct network *network);

#endif
