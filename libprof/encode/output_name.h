/*
 * The name of the summary, made from TSPROF_OUTPUT.  Program context.
 *
 * Every function fills NAME, which has SIZE bytes; what does not fit is cut.
 */
#ifndef TSPROF_OUTPUT_NAME_H
#define TSPROF_OUTPUT_NAME_H

#include "host/host.h"

#include <stddef.h>

/*
 * Makes the name of the summary of a job of RANKS processes.  COPY is 0 for the first name to
 * try; 1, 2 and so on give the next ones, for when those before exist already.  SUFFIX goes
 * before the ending ".tsprof"; it is "" but for a process that writes a summary of its own.
 */
void output_name_find(int ranks, const char *suffix, int copy, char *name, size_t size);

/*
 * Makes the name without its ending.  The result is the same in all processes on this machine
 * that LAUNCHER has started: %j and %t are taken from LAUNCHER, not from this process.
 */
void output_name_find_shared(int ranks, const struct process_facts *launcher, char *name,
                             size_t size);

/*
 * Records that MPI_Comm_spawn started the job of this process.  Its summaries are then called
 * NAME.spawn1, NAME.spawn2 and so on, beside the summary of the job that started it.
 */
void output_name_set_spawned(void);

#endif
