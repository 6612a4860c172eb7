/* See paths.h. */
#include "replay/paths.h"

#include "replay/event.h"
#include "replay/hash.h"
#include "replay/list.h"

#include <stdlib.h>

bool paths_start(struct paths *paths)
{
    *paths = (struct paths){0};
    if (!LIST_RESERVE(paths->nodes))
        return false;
    paths->nodes[paths->nodes_count++] = (struct tree_node){REPLAY_NONE, REPLAY_NONE};
    return true;
}

void paths_free(struct paths *paths)
{
    free(paths->nodes);
    free(paths->list);
    free(paths->values);
    index_free(&paths->node_index);
    index_free(&paths->path_index);
}

struct sought_node {
    const struct paths *paths;
    struct tree_node node;
};

static bool is_same_node(const void *context, uint32_t number)
{
    const struct sought_node *sought = context;
    const struct tree_node *one = &sought->paths->nodes[number];
    return one->parent == sought->node.parent && one->region == sought->node.region;
}

static uint32_t find_node(struct paths *paths, uint32_t parent, uint32_t region)
{
    const struct sought_node sought = {paths, {parent, region}};
    if (region == REPLAY_NONE)
        return 0;
    if (!LIST_RESERVE(paths->nodes) ||
        !index_reserve(&paths->node_index, paths->nodes_count + 1))
        return REPLAY_NONE;
    uint32_t *slot =
        index_slot(&paths->node_index, hash_mix(parent, region), is_same_node, &sought);
    if (*slot == 0) {
        paths->nodes[paths->nodes_count++] = sought.node;
        *slot = (uint32_t)paths->nodes_count;
    }
    return *slot - 1;
}

struct sought_path {
    const struct paths *paths;
    uint32_t thread, instance, node;
};

static bool is_same_path(const void *context, uint32_t number)
{
    const struct sought_path *sought = context;
    const struct path *one = &sought->paths->list[number];
    return one->node == sought->node && one->instance == sought->instance &&
           one->thread == sought->thread;
}

static uint32_t find_path(struct paths *paths, uint32_t parent, uint32_t thread,
                          uint32_t instance, uint32_t region)
{
    const uint32_t above = parent == REPLAY_NONE ? 0 : paths->list[parent].node;
    const struct sought_path sought = {paths, thread, instance,
                                       find_node(paths, above, region)};
    const uint64_t hash =
        hash_mix((uint64_t)thread << 32 | instance, UINT64_C(1) << 32 | sought.node);
    if (sought.node == REPLAY_NONE || !LIST_RESERVE(paths->list) ||
        !index_reserve(&paths->path_index, paths->list_count + 1)) {
        paths->failed = true;
        return REPLAY_NONE;
    }
    uint32_t *slot = index_slot(&paths->path_index, hash, is_same_path, &sought);
    if (*slot == 0) {
        paths->list[paths->list_count++] = (struct path){.thread = thread,
                                                         .instance = instance,
                                                         .node = sought.node,
                                                         .parent = parent,
                                                         .first_value = REPLAY_NONE};
        *slot = (uint32_t)paths->list_count;
    }
    return *slot - 1;
}

uint32_t paths_find(struct paths *paths, uint32_t parent, uint32_t thread, uint32_t instance,
                    uint32_t region)
{
    struct found_path *found = &paths->found[(parent * 31 + region) % PATHS_FOUND];
    if (found->path < paths->list_count && found->parent == parent && found->region == region &&
        paths->list[found->path].instance == instance &&
        paths->list[found->path].thread == thread && paths->list[found->path].node > 0)
        return found->path;
    const uint32_t path = find_path(paths, parent, thread, instance, region);
    if (path != REPLAY_NONE)
        *found = (struct found_path){parent, region, path};
    return path;
}

int64_t paths_value(const struct paths *paths, uint32_t path, uint32_t metric)
{
    uint32_t at = paths->list[path].first_value;
    while (at != REPLAY_NONE && paths->values[at].metric != metric)
        at = paths->values[at].next;
    return at == REPLAY_NONE ? 0 : paths->values[at].value;
}

void paths_add(struct paths *paths, uint32_t path, uint32_t metric, int64_t value)
{
    if (path == REPLAY_NONE || value == 0)
        return;
    uint32_t at = paths->list[path].first_value;
    while (at != REPLAY_NONE && paths->values[at].metric != metric)
        at = paths->values[at].next;
    if (at == REPLAY_NONE) {
        if (!LIST_RESERVE(paths->values)) {
            paths->failed = true;
            return;
        }
        at = (uint32_t)paths->values_count++;
        paths->values[at] =
            (struct path_value){.metric = metric, .next = paths->list[path].first_value};
        paths->list[path].first_value = at;
    }
    paths->values[at].value += value;
}
