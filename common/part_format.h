/*
 * Constants of part files, shared by the writer in libprof and the reader in utils.
 * doc/parts.md is the specification.
 */
#ifndef TSPROF_PART_FORMAT_H
#define TSPROF_PART_FORMAT_H

#define PART_MAGIC  "TSPART\r\n"
#define PART_SUFFIX ".part"

enum {
    PART_MAGIC_BYTES = 8,
    PART_VERSION = 3,
    PART_HEADER_BYTES = 128,
    PART_HEADER_CRC_AT = PART_HEADER_BYTES - 4,
    PART_FLAG_LIVE = 1, /* live fields are updated as things happen */

    PART_ENDING_AT = 128,
    PART_ENDING_BYTES = 8,

    PART_RECORDS = 4096, /* where the records of threads begin */
    PART_RECORD_BYTES = 128,
    PART_THREADS = 256,
    PART_SLOTS = 64, /* in a record */
    PART_SLOT_BYTES = 32,
    PART_SLOT_CRC_AT = PART_SLOT_BYTES - 4,
    PART_EXTENTS = PART_RECORDS + PART_THREADS * PART_RECORD_BYTES,

    PART_BATCH_MAGIC = 0x474F4C54,
    PART_BATCH_BYTES = 16 /* of its header */
};

/* How a process ended. */
enum part_ending {
    PART_LOST,        /* killed, still running, or unknown */
    PART_NOT_WRITTEN, /* normally, but its summary could not be written */
    PART_UNFINISHED,  /* without MPI_Finalize */
    PART_ABORTED,     /* by MPI_Abort */
    PART_NO_TRACE,    /* normally; its summary was written, but not its events */
    PART_ENDINGS
};

/* Where a thread was seen. */
enum part_seen { PART_SEEN_NOWHERE, PART_SEEN_IN_PROGRAM, PART_SEEN_IN_MPI };

/* What a record in a thread's log is about. */
enum part_record {
    PART_RECORD_MODULE = 1,
    PART_RECORD_PHASE,
    PART_RECORD_NODES,
    PART_RECORD_TOPOLOGIES,
    PART_RECORD_CONTINUES
};

/* What a node of the call tree is. */
enum part_node_kind {
    PART_NODE_FUNCTION,
    PART_NODE_MPI,
    PART_NODE_PHASE,
    PART_NODE_ARTIFICIAL,
    PART_NODE_TOLD, /* a function that tells each of its visits */
    PART_NODE_KINDS
};

/*
 * How a stretch of a map from iterations to clusters tells where its iterations are; the same
 * as in memory (compress/mappage.h).
 */
enum part_segment {
    PART_SEGMENT_RUN,
    PART_SEGMENT_PACKED,
    PART_SEGMENT_PATTERN,
    PART_SEGMENT_AGAIN
};

enum { PART_PERIOD_MOST = 128, PART_WIDTH_MOST = 16 };

#endif
