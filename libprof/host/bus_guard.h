/*
 * Keeps the process alive when somebody shortens a file that tsprof has mapped.
 *
 * A store into a page that its file no longer has raises SIGBUS, which ends the process.  So
 * while such a file is mapped a handler is installed for SIGBUS.  At the first SIGBUS, whatever
 * its cause, it puts private memory in the place of the mapping, and the store is repeated
 * there.  What is not the guarded memory's fault is the program's: the handler restores the
 * program's own action and returns, so that the instruction faults again and the kernel does
 * what it would have done without tsprof; a SIGBUS that was sent is sent once more.
 *
 * The program does not see the handler: what it installs for SIGBUS by the C library is kept
 * for it and told when it asks (claims.c, and bus_guard_yield_async below).  Where it ignores
 * SIGBUS nothing is guarded, since a handler would interrupt its system calls.
 *
 * The kernel ends a process that faults while SIGBUS is blocked, handler or not.  So a thread
 * that blocks it must not touch the memory: bus_guard_allows_async.
 *
 * Files that are only read, those of the program and its libraries, are mapped by elfutils.
 * There the handler is installed just for the look-up (bus_guard_read), and puts a page of
 * zeros where one is missing, so that the look-up comes to its end, if to no good one.
 */
#ifndef TSPROF_BUS_GUARD_H
#define TSPROF_BUS_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { BUS_GUARD_MEMORIES = 2 /* at a time */ };

/*
 * Guards BYTES (whole pages) at MEMORY, a shared mapping, for good: when bus_guard_holds_async
 * is false the memory is private, at the same place with the same content, or zeros where that
 * could not be read.  False if it cannot be guarded: the caller must not use it.  Any context.
 */
bool bus_guard_async(void *memory, size_t bytes);

/*
 * Maps BYTES (whole pages) of FILE from OFFSET on to PLACE, which lies behind MEMORY, that is
 * guarded: from now on that reaches up to the end of these, if it did not before.  What lies
 * between is private memory that may be copied.  False, and nothing has changed, if the guard
 * does not hold, or without memory.  Any context.
 */
bool bus_guard_map_async(void *memory, void *place, size_t bytes, int file, off_t offset);

/*
 * Whether MEMORY is still the mapping of its file.  Ends the guard of all if the program has
 * installed another handler by the kernel's own interface.  Any context.
 */
bool bus_guard_holds_async(const void *memory);

/* Puts zeros in the place of MEMORY, if it is guarded, and guards it no more.  Any context. */
void bus_guard_drop_async(const void *memory);

/* Makes all memory private and restores the program's action for SIGBUS.  Any context. */
void bus_guard_end_async(void);

/*
 * Ends it in a child of fork, where other threads of the parent may have held the lock: drops
 * all memory.
 */
void bus_guard_forget_async(void);

/*
 * Calls WORK(ARGUMENT), which may read files through mappings that nobody else uses.  Pages
 * that are missing read as zeros.  Returns false if there were such: what WORK has found is
 * worth nothing, and neither are the mappings.  Pages of loaded modules are none of these.
 * SIGBUS is not blocked meanwhile; where the program ignores it nothing is guarded.  Program
 * context.
 */
bool bus_guard_read(void (*work)(void *argument), void *argument);

/* Ends the calling thread's bus_guard_read, which a jump has taken it out of.  Program context.
 */
void bus_guard_abandon(void);

/*
 * Whether the calling thread may touch the memory just now: it is private, or the thread does
 * not block SIGBUS.  One system call.  Any context.
 */
bool bus_guard_allows_async(void);

/* What bus_guard_yield_async keeps until bus_guard_resume_async. */
struct bus_guard_turn {
    unsigned long mask;
    bool taken;
};

/*
 * Puts the program's own action for SIGBUS into the kernel, if NUMBER is SIGBUS and something
 * is guarded, so that a function of the C library finds and changes that; to be followed by
 * bus_guard_resume_async.  In between all signals are blocked.  Any context.
 */
void bus_guard_yield_async(int number, struct bus_guard_turn *turn);
void bus_guard_resume_async(const struct bus_guard_turn *turn);

#endif
