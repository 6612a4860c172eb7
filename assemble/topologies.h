/*
 * The topologies of a run, put together from what its processes know of them (topology.h),
 * two by two up a tree of them.  Program context; memory from malloc, bounded: what would be
 * more is left out and counted.
 */
#ifndef TSPROF_TOPOLOGIES_H
#define TSPROF_TOPOLOGIES_H

#include "common/codec.h"

#include <stdbool.h>

struct topologies {
    struct united_topology *items;
    size_t count;
    size_t bytes;      /* that the items' parts take */
    uint64_t lost;     /* most that one process could not keep */
    uint64_t left_out; /* known to processes, but there was no room here */
};

/*
 * Takes in what topology_encode or topologies_encode_message have written; false if that is
 * damaged. Start from all zeros.
 */
bool topologies_add(struct topologies *topologies, struct decoder *in);
void topologies_encode_message(const struct topologies *topologies, struct encoder *out);

/* Appends the TOPOLOGIES section (doc/format.md). */
void topologies_encode(struct topologies *topologies, struct encoder *out);

void topologies_free(struct topologies *topologies);

#endif
