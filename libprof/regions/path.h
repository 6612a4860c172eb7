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
 * REGION_INLINED if the function is inlined in the innermost region, REGION_JOINED if there is
 * no room for its path, REGION_LEFT_OUT if it is inlined in a function that is left out: then
 * it visits none.  Program context.
 */
#define REGION_INLINED  UINT32_MAX
#define REGION_JOINED   (UINT32_MAX - 1)
#define REGION_LEFT_OUT (UINT32_MAX - 2)
uint32_t region_find(struct thread *thread, struct regions *regions,
                     const struct region_event *event);

/*
 * Counts a visit of the function that EVENT tells of, which is inlined in the innermost region:
 * it has a call path there, on which there is nothing but visits.  Program context.
 */
void region_visit_inlined(struct thread *thread, struct regions *regions,
                          const struct region_event *event);

#endif
