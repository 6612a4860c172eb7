/*
 * A thread as it was at one instant: what a save writes, in pieces, while the thread goes on.
 * For the other files of this room.  Async-signal-safe; only for the thread that holds the
 * context.
 *
 * What an event of the program changes is copied.  What never changes once it is there is not:
 * the nodes of the call tree below `thread.tree.node_count`.  Nor are the clusters: they stay
 * as they are as long as the thread is frozen (timeline/thread.h), for iterations that end
 * meanwhile wait in their queue.
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
    struct profile outside;          /* with open passes of searched loops */
    struct profile closed;           /* the sum of all iterations */
    struct profile open;             /* all open iterations */
    struct profile less;             /* for the clusters of the proposed loops, negated */
    struct snapshot_profile pending; /* computation outside of iterations; no profiles */
    struct snapshot_profile inside;  /* `open`, and computation in open iterations */
    unsigned iterations_open;
    int64_t open_ns; /* when the outermost of them began; if there is none, the instant */
    struct proposal proposed;
};

/* Memory for an image of THREAD, which becomes the thread's; NULL if there is none. */
struct part_image *part_image_create_async(struct thread *thread);

/* Makes IMAGE that of THREAD now.  No iteration may be waiting in the queue. */
void part_image_take_async(struct part_image *image, const struct thread *thread);

#endif
