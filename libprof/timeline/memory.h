/*
 * The memory that a thread's context takes, whichever room asked for it.  Rooms say where their
 * memory lies when they get it; what it comes to is looked up when a summary is written.
 */
#ifndef TSPROF_MEMORY_H
#define TSPROF_MEMORY_H

#include "timeline/thread.h"

/*
 * Bytes that all threads of the process take together: they are the first one's.  Added to by
 * who takes them, atomically.
 */
extern size_t memory_shared_bytes;

/* ARENA, which lives as long as the context, holds memory of THREAD's.  At most ARENAS_MOST. */
void memory_add_arena(struct thread *thread, const struct arena *arena);

/* Bytes of resident pages that THREAD takes.  Any context: asks the kernel, takes no lock. */
size_t memory_of_thread_async(const struct thread *thread);

#endif
