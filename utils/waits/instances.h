/* The iterations of a trace, numbered in the order in which they are met. */
#ifndef TSPROF_INSTANCES_H
#define TSPROF_INSTANCES_H

#include "archive/archive.h"
#include "common/index.h"

struct instance {
    uint32_t phase; /* a region */
    uint32_t outer; /* the iteration that it is in; TRACE_NONE */
    uint64_t number;
};

struct instances {
    struct instance *list;
    size_t count, room;
    struct index index;
    uint32_t last; /* that was found: most events are in the same */
};

/* The number of ITERATION in OUTER, or in none; it is added if it is new. */
uint32_t instances_find(struct instances *instances, struct trace_iteration iteration,
                        uint32_t outer);
void instances_free(struct instances *instances);

/* The number of the innermost of the iterations that EVENT is in; TRACE_NONE: of none. */
static inline uint32_t instances_of(struct instances *instances,
                                    const struct trace_event *event)
{
    uint32_t inner = TRACE_NONE;
    for (size_t i = 0; i < event->iteration_count; i++) {
        const struct trace_iteration *one = &event->iterations[i];
        const struct instance *last = &instances->list[instances->last];
        const bool is_last = instances->count > 0 && last->number == one->number &&
                             last->phase == one->phase && last->outer == inner;
        inner = is_last ? instances->last : instances_find(instances, *one, inner);
    }
    return inner;
}

#endif
