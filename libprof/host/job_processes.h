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
#include <stdint.h>

/* A process, as /proc tells of it. */
struct process_facts {
    int pid;
    int parent;
    uint64_t started; /* in clock ticks since the machine's start; 0: unknown */
    char name[32];
};

/* What is known of process PID; false if nothing is. */
bool job_processes_look_up(int pid, struct process_facts *facts);

/*
 * The process that started this one and the others of its job on this machine, be there shells
 * or wrappers in between; this one itself where nobody did.
 */
int job_processes_launcher(void);

/*
 * True if all SIZE processes of the job run on this machine and some are not measured.  All
 * processes of a job come to the same answer.  To be asked after MPI is initialised everywhere.
 */
bool job_processes_unmeasured(int size);

#endif
