/*
 * What the recogniser of loops (detect/loops.h) sees of the program: call paths, the code of
 * the functions on them, the counters of its loops, and which functions were called again.
 */
#ifndef TSPROF_VIEW_H
#define TSPROF_VIEW_H

#include "detect/loops.h"
#include "timeline/timeline.h"

/*
 * How the recogniser is to be configured for THREAD, whose search must have begun before it is
 * asked for any call.  Any context.
 */
struct loops_config view_of(struct thread *thread);

#endif
