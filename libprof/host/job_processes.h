/*
 * Where the other processes of the job are, and whether they are measured, too.
 *
 * Writing one summary together is collective: a process without tsprof would never join, and
 * the job would hang.  Such a process cannot be asked, so only the operating system can tell,
 * and only about processes on the same machine.  Program context; reads /proc.
 */
#ifndef TSPROF_JOB_PROCESSES_H
#define TSPROF_JOB_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

/* A process, as /proc describes it. */
struct process_facts {
    int pid;
    int parent;
    uint64_t started; /* in clock ticks since the machine's start; 0: unknown */
    char name[32];
};

/* Looks process PID up in /proc; false if that fails. */
bool job_processes_look_up(int pid, struct process_facts *facts);

/*
 * The pid of the process that started this one and the job's other processes on this machine,
 * whether directly or through shells and wrappers; of this process itself if nobody did.
 */
int job_processes_launcher(void);

/* How many processes of the job the launcher says it started on this machine; -1: it does not
 * say. */
int job_processes_here(void);

enum job_extent { JOB_IS_UNKNOWN, JOB_IS_NEAR, JOB_IS_SPREAD };

/*
 * Whether the launcher says that all SIZE processes of the job are on this machine, or that
 * some are on others.
 */
enum job_extent job_processes_extent(int size);

/*
 * True if all SIZE processes of the job run on this machine and some are not measured.  All
 * processes of a job get the same answer.  Call it after MPI is initialised in all of them.
 */
bool job_processes_unmeasured(int size);

#endif
