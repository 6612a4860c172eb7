/*
 * Reads a thread's newest complete snapshot from a part (doc/parts.md, "Snapshot").
 */
#ifndef TSPROF_PART_SNAPSHOT_H
#define TSPROF_PART_SNAPSHOT_H

#include "parts/part_log_reading.h"

struct part_iteration {
    uint32_t phase; /* of the log */
    uint64_t number;
    int64_t begin_ns; /* on the time line */
};

/* Lives as long as the part.  Nodes and phases are numbers of the thread's log. */
struct part_snapshot {
    bool is_older; /* see found_snapshot */
    bool ended;
    int64_t saved_ns;            /* when it was saved, on the time line */
    struct part_iteration *open; /* iterations that had not ended, outermost first */
    size_t open_count;
    int64_t open_wall_ns;
    struct profile open_profile; /* of the outermost open iteration */
    struct location location;    /* without the open iterations; its names are not set */
};

struct found_snapshot {
    unsigned char *bytes; /* the caller's to free(); NULL: there is none */
    size_t size;
    bool is_older; /* the newest one is damaged, or may be */
};

/*
 * Reads the newest complete snapshot of THREAD, record NUMBER.  Read the snapshot before the
 * log: then the log contains everything that the snapshot refers to.
 */
struct found_snapshot part_snapshot_find(const struct part_reading *part, unsigned number,
                                         const struct part_thread *thread);

/* Decodes and validates what part_snapshot_find has FOUND. */
bool part_snapshot_decode(struct part_reading *part, unsigned number,
                          const struct part_log_reading *log,
                          const struct found_snapshot *found, struct part_snapshot *snapshot,
                          struct error *error);

/*
 * Adds the open iterations to the profiles of the whole run and outside iterations, and to the
 * wall time, so that nothing is lost and everything still adds up.
 */
void part_snapshot_close(struct part_reading *part, struct part_snapshot *snapshot);

#endif
