/*
 * A thread as it was at one instant: what a save writes, in pieces, while the thread goes on.
 * For the other files of this room.  Async-signal-safe; only for the thread that holds the
 * context.
 *
 * Small things that an event of the program changes are copied.  Profiles are frozen
 * (tree/profile.h): of each call path that is added to meanwhile, what it was is kept aside.
 * What never changes once it is there is only referred to: the nodes of the call tree below
 * `thread.tree.node_count`.  Nor are clusters copied: they stay as they are as long as the
 * thread is frozen (timeline/thread.h), for iterations that end meanwhile wait in their queue.
 */
#ifndef TSPROF_PART_IMAGE_H
#define TSPROF_PART_IMAGE_H

#include "encode/encode.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
#include "timeline/timeline.h"

#include <stdbool.h>

struct part_image {
    struct thread thread; /* a copy; what it points to and the thread changes is below */
    struct iterations iterations;    /* without its queue, which is empty */
    struct counts counts;            /* if there are any */
    int64_t *room;                   /* PROPOSED_CELLS values, of the proposed loops */
    struct snapshot_profile outside; /* what lies outside of iterations, also on open levels */
    const struct profile *closed;    /* the sum of all iterations */
    struct snapshot_profile inside;  /* what is open in iterations */
    unsigned iterations_open;
    int64_t open_ns; /* when the outermost of them began; if there is none, the instant */
    struct proposal proposed;
    struct profile
        *frozen[LEVELS_MOST + 2]; /* the thread's profiles, as long as the image is */
    unsigned frozen_count;
    struct arena arena; /* for what frozen profiles keep, and for the image itself */
};

/* Bytes that an image takes from the first time on that it is taken, in whole pages, besides
 * what profiles keep, which they draw themselves. */
size_t part_image_bytes_async(void);

/* Memory for an image of THREAD, which becomes the thread's; NULL if there is none. */
struct part_image *part_image_create_async(struct thread *thread);

/*
 * Makes IMAGE that of THREAD now.  No iteration may be waiting in the queue.  Returns false if
 * the thread must not go on before the image is written, because there is no memory to freeze
 * all of it.
 */
bool part_image_take_async(struct part_image *image, struct thread *thread);

/*
 * Whether IMAGE is still what it was when it was taken.  It is not if the thread has gone on
 * and there was too little memory for what it has changed.
 */
bool part_image_is_whole_async(const struct part_image *image);

/* Nobody needs what IMAGE holds any more.  May be called twice. */
void part_image_release_async(struct part_image *image);

#endif
