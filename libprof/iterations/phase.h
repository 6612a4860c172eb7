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
    bool proposed;                   /* only in parts so far, see phase_propose */
    uintptr_t misuse[PHASE_MISUSES]; /* code address of the first misuse of each kind, or 0 */
};

extern struct phase phase_table[PHASES_MOST];
extern uint32_t phase_count;

/*
 * Returns the number of phase NAME, which is copied and registered if it is new.  KEEP says
 * whether its marker asks for instances to be kept apart; TSPROF_PHASES may say otherwise.
 * Returns -1 if there are too many phases.  Program context of any thread.
 */
int phase_register(const char *name, bool keep);

/*
 * Does what phase_register does, with KEEP true, for a phase that is to be in the process's
 * part.  It is in the summary only if phase_register is called for it as well.
 */
int phase_propose(const char *name);

/* Returns the number of phase NAME, or -1 if there is no such phase.  Any context. */
int phase_find_async(const char *name);

/*
 * Begin and end an instance of phase NAME.  MARKER holds the registers of the function that
 * called the marker, TICKS the time of that call, and KEEP says whether the marker asks for
 * instances to be kept apart.  An end without a begin is reported once per phase, with its
 * place, and otherwise ignored, so that times still add up.  Program context only; the caller
 * holds the context.
 */
void phase_begin(struct thread *thread, const char *name, bool keep, struct registers marker,
                 uint64_t ticks);
void phase_end(struct thread *thread, const char *name, struct registers marker,
               uint64_t ticks);

/*
 * Begins an instance of PHASE without a marker, for item NUMBER of TSPROF_ITERATION.  Its node
 * is directly below that of the phase around it, and it contains whatever the thread does.  The
 * time line has been brought to NS.  Returns NULL, and adds a note to the summary, if there is
 * no room.  Program context, or a handler in which phase_is_ready_async has returned true.
 */
struct level *phase_begin_named_async(struct thread *thread, uint32_t phase, unsigned number,
                                      int64_t ns);

/*
 * Whether a handler could call phase_begin_named_async for PHASE if AROUND were the innermost
 * level: no series has to be created for it.
 */
bool phase_is_ready_async(const struct thread *thread, const struct level *around,
                          uint32_t phase);

/*
 * Ends LEVEL of THREAD and all levels inside it at NS, to which the time line has been brought.
 */
void phase_end_named_async(struct thread *thread, const struct level *level, int64_t ns);

/* Whether THREAD has begun an instance of phase NAME that is still open. */
bool phase_is_open(struct thread *thread, const char *name);

/*
 * Prints a message, once for each phase and kind of misuse, that says which markers were wrong
 * and where.  To be called at the end of the measurement, because looking up names needs more
 * stack than there may be at a marker.
 */
void phase_complain(void);

/*
 * THREAD ends at NS, to which its time line has been brought: ends the phases that it has begun
 * itself, and enters the borders for threads that follow it.
 */
void phase_close_own(struct thread *thread, int64_t ns);

/*
 * Ends every open phase of THREAD at NS and clusters all its iterations.  Level 0 stays open,
 * but with nothing pending.
 */
void phase_close_all(struct thread *thread, int64_t ns);

#endif
