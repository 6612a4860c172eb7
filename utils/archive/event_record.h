/* Events as an archive has them: a type and numbers. */
#ifndef TSPROF_EVENT_RECORD_H
#define TSPROF_EVENT_RECORD_H

#include <stdint.h>

/* Types of events that mean something to traces, with what their numbers are. */
enum event_type {
    EVENT_NONE,
    EVENT_ON_OFF,          /* mode */
    EVENT_ENTER,           /* region */
    EVENT_LEAVE,           /* region */
    EVENT_SEND,            /* receiver, communicator, tag, bytes */
    EVENT_ISEND,           /* the same, request */
    EVENT_ISEND_COMPLETE,  /* request */
    EVENT_IRECV_REQUEST,   /* request */
    EVENT_RECV,            /* sender, communicator, tag, bytes */
    EVENT_IRECV,           /* the same, request */
    EVENT_CANCELLED,       /* request */
    EVENT_COLLECTIVE,      /* operation, communicator, root, bytes sent, received */
    EVENT_METRIC,          /* metric, which of its values, type, value: one by one */
    EVENT_NUMBER,          /* parameter, value */
    EVENT_WINDOW_CREATE,   /* window */
    EVENT_WINDOW_FREE,     /* window */
    EVENT_WINDOW_FENCE,    /* operation, level, window, root, bytes sent, received */
    EVENT_LOCK_REQUEST,    /* window, remote, lock, type */
    EVENT_LOCK_RELEASE,    /* window, remote, lock */
    EVENT_WINDOW_SYNC,     /* window, remote, type */
    EVENT_PUT,             /* window, remote, bytes, number */
    EVENT_GET,             /* the same */
    EVENT_ATOMIC,          /* window, remote, type, bytes sent, received, number */
    EVENT_CONTEXT_ENTER,   /* context, distance */
    EVENT_CONTEXT_LEAVE,   /* context */
    EVENT_SAMPLE,          /* context, distance, generator */
    EVENT_FILE_BEGIN,      /* handle, mode, flags, bytes, number */
    EVENT_FILE_END,        /* handle, bytes, number */
    EVENT_COLLECT_REQUEST, /* request */
    EVENT_COLLECT_END,     /* as EVENT_COLLECTIVE, request */
    EVENT_TYPES
};

enum { EVENT_NUMBERS = 6 };

struct event_record {
    uint64_t time; /* ticks of the trace's clock */
    uint64_t numbers[EVENT_NUMBERS];
    uint8_t type;
};

#endif
