/*
 * Interposes pthread_create, so that a new thread is measured from its first instruction on, as
 * a part of the iteration that its creator is in.
 *
 * The new thread begins in a function of tsprof that then jumps to the program's, so that no
 * frame of tsprof is left on its stack.  Threads that the MPI library creates for itself are
 * not measured.
 */
#ifndef TSPROF_SPAWN_H
#define TSPROF_SPAWN_H

#include <stdint.h>

/*
 * Makes the threads that exist already part of the measurement from NS on.  Called once, by the
 * thread that starts the measurement.
 */
void spawn_join_early(int64_t ns);

#endif
