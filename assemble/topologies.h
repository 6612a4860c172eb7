/*
 * The topologies of a run, put together from what its processes know of them (topology.h),
 * where the summary is written.  Program context; memory from malloc, bounded: what would be
 * more is left out and counted.
 */
#ifndef TSPROF_TOPOLOGIES_H
#define TSPROF_TOPOLOGIES_H

#include "codec.h"

#include <stdbool.h>

struct topologies {
    struct united_topology *items;
    size_t count;
    size_t bytes;      /* that the items' parts take */
    uint64_t lost;     /* most that one process could not keep */
    uint64_t left_out; /* known to processes, but there was no room here */
};

/* Takes in what topology_encode has written; false if that is damaged.  Start from all zeros.
 */
bool topologies_add(struct topologies *topologies, struct decoder *in);

/* Appends the TOPOLOGIES section (doc/format.md). */
void topologies_encode(struct topologies *topologies, struct encoder *out);

void topologies_free(struct topologies *topologies);

#endif
