/*
 * The events of chosen iterations in a file beside the part, so that they outlive the process,
 * too (doc/parts.md, "Events").  For the other files of this room.
 *
 * Nothing here returns an error: whatever goes wrong costs the killed job's events and nothing
 * else.  Program context, unless the name says otherwise.
 */
#ifndef TSPROF_SAVE_PART_EVENTS_H
#define TSPROF_SAVE_PART_EVENTS_H

/* The part has been created, and no thread but the caller records events yet. */
void part_events_start(void);

/* The part stays, and so do its events.  Nothing is recorded any more. */
void part_events_keep(void);

/* The part is about to be removed. */
void part_events_remove(void);

/* In a child of fork. */
void part_events_forget_async(void);

#endif
