/* What the MPI calls of a thread keep in memory.  By the thread that holds the context. */
#ifndef TSPROF_CALL_MEMORY_H
#define TSPROF_CALL_MEMORY_H

#include "calls/calls.h"
#include "host/host.h"

#include <stdint.h>

enum { RECENT_LEAVES = 512 };

/* A node of an MPI call that was found: the next call of the same path needs no search. */
struct recent_leaf {
    uint64_t site;
    uint32_t parent;
    uint32_t call;
    uint32_t node; /* 0: none yet */
};

struct call_memory {
    int32_t walk_debt_ns[CALL_COUNT];         /* see thrift.h */
    struct recent_leaf recent[RECENT_LEAVES]; /* by MPI function, place and path, mixed */
    void *waiting; /* room for the requests that a call waits for, see mpi_requests.c */
    size_t waiting_bytes;
    int waiting_count; /* requests that the last call has looked up there */
};

#endif
