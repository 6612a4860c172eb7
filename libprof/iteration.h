/* From the profile of a finished iteration to the clustering of its phase. */
#ifndef TSPROF_ITERATION_H
#define TSPROF_ITERATION_H

#include "thread.h"

/*
 * Hands the profile of LEVEL, a kept phase's instance of WALL_NS, to the clustering of its
 * series and adds it to the profile around it.  By the thread that holds the context.
 */
void iteration_close_async(struct thread *thread, struct level *level, int64_t wall_ns);

#endif
