/*
 * The room for functions of programs that were compiled with -finstrument-functions: regions.
 * This is its public header.
 *
 * The compiler has such functions say when they are entered and left.  Each call is one visit
 * of the call path that a walk from there finds, so a function appears once in the call tree,
 * whoever has found it.  Computation between two of these events belongs to the innermost
 * region.  Samples only tell which functions that say nothing have used it: they are given
 * what the region was given since its last sample.
 *
 * A thread that has entered no region has no `regions`, and nothing is different for it.
 */
#ifndef TSPROF_REGIONS_H
#define TSPROF_REGIONS_H

#include "regions/enter.h"
#include "timeline/timeline.h"

/*
 * Attributes the computation that is pending on the innermost level of THREAD to its innermost
 * region.  Without one it stays pending.  Called where levels are opened and closed, by whoever
 * holds the context, in any context.
 */
void regions_settle_async(struct thread *thread);

/*
 * The same where a slice of time ends: samples that follow move nothing that was given before.
 */
void regions_cut_async(struct thread *thread);

/*
 * A sample has found THREAD, which has regions, on call path NODE: attributes to it what is
 * pending, and what the innermost region was given since its last sample.  Called by the
 * thread itself, in the sample handler.
 */
void regions_sample_async(struct thread *thread, uint32_t node);

/* Bytes that THREAD's regions take of the budget from their first one on.  Any context. */
size_t regions_bytes_async(const struct thread *thread);

/*
 * Reads the file that TSPROF_FILTER names, and decides which functions it leaves out.  THREAD
 * starts the measurement, and holds its context.  Program context; may take a while.
 */
void regions_filter_start(struct thread *thread);

/* Says what cannot be used of that file.  One process of a job calls it.  Program context. */
void regions_filter_complain(void);

/*
 * To be called around everything that may unload modules.  In between, what was decided for
 * functions is not used without asking whether they are still there; afterwards the decisions
 * for functions of modules that are gone are forgotten.  Program context.
 */
void regions_filter_unloading(void);
void regions_filter_unloaded(void);

/* THREAD ends: whoever continues its time line has entered no region. */
void regions_rest(struct thread *thread);

#endif
