/*
 * What the wrappers remember from one MPI call of a thread to the next.  For the thread that
 * holds the context.
 */
#ifndef TSPROF_CALL_MEMORY_H
#define TSPROF_CALL_MEMORY_H

#include "calls/calls.h"
#include "host/host.h"

#include <stdint.h>

enum { RECENT_LEAVES = 512 };

/*
 * A node of an MPI call that was found lately, so that the next call with the same path finds
 * it.
 */
struct recent_leaf {
    uint64_t site;
    uint32_t parent;
    uint32_t call;
    uint32_t node; /* 0: none yet */
};

struct call_memory {
    int32_t walk_debt_ns[CALL_COUNT];         /* see throttle.h */
    struct recent_leaf recent[RECENT_LEAVES]; /* a hash table by MPI function, site and path */
    void *waiting; /* for the requests that a call waits for, see wrappers/mpi_requests.c */
    size_t waiting_bytes;
    int waiting_count; /* number of requests that the last call has looked up there */
};

#endif
