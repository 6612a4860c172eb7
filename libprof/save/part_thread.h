/*
 * What saving needs for one thread, and the thread's record in the part (doc/parts.md).  For
 * the other files of this room, and only by the thread that holds the context.
 * Async-signal-safe.
 */
#ifndef TSPROF_PART_THREAD_H
#define TSPROF_PART_THREAD_H

#include "save/part_image.h"
#include "save/part_log.h"
#include "save/part_sink.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

/* A place in the file that one snapshot is written to. */
struct slot {
    uint64_t offset;
    uint64_t room; /* bytes */
};

struct part_thread {
    struct slot slots[2];
    uint32_t sequence;       /* of the last complete snapshot */
    uint64_t snapshot_bytes; /* of that one */
    bool saved;              /* there is a snapshot, of SAVED_NS */
    int64_t saved_ns;
    int64_t due_ns;     /* no snapshot is written before this */
    int64_t log_due_ns; /* no sample writes to the log before this */
    struct part_log log;
    struct thread *thread;    /* whose this is */
    struct part_image *image; /* what the save under way writes */
    bool written;             /* the last save was successful */
    int64_t piece_end_ns;     /* when its last piece ended */
    int64_t cpu_ns, wall_ns;  /* what the save under way has cost so far */
    int64_t took_ns;          /* and in all what the last one took */
    struct part_sink sink;
    unsigned char buffer[PART_SINK_BYTES];
};

/*
 * The saving state of THREAD, allocated from its arena at its first save; NULL if there is no
 * memory.
 */
struct part_thread *part_thread_furnish_async(struct thread *thread);

/* The offset of THREAD's record in the file. */
uint64_t part_thread_record_async(const struct thread *thread);

/*
 * Makes THREAD's live fields those in the part, where other processes can see them; or, where
 * the part is mapped and the calling thread blocks SIGBUS, THREAD's own (host/bus_guard.h).
 */
void part_thread_publish_async(struct thread *thread);

/* Whether a signal handler on THREAD may touch its live fields.  May make system calls. */
bool part_thread_may_touch_live_async(const struct thread *thread);

/* Makes THREAD's live fields its own if it is the calling thread and blocks SIGBUS now. */
void part_thread_hide_async(struct thread *thread);

/*
 * Writes the live fields to the part where they are not mapped.  False, and the part ends, if
 * that fails.
 */
bool part_thread_write_live_async(const struct thread *thread);

#endif
