/*
 * The topologies of communicators in the process's part.  For the other files of this room;
 * program context.
 */
#ifndef TSPROF_PART_TOPOLOGIES_H
#define TSPROF_PART_TOPOLOGIES_H

#include "timeline/timeline.h"

#include <stdbool.h>

/*
 * Writes the process's topologies into the log of THREAD, its first thread, if they have
 * changed.  AT_END a thread may have been interrupted while it held them, and fewer than before
 * are then no change.
 */
void part_topologies_save(struct thread *thread, bool at_end);

#endif
