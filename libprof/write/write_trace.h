/*
 * Writes the events that the processes of a job have kept into one OTF2 archive beside their
 * summary, after the summary.  Program context; collective.
 */
#ifndef TSPROF_WRITE_TRACE_H
#define TSPROF_WRITE_TRACE_H

#include "assemble/hosts.h"
#include "assemble/resolve.h"
#include "library/library.h"
#include "timeline/timeline.h"

/* A thread, and the numbers in the summary of its call tree's nodes. */
struct traced_thread {
    const struct thread *thread;
    const uint32_t *nodes; /* perhaps with RESOLVED_LEFT_OUT; UINT32_MAX: not there */
};

/* What the trace needs to know about the program; start from all zeros. */
struct program_sections {
    struct encoder regions, calltree, phases;
};

/* Copies what DESCRIPTION holds, because the summary takes that for itself. */
void program_sections_copy(struct program_sections *program,
                           const struct description *description);
void program_sections_free(struct program_sections *program);

/* What of a process's side of the merge the trace needs. */
struct traced_process {
    const struct traced_thread *threads;
    size_t thread_count;
    const uint32_t *phases; /* number in the summary of each phase; UINT32_MAX: not there */
    uint32_t host;          /* likewise of its host */
    const struct program_sections *program; /* at process 0 */
    const struct hosts *hosts;              /* likewise */
    const char *summary;                    /* likewise: the name of its file, "" without one */
};

/*
 * Writes the archive, if events were kept.  PROCESS is NULL in a process that has nothing.
 * Failures are reported; they lose the trace and nothing else.  Returns false, in all processes
 * alike, if there is no archive because some do not see where it should be: then the events are
 * where each process has kept them, from which the archive can still be made.
 */
bool write_trace(struct rank_tree *ranks, const struct traced_process *process);

#endif
