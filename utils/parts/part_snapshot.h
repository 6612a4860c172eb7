/*
 * A thread's newest whole snapshot in a part (doc/parts.md, "Snapshot").
 */
#ifndef TSPROF_PART_SNAPSHOT_H
#define TSPROF_PART_SNAPSHOT_H

#include "parts/part_log_reading.h"

struct part_iteration {
    uint32_t phase; /* of the log */
    uint64_t number;
    int64_t begin_ns; /* on the time line */
};

/* Everything lives as long as the part.  Nodes and phases are those of the thread's log. */
struct part_snapshot {
    bool ended;
    int64_t saved_ns;            /* complete up to here, on the time line */
    struct part_iteration *open; /* iterations, outermost first */
    size_t open_count;
    int64_t open_wall_ns;
    struct profile open_profile; /* of the outermost */
    struct location location;    /* without what is open; its names are not set */
};

/*
 * The bytes of the newest snapshot of THREAD, record NUMBER, that is whole, SIZE of them; NULL
 * if there is none.  The caller's to free().  To be read before the log, which holds all that
 * they refer to, and perhaps more by then.
 */
unsigned char *part_snapshot_find(const struct part_reading *part, unsigned number,
                                  const struct part_thread *thread, size_t *size);

/* Decodes and validates what part_snapshot_find has found. */
bool part_snapshot_decode(struct part_reading *part, unsigned number,
                          const struct part_log_reading *log, const unsigned char *bytes,
                          size_t size, struct part_snapshot *snapshot, struct error *error);

/*
 * Adds what is open to what lies outside iterations, to the whole run and to the wall time, so
 * that nothing is left out and all adds up still.
 */
void part_snapshot_close(struct part_reading *part, struct part_snapshot *snapshot);

#endif
