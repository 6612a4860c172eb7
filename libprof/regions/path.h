/* The call paths of regions.  For this room alone, under the rules of a thread's context. */
#ifndef TSPROF_REGIONS_PATH_H
#define TSPROF_REGIONS_PATH_H

#include "regions/region_memory.h"

/*
 * The call path of REGION in the innermost level of THREAD, the calling thread; that of the
 * region it is inlined into has to be asked for instead.  Any context.
 */
uint32_t region_node_async(struct thread *thread, struct region *region);

/* Drops the regions of THREAD that are below the frame address HERE of the calling code. */
void region_drop_async(struct thread *thread, uintptr_t here);

/*
 * The call path that is entered by EVENT, which is not in REGIONS yet, with one more visit;
 * REGION_INLINED if the function is inlined in the innermost region, and so visits none;
 * REGION_LEFT_OUT if it is inlined in a function that is left out.  Program context.
 */
#define REGION_INLINED  UINT32_MAX
#define REGION_LEFT_OUT (UINT32_MAX - 1)
uint32_t region_find(struct thread *thread, struct regions *regions,
                     const struct region_event *event);

#endif
