/*
 * Saving a thread's data now, whether that is due or not: at once, or in pieces of some
 * microseconds.  For the other files of this room.
 *
 * A save begins with an image of the thread (part_image.h), which is the instant that it is of,
 * and freezes its clusters.  Then it writes, and pauses.  Until it has ended nobody else may
 * use the sink and the log of the thread's part.
 */
#ifndef TSPROF_PART_SAVE_H
#define TSPROF_PART_SAVE_H

#include "timeline/timeline.h"

#include <stdbool.h>

enum save_state {
    SAVE_FAILED,   /* nothing could be saved, also while another thread is creating the part */
    SAVE_NOT_YET,  /* iterations had to be clustered first */
    SAVE_GOING_ON, /* there is more to do */
    SAVE_DONE      /* all that the thread had when the save began is in the part */
};

/* Creates the part and what saving THREAD needs, if they can be had.  Program context. */
bool part_save_prepare(struct thread *thread);

/* Whether a save of THREAD is under way.  Any context. */
bool part_save_is_under_way_async(const struct thread *thread);

/*
 * Writes all that THREAD has up to its last event into the part: its log, its live fields and a
 * snapshot.  Ends the save that is under way, or makes a whole one.  Async-signal-safe; only
 * for the thread that holds the context.
 */
enum save_state part_save_at_once_async(struct thread *thread);

/*
 * Whether iterations are to be clustered before THREAD is saved, and there is time for that: if
 * they end faster than it can be done, patience comes to an end.  Also while no save is due.
 */
bool part_save_waits_async(const struct thread *thread);

/* The same in pieces, of which this is one: it begins a save, or goes on with it. */
enum save_state part_save_piece_async(struct thread *thread);

/* Drops a save that is under way. */
void part_save_drop_async(struct thread *thread);

#endif
