/*
 * Call paths of threads in iterations, and the values that they have.
 *
 * A path is a node of the call tree, of one thread, in one iteration.  The nodes of the tree
 * are shared by all threads.
 */
#ifndef TSPROF_REPLAY_PATHS_H
#define TSPROF_REPLAY_PATHS_H

#include "common/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_node {
    uint32_t parent; /* REPLAY_NONE: of the root */
    uint32_t region; /* REPLAY_NONE: of the root */
};

struct path {
    uint32_t thread, instance, node;
    uint32_t parent; /* the path that it was first entered from; REPLAY_NONE: of the root */
    int64_t time_ns; /* its own, in all that is not published apart */
    int64_t visits;
    uint32_t first_value; /* of `values`; REPLAY_NONE */
};

/* A metric of a path. */
struct path_value {
    uint32_t metric;
    uint32_t next; /* of the same path; REPLAY_NONE */
    int64_t value;
};

/* Where a path was found last: calls are entered from the same ones again and again. */
struct found_path {
    uint32_t parent, region, path;
};

enum { PATHS_FOUND = 2048 };

struct paths {
    struct tree_node *nodes;
    size_t nodes_count, nodes_room;
    struct path *list;
    size_t list_count, list_room;
    struct path_value *values;
    size_t values_count, values_room;
    struct index node_index, path_index;
    struct found_path found[PATHS_FOUND]; /* by parent and region; all 0: none */
    bool failed;                          /* out of memory */
};

/* Starts with node 0, the root. */
bool paths_start(struct paths *paths);
void paths_free(struct paths *paths);

/* The path of REGION called from PARENT, in INSTANCE; of the root if PARENT is REPLAY_NONE and
 * so is REGION.  REPLAY_NONE if out of memory. */
uint32_t paths_find(struct paths *paths, uint32_t parent, uint32_t thread, uint32_t instance,
                    uint32_t region);

/* The value of METRIC of PATH, as far as it was added. */
int64_t paths_value(const struct paths *paths, uint32_t path, uint32_t metric);

/* Adds VALUE to METRIC of PATH. */
void paths_add(struct paths *paths, uint32_t path, uint32_t metric, int64_t value);

#endif
