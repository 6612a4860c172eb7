/*
 * Frames (wire.h) over a socket, with a time by which they must have come or gone.  For this
 * room; program context.
 */
#ifndef TSPROF_LINK_H
#define TSPROF_LINK_H

#include "plugins/wire.h"

#include <stddef.h>
#include <stdint.h>

enum link_result {
    LINK_GOOD,
    LINK_CLOSED,   /* by the other side, or there is no such socket */
    LINK_LATE,     /* the time is over */
    LINK_TOO_LARGE /* no frame that anybody has a use for */
};

/* A time that does not come. */
#define LINK_NEVER INT64_MAX

/* Nanoseconds of CLOCK_MONOTONIC, SECONDS from now. */
int64_t link_time_in(unsigned seconds);

/* What was received; start from all zeros, free `bytes`. */
struct frame {
    uint32_t kind;
    unsigned char *bytes;
    size_t size, room;
};

/* The bytes of BODY, which may be NULL, as a frame. */
enum link_result frame_send(int socket, enum wire_frame kind, const struct encoder *body,
                            int64_t until_ns);

/* The next frame, in place of what FRAME has held; at most MOST bytes. */
enum link_result frame_receive(int socket, struct frame *frame, size_t most, int64_t until_ns);

#endif
