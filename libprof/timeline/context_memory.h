/*
 * How much memory a thread's context takes, whichever rooms asked for it.  A room registers
 * each arena when it makes it; how much of them is resident is looked up when a summary or part
 * is written.
 */
#ifndef TSPROF_CONTEXT_MEMORY_H
#define TSPROF_CONTEXT_MEMORY_H

#include "common/codec.h"
#include "timeline/thread.h"

#include <link.h>

/* The library's own first bytes; the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/*
 * Bytes that belong to the process and not to one thread; they are counted for the first
 * thread.  Whoever takes some adds them here, atomically.
 */
extern size_t memory_shared_bytes;

/*
 * Registers ARENA as memory of THREAD.  It must live as long as the context.  A thread has at
 * most ARENAS_MOST; more are ignored.  By the thread that holds the context.
 */
void memory_add_arena_async(struct thread *thread, const struct arena *arena);

/* Bytes that are resident of ARENA.  Any context, likewise. */
size_t memory_of_arena_async(const struct arena *arena);

/*
 * Bytes of resident memory that THREAD takes, without the library's tables.  That takes some
 * 100 microseconds, with pauses by encoder_pause_async if PAUSES is not NULL.  Any context,
 * signal handlers included: it asks the kernel and takes no lock.
 */
size_t memory_of_thread_async(const struct thread *thread, struct encoder *pauses);

/*
 * Notes what memory_of_thread_async says of THREAD, before memory is given back in the end.  By
 * the thread that holds the context.
 */
void memory_note_async(struct thread *thread);

/* The most that was noted of THREAD and what it takes now, as memory_of_thread_async says it.
 */
size_t memory_most_async(const struct thread *thread, struct encoder *pauses);

/*
 * Bytes that are resident of the library's own variables, the process's tables of fixed size
 * among them; TSPROF_MEMORY does not bound them.  The library's code is not counted: its pages
 * are the file's, in common with all processes of the host.  Any context, likewise.
 */
size_t memory_of_tables_async(void);

#endif
