/*
 * The events that the analysis of waiting takes in: one after the other, those of all threads
 * together, in the order of time.
 *
 * Things are known by their indices in the world's tables (world.h).
 */
#ifndef TSPROF_REPLAY_EVENT_H
#define TSPROF_REPLAY_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#define REPLAY_NONE       UINT32_MAX
#define REPLAY_NO_REQUEST UINT64_MAX

enum replay_kind {
    REPLAY_ENTER,
    REPLAY_LEAVE,
    REPLAY_SEND,          /* `request` if it does not block */
    REPLAY_SENT,          /* the send with `request` is complete */
    REPLAY_POST,          /* a receive that does not block: `request` only */
    REPLAY_RECEIVE,       /* a message has arrived; `request` if it was posted */
    REPLAY_CANCEL,        /* of a request */
    REPLAY_POST_COLLECT,  /* a collective operation that does not block: `request`, and of files
                             `operation` and `comm` */
    REPLAY_COLLECT,       /* a collective operation ends; `request` if it was posted */
    REPLAY_FILE,          /* a process has read or written a file alone */
    REPLAY_WINDOW_CREATE, /* by all processes of `comm` */
    REPLAY_WINDOW_FREE,
    REPLAY_WINDOW_FENCE,
    REPLAY_PUT, /* one-sided, `peer` is the target */
    REPLAY_GET,
    REPLAY_ATOMIC,
    REPLAY_NOTIFY_OUT, /* `peer` may go on: it has access, or its access has ended */
    REPLAY_NOTIFY_IN,  /* `peer` has said so */
    REPLAY_LOCK,       /* a lock is asked for; REPLAY_NONE as `peer`: on all processes */
    REPLAY_UNLOCK,
    REPLAY_FLUSH,
    REPLAY_OFF, /* recording pauses here */
};

struct replay_event {
    enum replay_kind kind;
    uint32_t thread;
    uint64_t time_ns;
    uint32_t instance; /* the innermost iteration that it is in; REPLAY_NONE */
    uint32_t region;   /* of ENTER and LEAVE */
    uint32_t peer;     /* a process */
    uint32_t comm, tag;
    uint32_t window;    /* of the one-sided */
    uint32_t operation; /* of COLLECT: enum tsprof_operation, TSPROF_OPERATIONS if another */
    uint32_t root;      /* of COLLECT: a process */
    bool is_exclusive;  /* of LOCK */
    bool writes;        /* of FILE, and COLLECT of files */
    uint64_t bytes;     /* sent, or received by RECEIVE and GET; of files what was written */
    uint64_t bytes_received; /* of COLLECT and ATOMIC; of files what was read */
    uint64_t request;
};

#endif
