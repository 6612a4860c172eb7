/*
 * An encoder (codec.h) that writes to the process's part through a buffer of fixed size, and
 * computes the CRC-32 of what it writes.  Bytes beyond the given room are counted and not
 * written.  Async-signal-safe.
 */
#ifndef TSPROF_PART_SINK_H
#define TSPROF_PART_SINK_H

#include "common/codec.h"
#include "host/host.h"

enum { PART_SINK_BYTES = 4096 };

struct part_sink {
    struct encoder encoder;   /* must be the first member: flush casts it to the sink */
    uint64_t offset;          /* in the file */
    uint64_t room;            /* bytes from OFFSET on; 0: everything is only counted */
    uint64_t size;            /* bytes encoded so far */
    uint32_t crc;             /* of these bytes, if they are written */
    struct coroutine *pieces; /* by which this may be written, and where it pauses then */
};

/*
 * Opens a sink for ROOM bytes from OFFSET on, with BUFFER of PART_SINK_BYTES to work with. Only
 * `pieces` stays as it is.
 */
void part_sink_open_async(struct part_sink *sink, void *buffer, uint64_t offset, uint64_t room);

/*
 * Writes what is left in the buffer.  False if not everything could be written; SIZE then tells
 * how much room it needs.
 */
bool part_sink_close_async(struct part_sink *sink);

#endif
