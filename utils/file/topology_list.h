/*
 * The topologies of a run's communicators in memory: section TOPOLOGIES of doc/format.md.
 *
 * A member is a process, numbered by its rank in the communicator.  Everything else in a
 * summary uses ranks in MPI_COMM_WORLD; a member's need not be in the file.
 */
#ifndef TSPROF_TOPOLOGY_LIST_H
#define TSPROF_TOPOLOGY_LIST_H

#include "base/base.h"
#include "common/codec.h"
#include "common/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* COUNT successive members, whose ranks in MPI_COMM_WORLD are FIRST, FIRST + STEP and so on. */
struct rank_run {
    int64_t first, step;
    uint64_t count; /* never 0 */
};

struct dimension {
    uint64_t size;
    bool periodic;
};

struct neighbor {
    uint64_t member, weight; /* the weight is 1 in graphs without weights */
};

/* The neighbours of one member of a graph, as that member gave them. */
struct neighborhood {
    uint64_t member;
    bool weighted;
    struct neighbor *sources; /* none in a graph that is not distributed */
    size_t source_count;
    struct neighbor *destinations;
    size_t destination_count;
};

struct topology {
    const char *name; /* "": none */
    enum format_topology kind;
    uint64_t times; /* how many communicators are alike in everything; never 0 */
    struct rank_run *runs;
    size_t run_count;
    uint64_t members;
    struct dimension *dimensions; /* of a Cartesian topology */
    size_t dimension_count;
    struct neighborhood *neighborhoods; /* of a graph */
    size_t neighborhood_count;
};

struct topology_list {
    struct topology *items;
    size_t count;
    uint64_t left_out; /* at least this many more existed but were not kept */
};

/*
 * Reads a whole section into LIST, with memory from POOL.  NULL if it is sound, otherwise what
 * is wrong with item *INDEX.  If IN ends too early, its `failed` is set.
 */
const char *topologies_read(struct decoder *in, struct memory_pool *pool,
                            struct topology_list *list, uint64_t *index);

/* The rank in MPI_COMM_WORLD of MEMBER, which must be a member. */
uint32_t topology_rank(const struct topology *topology, uint64_t member);

/* A member with both of its ranks. */
struct topology_member {
    uint64_t member;
    uint32_t rank;
};

/*
 * Finds the members whose ranks in MPI_COMM_WORLD are among the COUNT ascending RANKS.  Returns
 * *FOUND of them, by member, for the caller to free().  The time it takes grows with COUNT, not
 * with the number of members.
 */
struct topology_member *topology_members(const struct topology *topology, const uint32_t *ranks,
                                         size_t count, size_t *found);

/* The coordinate of MEMBER in DIMENSION of a Cartesian topology. */
uint64_t topology_coordinate(const struct topology *topology, uint64_t member,
                             size_t dimension);

#endif
