/*
 * Threads from their first instruction on: pthread_create is interposed so that a new thread
 * is measured, and known to be part of the iteration that its creator is in.
 *
 * The new thread begins in a function of ours that jumps to the program's: no frame of tsprof
 * is left on its stack.  Threads that the MPI library makes for itself are its own affair.
 */
#ifndef TSPROF_SPAWN_H
#define TSPROF_SPAWN_H

#include <stdint.h>

/*
 * Has the threads that exist already join the measurement at NS.  Once, when it starts, by the
 * thread that starts it.
 */
void spawn_join_early(int64_t ns);

#endif
