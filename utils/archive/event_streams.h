/*
 * The events of all locations, one after the other in the order of time: those of one time by
 * the numbers of their locations, as OTF2's own reader of all locations gives them.
 *
 * Locations are read in blocks, by threads of their own if the caller wants some: then there
 * are two blocks for each location, so that one is read while the other is given away.  Memory
 * does not grow with the length of the trace.  It knows nothing of archives.
 */
#ifndef TSPROF_EVENT_STREAMS_H
#define TSPROF_EVENT_STREAMS_H

#include "archive/event_record.h"

#include <stdbool.h>
#include <stddef.h>

enum event_status {
    EVENTS_LEFT,
    EVENTS_ENDED,
    EVENTS_DAMAGED, /* what comes next cannot be read */
};

/* Some events of one location; `list` belongs to those who call the filler. */
struct event_block {
    struct event_record *list;
    size_t count, room;
    enum event_status status; /* behind the last of them */
};

struct event_source {
    void *context;     /* the filler's */
    uint64_t location; /* those of one time come in its order */
    uint32_t thread;   /* the caller's number */
};

/* Adds about so many events of a source to BLOCK, which is empty, and sets its status.  Called
 * by several threads at a time, with different contexts. */
typedef void event_filler(void *context, size_t about, struct event_block *block);

struct event_streams;

/* SOURCES, which may be ordered otherwise, must outlive the result.  THREADS read beside the
 * caller.  Free with event_streams_free. */
struct event_streams *event_streams_open(struct event_source *sources, size_t count,
                                         event_filler *fill, unsigned threads);
void event_streams_free(struct event_streams *streams);

/* The next event, which holds until the next call; its location's number goes into THREAD. NULL
 * if there is none, or the location with the next one is damaged. */
const struct event_record *event_streams_next(struct event_streams *streams, uint32_t *thread);

/* Whether no more events came since a location is damaged. */
bool event_streams_are_damaged(const struct event_streams *streams);

#endif
