/*
 * Checks that an encoded topology is one that a summary can hold (doc/format.md, TOPOLOGIES).
 * Program context; takes no memory.
 */
#ifndef TSPROF_TOPOLOGY_CHECK_H
#define TSPROF_TOPOLOGY_CHECK_H

#include "common/codec.h"

#include <stdbool.h>
#include <stdint.h>

/* What is needed of a topology to read its neighbourhoods. */
struct topology_shape {
    uint64_t kind, members;
};

/*
 * Reads kind, members and grid, which must be all there is in IN; false if that is not a valid
 * topology.
 */
bool topology_shape_read(struct decoder *in, struct topology_shape *shape);

/*
 * Reads COUNT neighbourhoods of SHAPE, which must be all there is in IN; false if they are not
 * valid.
 */
bool topology_neighborhoods_read(struct decoder *in, const struct topology_shape *shape,
                                 uint64_t count);

#endif
