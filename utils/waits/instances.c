/* See instances.h. */
#include "waits/instances.h"

#include <stdlib.h>

struct sought {
    const struct instances *instances;
    struct instance instance;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct instance *one = &sought->instances->list[number];
    return one->number == sought->instance.number && one->phase == sought->instance.phase &&
           one->outer == sought->instance.outer;
}

uint32_t instances_find(struct instances *instances, struct trace_iteration iteration,
                        uint32_t outer)
{
    const struct sought sought = {instances, {iteration.phase, outer, iteration.number}};
    uint64_t hash = index_hash_number(INDEX_HASH, iteration.phase);
    hash = index_hash_number(hash, iteration.number);
    hash = index_hash_number(hash, outer);
    reserve_index(&instances->index, instances->count + 1);
    uint32_t *slot = index_slot(&instances->index, hash, is_same, &sought);
    if (*slot)
        return instances->last = *slot - 1;
    if (instances->count == instances->room) {
        instances->room = instances->room ? 2 * instances->room : 64;
        instances->list = reallocate(instances->list, instances->room, sizeof *instances->list);
    }
    instances->list[instances->count++] = sought.instance;
    *slot = (uint32_t)instances->count;
    return instances->last = *slot - 1;
}

void instances_free(struct instances *instances)
{
    free(instances->list);
    index_free(&instances->index);
}
