/* What is kept of a thread's regions.  For this room alone. */
#ifndef TSPROF_REGION_MEMORY_H
#define TSPROF_REGION_MEMORY_H

#include "regions/enter.h"

enum {
    REGIONS_DEEPEST = 16384, /* regions inside each other; what is called beyond is not told */
    REGION_CHILDREN = 4096,  /* a power of two */
    REGION_INLINED_CHILDREN = 512, /* likewise */
    REGION_PATHS =
        16384 /* as many call paths do they add, of the tens of thousands there are */
};

/* A function that has been entered and, as far as is known, not left. */
struct region {
    struct region_event event; /* that told of it; event.at holds as long as it runs */
    uint32_t node;             /* its call path below `root` */
    uint32_t root;             /* the path of the level for which `node` was found */
    uint32_t frame; /* its own number, or that of the region that it was inlined into */
};

/* A call path that was found, for calls straight from one region to another. */
struct region_child {
    uintptr_t function, site;
    uint32_t parent, node;
};

/* Time that a call path was given since its last sample; none if it is of another slice. */
struct owed {
    int64_t ns;
    uint32_t slice;
};

struct regions {
    struct arena arena;
    uint32_t depth;       /* how many regions there are */
    uint32_t beyond;      /* how many calls there was no room for */
    uint64_t epoch;       /* the recipe epoch that `children` are of */
    struct walker walker; /* with the level's anchor; nothing is visited by its walks */
    struct walk_scratch scratch;
    struct region stack[REGIONS_DEEPEST]; /* outermost first */
    struct region_child children[REGION_CHILDREN];
    struct region_child inlined[REGION_INLINED_CHILDREN]; /* `site` is not used */
    uint32_t slice;                                       /* the number of the slice of time */
    uint32_t paths;     /* how many call paths its walks have added to the tree */
    struct owed owed[]; /* by node */
};

/* What NODE is owed. */
static inline int64_t *region_owed_ns(struct regions *regions, uint32_t node)
{
    struct owed *owed = &regions->owed[node];
    if (owed->slice != regions->slice)
        *owed = (struct owed){0, regions->slice};
    return &owed->ns;
}

/* The `root` of a region whose node is not known; no level has it. */
#define REGION_NO_ROOT UINT32_MAX

/* Adds the region that EVENT tells of; FRAME as in struct region, or UINT32_MAX for its own. */
static inline struct region *region_push(struct regions *regions,
                                         const struct region_event *event, uint32_t frame)
{
    if (regions->depth == REGIONS_DEEPEST) {
        regions->beyond++;
        return NULL;
    }
    struct region *region = &regions->stack[regions->depth];
    *region = (struct region){.event = *event,
                              .root = REGION_NO_ROOT,
                              .frame = frame == UINT32_MAX ? regions->depth : frame};
    regions->depth++;
    return region;
}

#endif
