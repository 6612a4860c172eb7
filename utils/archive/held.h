/*
 * Moves the events of a trace by its corrections, and passes them on in the order of the times
 * that they have then.  Events are only ever moved to later times; so one is held until the
 * clock of the archive has come to where it was moved, and those that are not moved are passed
 * on at once.  Memory follows what is held.  It knows nothing of archives.
 */
#ifndef TSPROF_HELD_H
#define TSPROF_HELD_H

#include "archive/trace.h"

struct held;

/* CORRECTIONS must outlive it; VISIT is called with CONTEXT. */
struct held *held_create(struct corrections *corrections, trace_visitor *visit, void *context);
void held_free(struct held *held);

/* Takes in the next event, by the archive's time. */
void held_take(struct held *held, const struct trace_event *event);
/* Passes on what is left. */
void held_end(struct held *held);

#endif
