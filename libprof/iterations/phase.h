/*
 * Phases and iterations: what the markers do.
 *
 * Every open phase is a level of its thread.  Time is cut exactly at the markers: an instance
 * owns all computation from its begin to its end, whatever the samples around it hit (Szebenyi,
 * section 5.4.1).  Instances of kept phases get a profile of their own and end in a clustering.
 */
#ifndef TSPROF_PHASE_H
#define TSPROF_PHASE_H

#include "timeline/timeline.h"

enum { PHASES_MOST = 256 };

/* How markers can be wrong. */
enum phase_misuse { MISUSE_NOT_BEGUN, MISUSE_ORDER, MISUSE_THREAD, PHASE_MISUSES };

struct phase {
    const char *name; /* the runtime's own copy */
    bool kept;
    bool proposed;                   /* for parts alone, see phase_propose */
    uintptr_t misuse[PHASE_MISUSES]; /* where each misuse was first seen, 0 if it was not */
};

extern struct phase phase_table[PHASES_MOST];
extern uint32_t phase_count;

/*
 * The number of phase NAME, registered if new, KEEP being what its marker asks for; -1 when
 * there are too many.  Program context of any thread.
 */
int phase_register(const char *name, bool keep);

/*
 * The same for a phase that may be in the process's part and need not be in the summary: it is
 * there only if it is registered as well.
 */
int phase_propose(const char *name);

/* The number of phase NAME, -1 where it is not known. */
int phase_find_async(const char *name);

/*
 * Begins and ends an instance of phase NAME at the marker called from the function with
 * registers MARKER.  KEEP: the marker asks for instances to be kept apart.  Ends that match no
 * begin are reported once per phase with their place and otherwise ignored, so that times still
 * add up. Program context, depth raised by the caller; TICKS is when the marker was reached.
 */
void phase_begin(struct thread *thread, const char *name, bool keep, struct registers marker,
                 uint64_t ticks);
void phase_end(struct thread *thread, const char *name, struct registers marker,
               uint64_t ticks);

/*
 * The same without a marker, for item NUMBER of TSPROF_ITERATION: an instance of PHASE that
 * contains whatever its thread does, right below the phase around it.  NS is where the time
 * line has been accounted for to.  NULL, and noted, where there is no room.  Program context,
 * or the handler's if phase_is_ready_async says so.
 */
struct level *phase_begin_named(struct thread *thread, uint32_t phase, unsigned number,
                                int64_t ns);

/* Whether phase_begin_named, were AROUND the innermost level, could be called by a handler. */
bool phase_is_ready_async(const struct thread *thread, const struct level *around,
                          uint32_t phase);

/* Ends LEVEL of THREAD, and all inside it, at NS, to which the time line has been accounted. */
void phase_end_named_async(struct thread *thread, const struct level *level, int64_t ns);

/* Whether THREAD has begun an instance of phase NAME that is still open. */
bool phase_is_open(struct thread *thread, const char *name);

/*
 * Says, once for each phase and kind, which markers were wrong and where.  At the end of the
 * measurement: names are looked up, which needs more stack than a marker may find.
 */
void phase_complain(void);

/*
 * Ends the phases that THREAD has begun itself at NS, to which the time line has been accounted
 * for, because the thread ends; those who follow it hear of it.
 */
void phase_close_own(struct thread *thread, int64_t ns);

/* Ends every open phase of THREAD at NS, and the program's level: nothing is pending after it.
 */
void phase_close_all(struct thread *thread, int64_t ns);

#endif
