/*
 * Saving a thread's data now, whether that is due or not.  For the other files of this room.
 */
#ifndef TSPROF_PART_SAVE_H
#define TSPROF_PART_SAVE_H

#include "timeline/timeline.h"

#include <stdbool.h>

/*
 * Writes all that THREAD has up to its last event into the part: its log, its live fields and a
 * snapshot.  False if that was not possible, also while another thread is creating the part.
 * Async-signal-safe; only for the thread that holds the context.
 */
bool part_save_now_async(struct thread *thread);

#endif
