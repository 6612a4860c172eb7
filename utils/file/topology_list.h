/*
 * The topologies of a run's communicators in memory: section TOPOLOGIES of doc/format.md.
 *
 * A member is a process by its rank in the communicator; its rank in MPI_COMM_WORLD, which the
 * rest of a summary goes by, need not be in the file.
 */
#ifndef TSPROF_TOPOLOGY_LIST_H
#define TSPROF_TOPOLOGY_LIST_H

#include "base/base.h"
#include "common/codec.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COUNT members in a row whose ranks are FIRST, FIRST + STEP and so on. */
struct rank_run {
    int64_t first, step;
    uint64_t count; /* never 0 */
};

struct dimension {
    uint64_t size;
    bool periodic;
};

struct neighbor {
    uint64_t member, weight; /* weight 1 where there are none */
};

/* What one member of a graph told of itself. */
struct neighborhood {
    uint64_t member;
    bool weighted;
    struct neighbor *sources; /* of a graph that is not distributed there are none */
    size_t source_count;
    struct neighbor *destinations;
    size_t destination_count;
};

struct topology {
    const char *name; /* "": none */
    enum format_topology kind;
    uint64_t times; /* communicators that are alike in everything; never 0 */
    struct rank_run *runs;
    size_t run_count;
    uint64_t members;
    struct dimension *dimensions; /* of a Cartesian one */
    size_t dimension_count;
    struct neighborhood *neighborhoods; /* of a graph */
    size_t neighborhood_count;
};

struct topology_list {
    struct topology *items;
    size_t count;
    uint64_t left_out; /* at least so many more that were not kept */
};

/*
 * Reads a whole section; what it holds lives in POOL.  NULL, or what is wrong with item *INDEX.
 * What IN lacks at its end shows in its `failed`.
 */
const char *topologies_read(struct decoder *in, struct memory_pool *pool,
                            struct topology_list *list, uint64_t *index);

/* The rank in MPI_COMM_WORLD of MEMBER, which must be one. */
uint32_t topology_rank(const struct topology *topology, uint64_t member);

/* A member by both of its ranks. */
struct topology_member {
    uint64_t member;
    uint32_t rank;
};

/*
 * The members whose ranks are among RANKS, COUNT of them in ascending order, by member; *FOUND
 * of them, for the caller to free().  Takes the time that RANKS have, however many members
 * there are.
 */
struct topology_member *topology_members(const struct topology *topology, const uint32_t *ranks,
                                         size_t count, size_t *found);

/* Where MEMBER of a Cartesian topology is: its coordinate in DIMENSION. */
uint64_t topology_coordinate(const struct topology *topology, uint64_t member,
                             size_t dimension);

#endif
