/*
 * Snapshots: all numbers of a thread at one instant, in its part (doc/parts.md).  For part.c.
 */
#ifndef TSPROF_SAVE_PART_SNAPSHOT_H
#define TSPROF_SAVE_PART_SNAPSHOT_H

#include "save/part_thread.h"

#include <stdbool.h>

/*
 * Writes PART's image as a snapshot over the one before the last, so that the last one stays
 * valid until this one is complete.  Pauses where the sink says so.  False if it could not be
 * written.  Async-signal-safe; only for the thread that holds the context, after its log has
 * been updated.
 */
bool part_snapshot_save_async(struct part_thread *part);

#endif
