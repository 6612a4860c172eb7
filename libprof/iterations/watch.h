/*
 * Iterations that no marker begins: what TSPROF_ITERATION names is watched for.
 *
 * One thread is watched, the one that has initialised MPI; the others follow its iterations as
 * they follow markers' (follow.h).  Its MPI calls arrive here with the call path that they came
 * from, and may begin and end iterations at the instant at which they were made; other borders
 * have instants of their own, and are crossed when the time line comes to them, by calls and
 * samples alike.  What holds no mark costs nothing: `watched` of struct thread is false.
 *
 * An iteration stands right below the phase or program around it: call paths inside begin with
 * the program's first function, since nobody can know in which of them the loop is.
 *
 * Every item is open once at most.  One that begins ends those that are written behind it,
 * since the outer loop is written first; but neither a phase that a marker has begun nor a
 * function that is still executed: then it waits for their end.
 */
#ifndef TSPROF_WATCH_H
#define TSPROF_WATCH_H

#include "timeline/timeline.h"

#include <stdbool.h>
#include <stdint.h>

/* An MPI call of the watched thread, before it is accounted for. */
struct arrival {
    uint32_t frames; /* of the walk from it; 0 where there was none, or none that is kept */
    int call;        /* enum mpi_call */
    int64_t begin_ns;
    struct walker *walker; /* its latest walk is the call's, if there are frames */
    uint8_t inside;        /* the items whose functions are on the path */
    uint8_t begins;        /* the items of which the path is a border */
};

/*
 * Begins to watch THREAD, the calling one, for what TSPROF_ITERATION names.  Program context,
 * once MPI is up.
 */
void watch_start(struct thread *thread);

/*
 * Says what was named and never seen in this process; for one of a job to do, at the end of the
 * measurement.
 */
void watch_complain(void);

/* Borders that have instants of their own, and the ends of functions' executions. */
extern const struct border_source watch_source;

/*
 * What the call of LEAF, made at BEGIN_NS, begins and ends; the time line has been accounted
 * for up to there.  WALK led to it.  True if another level is open now.
 */
bool watch_arrival(struct thread *thread, int call, uint32_t leaf,
                   const struct walk_result *walk, int64_t begin_ns);

/*
 * For what recognises borders: ends the iteration of ITEM that is open and begins another one,
 * or only ends it, at NS, to which the time line has been accounted for.  False where it has to
 * wait, because something inside has not ended.  watch_begin in program context, or in a
 * handler where phase_is_ready_async says that nothing has to be made for it.
 */
bool watch_begin(struct thread *thread, unsigned item, int64_t ns);
bool watch_end_async(struct thread *thread, unsigned item, int64_t ns);

#endif
