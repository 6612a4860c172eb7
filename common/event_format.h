/*
 * The events of a process as they are kept in memory until the trace is written, and in a file
 * beside the process's part (doc/parts.md): chunks of fixed size, each of which belongs to a
 * stream.  Stream 1 says what communicators and windows there are; those from 2 on have the
 * events of a thread each.
 *
 * A stream is a sequence of records, each a tag and some varints or signed numbers (codec.h),
 * or in the short form of event_short.h. No record lies in two chunks, and a chunk can be read
 * without those before it.  Chunks of events that are not wanted any more are missing in the
 * sequence.
 */
#ifndef TSPROF_EVENT_FORMAT_H
#define TSPROF_EVENT_FORMAT_H

#include <stdint.h>

enum {
    EVENT_CHUNK_BYTES = 4096,
    EVENT_CHUNK_HEADER = 24,
    EVENT_RECORD_MOST = 80, /* no record is longer, counters and groups excepted */
    EVENT_STREAM_NONE = 0,  /* `owner` of a chunk that is not used */
    EVENT_STREAM_OBJECTS = 1,
    EVENT_STREAM_THREADS = 2 /* plus the thread's number */
};

/* What a chunk begins with, in the machine's own byte order. */
struct event_chunk {
    uint32_t owner;    /* the stream */
    uint32_t sequence; /* grows by one from chunk to chunk of a stream */
    uint32_t used;     /* bytes, the header included */
    uint32_t unused;
    int64_t base_ns; /* what the first time in it is counted from */
};

_Static_assert(sizeof(struct event_chunk) == EVENT_CHUNK_HEADER, "as the format says");

/*
 * The file: a header, when threads ended recording, what is known of each thread's series, what
 * was let go of them, and the chunks.  The same lies in memory, where the file is mapped into.
 */
#define EVENT_FILE_MAGIC  "TSEVNT\r\n"
#define EVENT_FILE_SUFFIX ".events"

enum {
    EVENT_FILE_MAGIC_BYTES = 8,
    EVENT_FILE_VERSION = 4,
    /* Can still be read: it has no short records, 2 no functions, and 3 no losses. */
    EVENT_FILE_OLDEST = 1,
    EVENT_FILE_WITH_LOSSES = 4,
    EVENT_FILE_HEADER_BYTES = 32,
    EVENT_FILE_HEADER_CRC_AT = EVENT_FILE_HEADER_BYTES - 4,
    EVENT_FILE_THREADS = 256,                    /* with series that are known */
    EVENT_FILE_SERIES = 32,                      /* of a thread */
    EVENT_FILE_ENDED_AT = EVENT_CHUNK_BYTES / 2, /* of each thread, as int64_t */
    EVENT_FILE_SERIES_AT = EVENT_CHUNK_BYTES
};

/* A series of a thread. */
struct event_series {
    uint32_t shown_as;   /* of a loop that was found: its phase + 1; 0: not shown */
    uint32_t generation; /* how often it was dropped: what is of an older one is no iteration */
};

/*
 * The iterations of a series that a thread let go: where there was no memory, and of those that
 * are asked for by their importance, the least important where it kept enough.
 */
struct event_lost {
    uint64_t count; /* of those for which there was no memory */
    uint64_t first,
        last; /* the lowest and the highest of their numbers, + 1; 0: there is none */
    uint64_t best, score; /* the number of the most important one, and how important it is */
};

enum {
    EVENT_FILE_LOST_AT = EVENT_FILE_SERIES_AT + EVENT_FILE_THREADS * EVENT_FILE_SERIES *
                                                    (int)sizeof(struct event_series),
    EVENT_FILE_CHUNKS_AT = EVENT_FILE_LOST_AT + EVENT_FILE_THREADS * EVENT_FILE_SERIES *
                                                    (int)sizeof(struct event_lost)
};

_Static_assert(EVENT_FILE_ENDED_AT + EVENT_FILE_THREADS * 8 == EVENT_FILE_SERIES_AT &&
                   EVENT_FILE_CHUNKS_AT % EVENT_CHUNK_BYTES == 0,
               "as the format says");

/*
 * Tags.  A time is a varint: nanoseconds since the latest one in the chunk.  `comm`, `win`,
 * `file`: the object's number.  `root`: enum event_root.  `request`: a number that no other
 * request of the process has.
 *
 * Those from EVENT_COUNTS to EVENT_FREE_FILE say more about the call before them.  EVENT_ENTER,
 * EVENT_LEAVE and EVENT_VISIT are of functions that tell of themselves.
 */
enum event_tag {
    EVENT_NONE,
    EVENT_BEGIN,      /* time, series, generation, iteration, node, flags (enum event_flag) */
    EVENT_END,        /* time, series, generation, score: an iteration ends */
    EVENT_UNDO,       /* series, generation: what began last of it is no iteration */
    EVENT_CALL,       /* time of enter, time of leave, node */
    EVENT_SAMPLE,     /* time, node */
    EVENT_COUNTS,     /* number, for each counter signed: what it has grown by */
    EVENT_SEND,       /* comm, signed peer, signed tag, bytes */
    EVENT_RECEIVE,    /* the same */
    EVENT_START_SEND, /* request, comm, signed peer, signed tag, bytes */
    EVENT_START_RECEIVE,    /* request */
    EVENT_START_COLLECTIVE, /* request */
    EVENT_DONE_SEND,        /* request */
    EVENT_DONE_RECEIVE,     /* request, comm, signed peer, signed tag, bytes */
    EVENT_DONE_COLLECTIVE,  /* request, comm, root, bytes out, bytes in, MPI function's node */
    EVENT_CANCELLED,        /* request */
    EVENT_COLLECTIVE,       /* comm, root, bytes out, bytes in */
    EVENT_PUT,              /* win, signed target, bytes */
    EVENT_GET,              /* the same */
    EVENT_ATOMIC,           /* win, signed target, bytes out, bytes in */
    EVENT_WINDOW,           /* win, signed rank or -1 for all, enum event_lock: synchronized */
    EVENT_PARTNER,          /* win, signed rank: of the group that an epoch is with */
    EVENT_FILE,             /* file, bytes read, bytes written */
    EVENT_START_FILE,       /* request, file, 1 if it is written, 0 if it is read */
    EVENT_DONE_FILE,        /* request, file, bytes */
    EVENT_NEW_COMM,         /* comm */
    EVENT_FREE_COMM,        /* comm */
    EVENT_NEW_WINDOW,       /* win */
    EVENT_FREE_WINDOW,      /* win */
    EVENT_NEW_FILE,         /* file */
    EVENT_FREE_FILE,        /* file */
    EVENT_ENTER,            /* time, node */
    EVENT_LEAVE,            /* time, node: that, and what is open in it, is left */
    EVENT_VISIT,            /* time, node: entered and left at once, since it has no time */
    EVENT_TAGS
};

/* What stands for a root, if not the rank plus EVENT_FIRST_ROOT. */
enum event_root { EVENT_NO_ROOT, EVENT_ROOT_ABSENT, EVENT_ROOT_SELF, EVENT_FIRST_ROOT };

/* How a window is locked, by calls that do. */
enum event_lock { EVENT_LOCK_SHARED, EVENT_LOCK_EXCLUSIVE };

enum event_flag {
    EVENT_PASS = 1,   /* a pass of a loop that was found: `node` is the function around it */
    EVENT_CHOSEN = 2, /* it may be kept for itself */
    EVENT_SUMMED = 4  /* an instance of a phase that is no iteration; `series` is its level */
};

/* The records of EVENT_STREAM_OBJECTS. */
enum object_tag {
    OBJECT_NONE,
    OBJECT_GROUP,     /* number, more: ranks in MPI_COMM_WORLD follow as OBJECT_RANKS */
    OBJECT_RANKS,     /* of the latest group: signed first, signed stride, how many */
    OBJECT_COMM,      /* number, group, remote group + 1 or 0, how many of that kind before */
    OBJECT_WINDOW,    /* number, group, how many of that kind before */
    OBJECT_SOURCES,   /* number of a communicator, group: whom the process receives from in
                         operations among neighbours */
    OBJECT_GRID,      /* the next communicator is Cartesian: its dimensions follow, as */
    OBJECT_DIMENSION, /* size, periodic */
    OBJECT_FILE,      /* number, group, how many of that kind before */
    OBJECT_LETTERS,   /* the name of the next file: eight bytes, the last with zeros behind */
    OBJECT_TAGS
};

/* Numbers of objects that are there from the start; 0 stands for one that is not known. */
enum { OBJECT_UNKNOWN, OBJECT_WORLD, OBJECT_SELF, OBJECT_FIRST };

#endif
