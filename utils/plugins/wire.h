/*
 * What the analysis and a process with a user's pattern tell each other, over a stream socket:
 * frames of a size, a kind (both 32 bits) and that many bytes, in the encoding of
 * common/codec.h.  tsprof_pattern.py reads and writes the same.
 *
 *     analysis                          pattern
 *     WORLD  version, functions, ranks  ->
 *                                       <-  HELLO  version, name, subscriptions, metrics
 *     EVENTS one after the other        ->
 *                                       <-  FOUND  severities, as often as it likes
 *                                       <-  DONE   with these events
 *     END                               ->
 *                                       <-  FOUND, DONE
 *
 * At any time, instead of DONE or HELLO: FAILED with a text that says why.  For this room.
 */
#ifndef TSPROF_WIRE_H
#define TSPROF_WIRE_H

#include "common/codec.h"
#include "include/tsprof_pattern.h"

#include <stddef.h>
#include <stdint.h>

enum wire_frame {
    WIRE_WORLD = 1,
    WIRE_EVENTS,
    WIRE_END,
    WIRE_HELLO,
    WIRE_FOUND,
    WIRE_DONE,
    WIRE_FAILED
};

/* Kinds of events; bits of the subscriptions are numbered like them. */
enum wire_event {
    WIRE_CALL,
    WIRE_COLLECTIVE,
    WIRE_EPOCH,
    WIRE_LOCKED,
    WIRE_ENTER,
    WIRE_LEAVE,
    WIRE_SEVERITY,
    WIRE_EVENT_KINDS
};

/* In place of the number of a call: one that is not being told of. */
#define WIRE_OTHER_CALL (TSPROF_NONE - 1)

/* A call that a batch of events has. */
struct told_call {
    uint32_t path;
    uint64_t ns; /* how long it took */
};

/* Events to be sent; start from all zeros, free with batch_free.  Out of memory ends the
 * command. */
struct batch {
    struct encoder bytes;
    struct told_call *calls;
    size_t call_count, call_room;
};

void batch_free(struct batch *batch);
/* Makes it empty, and keeps its memory. */
void batch_clear(struct batch *batch);

/* Each adds an event. */
void batch_call(struct batch *batch, const struct tsprof_call *call);
void batch_collective(struct batch *batch, const struct tsprof_collective *collective);
void batch_epoch(struct batch *batch, const struct tsprof_epoch *epoch);
void batch_locked(struct batch *batch, const struct tsprof_locked *locked);
/* WIRE_ENTER or WIRE_LEAVE. */
void batch_visit(struct batch *batch, enum wire_event kind, const struct tsprof_visit *visit);
void batch_finding(struct batch *batch, const struct tsprof_finding *finding);

#endif
