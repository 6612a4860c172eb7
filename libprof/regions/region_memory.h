/* What is kept of a thread's regions.  For this room alone. */
#ifndef TSPROF_REGION_MEMORY_H
#define TSPROF_REGION_MEMORY_H

#include "regions/enter.h"

enum {
    REGIONS_DEEPEST = 16384, /* regions inside each other; what is called beyond is not told */
    REGION_CHILDREN = 8192,  /* a power of two */
    REGION_INLINED_CHILDREN = 512, /* likewise */
    REGION_PATHS =
        16384 /* as many call paths do they add, of the tens of thousands there are */
};

/* A function that has been entered and, as far as is known, not left: one cache line. */
struct region {
    struct region_event event; /* that told of it; event.at holds as long as it runs */
    uint32_t node;             /* its call path below `root` */
    uint32_t root;             /* the path of the level for which `node` was found */
    uint32_t frame; /* its own number, or that of the region that it was inlined into */
    uint64_t unused;
};

_Static_assert(sizeof(struct region) == 64, "a cache line");

/* A call path that was found, for calls straight from one region to another. */
struct region_child {
    uintptr_t function, site;
    uint32_t parent, node;
};

/*
 * The call path of a function in another one that it was inlined into.  Events of the two come
 * from PC and OUTER_PC, which lie in the same function as it was compiled.
 */
struct region_inlined {
    uintptr_t function, pc, outer_pc;
    uint32_t parent, node;
};

/* What is known of a call path, by its node. */
struct region_path {
    int64_t *computation, *visits; /* its cells, if `generation` is that of the regions */
    int64_t owed_ns;     /* given since its last sample; none if `slice` is another one */
    uint32_t generation; /* 0: never looked up */
    uint32_t slice;
};

/* Where the cells of call paths are depends on these. */
struct region_place {
    int64_t *values; /* of the level's profile, and its epoch */
    uint32_t epoch;
    uint32_t root;  /* of the level */
    uint32_t slice; /* the number of the slice of time */
};

struct regions {
    uint32_t depth;  /* how many regions there are */
    uint32_t beyond; /* how many calls there was no room for */
    uint64_t epoch;  /* the recipe epoch that `children` are of */
    /* For quick.h: they hold while the thread is not `touched`. */
    uintptr_t low;           /* of the thread's stack */
    uintptr_t room;          /* how far the innermost region's stack pointer is above it */
    struct region_path *now; /* of the innermost region that is not inlined */
    uint32_t now_node;       /* its node */
    uint32_t generation;     /* changes with `place` */
    bool records;            /* these events are in a trace */
    struct region_place place;
    struct arena arena;
    struct walker walker; /* with the level's anchor; nothing is visited by its walks */
    struct walk_scratch scratch;
    uint32_t slice;
    uint32_t paths; /* how many call paths its walks have added to the tree */
    _Alignas(64) struct region stack[REGIONS_DEEPEST]; /* outermost first */
    struct region_child children[REGION_CHILDREN];
    struct region_inlined inlined[REGION_INLINED_CHILDREN];
    struct region_path path[]; /* by node */
};

/* Where calls from call path PARENT at SITE are in `children`, or right beside it. */
static inline uint32_t region_child_home(uintptr_t function, uintptr_t site, uint32_t parent)
{
    const uint64_t mixed = (function ^ site << 20 ^ parent) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 40) % REGION_CHILDREN;
}

static inline bool region_child_is(const struct region_child *child,
                                   const struct region_event *event, uint32_t parent)
{
    return child->function == event->function && child->site == event->site &&
           child->parent == parent;
}

/* Where functions inlined in call path PARENT are in `inlined`. */
static inline uint32_t region_inlined_home(uintptr_t function, uintptr_t pc, uint32_t parent)
{
    const uint64_t mixed =
        (function ^ pc << 24 ^ (uint64_t)parent << 20) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 40) % REGION_INLINED_CHILDREN;
}

/* The function that EVENT tells of, inlined in path PARENT below an event from OUTER_PC. */
static inline bool region_inlined_is(const struct region_inlined *inlined,
                                     const struct region_event *event, uintptr_t outer_pc,
                                     uint32_t parent)
{
    return inlined->function == event->function && inlined->pc == event->at.pc &&
           inlined->outer_pc == outer_pc && inlined->parent == parent;
}

/* What NODE is owed. */
static inline int64_t *region_owed_ns(struct regions *regions, uint32_t node)
{
    struct region_path *path = &regions->path[node];
    if (path->slice != regions->slice) {
        path->owed_ns = 0;
        path->slice = regions->slice;
    }
    return &path->owed_ns;
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
