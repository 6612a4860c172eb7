/*
 * An encoder (codec.h) into the process's part: through a buffer of fixed size, with the
 * CRC-32 on the way.  What goes beyond the room given is counted and not written.
 * Async-signal-safe.
 */
#ifndef TSPROF_PART_SINK_H
#define TSPROF_PART_SINK_H

#include "common/codec.h"

enum { PART_SINK_BYTES = 8192 };

struct part_sink {
    struct encoder encoder; /* first: its flush knows the sink by it */
    uint64_t offset;        /* in the file */
    uint64_t room;          /* bytes from there on; 0: all is only counted */
    uint64_t size;          /* what there has been so far */
    uint32_t crc;           /* of it, if it is written */
};

/* A sink for ROOM bytes from OFFSET, with PART_SINK_BYTES bytes of BUFFER to work with. */
void part_sink_open_async(struct part_sink *sink, void *buffer, uint64_t offset, uint64_t room);

/* Writes the rest.  False if not all of it is in the file; `size` tells how much it is. */
bool part_sink_close_async(struct part_sink *sink);

#endif
