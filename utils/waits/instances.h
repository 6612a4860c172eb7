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

/* The number of the innermost of the iterations that EVENT is in; TRACE_NONE: of none. */
uint32_t instances_of(struct instances *instances, const struct trace_event *event);
void instances_free(struct instances *instances);

#endif
