/*
 * The topologies of a run, united from what its processes know of them (topology.h), pairwise
 * up a tree of the processes.  Program context; memory from malloc, bounded: what exceeds the
 * bound is left out and counted.
 */
#ifndef TSPROF_TOPOLOGIES_H
#define TSPROF_TOPOLOGIES_H

#include "common/codec.h"

#include <stdbool.h>

struct topologies {
    struct united_topology *items;
    size_t count;
    size_t bytes;      /* bytes that the items' parts take */
    uint64_t lost;     /* most topologies that one process could not keep */
    uint64_t left_out; /* topologies that processes know but had no room here */
};

/*
 * Adds what topology_encode or topologies_encode_message has written; false if that is damaged.
 * TOPOLOGIES starts from all zeros.
 */
bool topologies_add(struct topologies *topologies, struct decoder *in);
void topologies_encode_message(const struct topologies *topologies, struct encoder *out);

/* Appends the TOPOLOGIES section (doc/format.md). */
void topologies_encode(struct topologies *topologies, struct encoder *out);

void topologies_free(struct topologies *topologies);

#endif
