/*
 * Iterations without markers: watches for what the items of TSPROF_ITERATION name.
 *
 * One thread is watched, the one that has initialised MPI; the others follow its iterations
 * (follow.h).  Its MPI calls arrive here with their call paths, and may begin and end
 * iterations at the time of the call.  Items of the kind `time:` have borders at times of their
 * own, which are crossed when the time line comes to them, in calls and samples alike.  If
 * there is nothing to watch for, `watched` of struct thread is false and calls cost nothing
 * more.
 *
 * The node of such an iteration is directly below the phase or program around it, and the call
 * paths in it begin with the program's first function, because it is unknown which function has
 * the loop.
 *
 * Each item has at most one open iteration.  When an item begins one, it ends those of the
 * items after it in TSPROF_ITERATION, because outer loops are named first.  It does not end
 * phases that a marker has begun, or functions that are still executing: it waits for them to
 * end.
 */
#ifndef TSPROF_WATCH_H
#define TSPROF_WATCH_H

#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

/* An MPI call of the watched thread, before it is accounted for. */
struct arrival {
    uint32_t frames; /* of the walk from it; 0 if it was not walked or the walk is not kept */
    int call;        /* enum mpi_call */
    int64_t begin_ns;
    struct walker *walker; /* if there are frames, its latest walk is that of the call */
    uint8_t inside;        /* set of items that name a function on the path */
    uint8_t begins;        /* set of items for which the call is a border */
};

/*
 * Begins to watch THREAD, the calling thread, for what TSPROF_ITERATION names.  Once, in
 * program context, when MPI has been initialised.
 */
void watch_start(struct thread *thread);

/*
 * Prints a message about each item that has never begun in this process.  One process of the
 * job calls it, at the end of the measurement.
 */
void watch_complain(void);

/*
 * The borders of items of the kind `time:`; it also notes when watched functions have returned.
 */
extern const struct border_source watch_source;

/*
 * Begins and ends the iterations for which the MPI call CALL with node LEAF, found by WALK, is
 * a border.  The call was made at BEGIN_NS, and the time line has been brought there.  Returns
 * whether levels were opened or closed.  Program context.
 */
bool watch_arrival(struct thread *thread, int call, uint32_t leaf,
                   const struct walk_result *walk, int64_t begin_ns);

/*
 * watch_begin_async ends the open iteration of ITEM, if there is one, and begins the next; and
 * watch_end_async only ends it.  Both do so at NS, to which the time line has been brought.
 * They return false if that has to wait because something inside has not ended.
 * watch_begin_async is for program context, or a handler in which phase_is_ready_async has
 * returned true.
 */
bool watch_begin_async(struct thread *thread, unsigned item, int64_t ns);
bool watch_end_async(struct thread *thread, unsigned item, int64_t ns);

#endif
