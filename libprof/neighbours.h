/*
 * Whether the other processes of the job are measured too.
 *
 * Writing one summary together is collective: a process without tsprof would never join and the
 * job would hang.  Without its help only the operating system can tell, and only about
 * processes of the same machine.  Program context; reads /proc.
 */
#ifndef TSPROF_NEIGHBOURS_H
#define TSPROF_NEIGHBOURS_H

#include <stdbool.h>

/*
 * True if all SIZE processes of the job run on this machine and some are not measured.  All
 * processes of a job come to the same answer.  To be asked after MPI is initialised everywhere.
 */
bool neighbours_unmeasured(int size);

#endif
