/*
 * Stands in for OTF2's library where archives are read: what definitions and events there are
 * is bytes of a fuzz target's input.  So the command's reader is shown what no library would
 * let through, in the same process and as often as it opens the archive.
 *
 * An input is a byte that says who wrote the archive, definitions up to FAKE_EVENTS, and
 * events. Each begins with a byte that says which (modulo how many there are), and has a byte
 * for each of its numbers; where bytes end, numbers are 0.
 */
#ifndef TSPROF_FAKE_OTF2_H
#define TSPROF_FAKE_OTF2_H

#include <stddef.h>
#include <stdint.h>

/* Definitions, in the order of their bytes. */
enum fake_definition {
    FAKE_EVENTS, /* there are no more */
    FAKE_CLOCK,
    FAKE_STRING,
    FAKE_NODE,
    FAKE_PROCESS,
    FAKE_THREAD,
    FAKE_REGION,
    FAKE_GROUP,
    FAKE_COMM,
    FAKE_INTERCOMM,
    FAKE_WINDOW,
    FAKE_PARAMETER,
    FAKE_COUNTER,
    FAKE_CLASS,
    FAKE_INSTANCE,
    FAKE_CONTEXT,
    FAKE_DIMENSION,
    FAKE_TOPOLOGY,
    FAKE_COORDINATE,
    FAKE_HANDLE,
    FAKE_DEFINITIONS
};

/* Events: a location and how much later it is follow the first byte. */
enum fake_event {
    FAKE_ENTER,
    FAKE_LEAVE,
    FAKE_CONTEXT_ENTER,
    FAKE_CONTEXT_LEAVE,
    FAKE_SAMPLE,
    FAKE_SEND,
    FAKE_ISEND,
    FAKE_RECV,
    FAKE_IRECV,
    FAKE_REQUEST, /* of which kind */
    FAKE_COLLECTIVE,
    FAKE_NONBLOCKING,
    FAKE_PUT,
    FAKE_GET,
    FAKE_ATOMIC,
    FAKE_WINDOW_CREATE,
    FAKE_WINDOW_FREE,
    FAKE_WINDOW_COLLECTIVE,
    FAKE_SYNC,
    FAKE_LOCK,
    FAKE_UNLOCK,
    FAKE_NUMBER,
    FAKE_METRIC,
    FAKE_ON_OFF,
    FAKE_FILE_BEGIN,
    FAKE_FILE_END,
    FAKE_EVENT_KINDS
};

/* Strings by the byte that stands for them. */
extern const char *const fake_strings[];
extern const size_t fake_string_count;

/* What archives contain from now on; DATA must stay. */
void fake_otf2(const uint8_t *data, size_t size);

#endif
