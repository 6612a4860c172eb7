/*
 * Names the part of this process and its directory (doc/parts.md).  All processes of one launch
 * on one machine find the same directory, without asking each other.  Program context; reads
 * /proc and the environment.
 */
#ifndef TSPROF_PART_NAMES_H
#define TSPROF_PART_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct part_names {
    char directory[4096]; /* beside the summary, or in TSPROF_TMPDIR */
    char fallback[4096];  /* used if DIRECTORY cannot be created */
    char file[256];
    char key[128];
    char host[128];
    uint64_t host_identity; /* see common/host_identity.h */
    uint64_t started;       /* start time of this process, see job_processes.h */
};

/*
 * Fills NAMES for a process of RANK (negative if unknown) in a world of RANKS.  A path that is
 * too long becomes empty.
 */
void part_names_find(struct part_names *names, int rank, int ranks);

#endif
