/*
 * Reads the events of a process as they are kept in memory (common/event_format.h): which
 * streams there are, the records of one in order, and which iterations are there as a whole.
 *
 * Damaged chunks give fewer events and no worse.  Program context; memory from malloc.
 */
#ifndef TSPROF_RECORDING_H
#define TSPROF_RECORDING_H

#include "common/codec.h"
#include "common/event_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The chunks of a recording, by stream and then by sequence. */
struct recording {
    const unsigned char *chunks;
    uint32_t *order; /* numbers of chunks */
    uint32_t count;
};

/* Sorts the COUNT chunks at CHUNKS, which must stay.  False without memory. */
bool recording_read(struct recording *recording, const void *chunks, uint32_t count);
void recording_free(struct recording *recording);

enum { RECORD_NUMBERS_MOST = 24 };

/* A record, its times added up. */
struct record {
    unsigned tag;         /* enum event_tag, or enum object_tag */
    uint64_t at;          /* its number in the stream */
    int64_t ns, leave_ns; /* leave_ns: of a call */
    unsigned count;       /* numbers behind the times */
    uint64_t numbers[RECORD_NUMBERS_MOST];
    bool broken; /* chunks are missing between this record and the one before */
};

/* The place of a reader in a stream; to be set up by recording_stream. */
struct stream_reader {
    const struct recording *recording;
    uint32_t next, end; /* in `order` */
    uint32_t sequence;
    struct decoder in;
    uint64_t at;
    int64_t ns;
    bool objects;
};

/* A reader of stream OWNER from its beginning. */
struct stream_reader recording_stream(const struct recording *recording, uint32_t owner);

/* Reads the next record; false at the end. */
bool recording_next(struct stream_reader *reader, struct record *record);

/*
 * The number, among those of RECORD, of the node of the call tree that it is about; -1: it is
 * about none.
 */
int record_node(const struct record *record);

/*
 * Whether that node is entered by RECORD: where it is not known, nothing is known of what
 * follows.
 */
bool record_enters(const struct record *record);

/* Whether RECORD says more about the call before it. */
bool record_is_detail(const struct record *record);

/* A signed number of a record. */
static inline int64_t record_signed(uint64_t number)
{
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

/* An iteration of which all events are there: the records from `first` to `last`. */
struct recorded_iteration {
    uint32_t series, generation;
    uint64_t number;
    uint64_t first, last;
    uint64_t score; /* how much it deserves to be kept */
    bool chosen;
};

/*
 * Lists the iterations of stream OWNER, in the order in which they end: an array of *COUNT from
 * malloc, NULL without memory.
 */
struct recorded_iteration *recording_iterations(const struct recording *recording,
                                                uint32_t owner, size_t *count);

/* A set of communicators and windows by their numbers; `is` from malloc. */
struct marked_objects {
    bool *is;
    size_t count;
};

/*
 * Adds to MARKED the objects that events of stream OWNER refer to in the COUNT iterations in
 * LIST, in the order in which they begin; NULL stands for everything.  False without memory.
 */
bool recording_mark_objects(const struct recording *recording, uint32_t owner,
                            const struct recorded_iteration *const *list, size_t count,
                            struct marked_objects *marked);

#endif
