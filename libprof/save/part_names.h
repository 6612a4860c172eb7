/*
 * What the part of this process and its directory are called (doc/parts.md): the same directory
 * for all processes of one launch on one machine, without asking any of them.  Program context;
 * reads /proc and the environment.
 */
#ifndef TSPROF_PART_NAMES_H
#define TSPROF_PART_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct part_names {
    char directory[4096]; /* beside the summary, or in TSPROF_TMPDIR */
    char fallback[4096];  /* where that cannot be made */
    char file[256];
    char key[128];
    char host[128];
    uint64_t started; /* when this process was; see job_processes.h */
};

/* The names for a process of RANK, below 0 if unknown, in a world of RANKS. */
void part_names_find(struct part_names *names, int rank, int ranks);

#endif
