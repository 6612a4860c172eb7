/*
 * Who the events are of: tables that the caller makes and keeps while the analysis lasts.
 */
#ifndef TSPROF_REPLAY_WORLD_H
#define TSPROF_REPLAY_WORLD_H

#include "common/metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_region {
    enum metric metric; /* that its own time belongs to */
    bool is_mpi;        /* a call of MPI */
    bool may_wait;      /* it blocks: false for MPI_Test, MPI_Isend and the like */
    bool is_init, is_finalize;
    enum call_role {
        ROLE_NONE,
        ROLE_POST,
        ROLE_START,
        ROLE_COMPLETE,
        ROLE_WAIT,
        ROLE_UNLOCK,
        ROLE_MPROBE,
        ROLE_MRECV,
        ROLE_BUFFERED_SEND,
        ROLE_SYNCHRONOUS_SEND,
        ROLE_FILE_BEGIN /* of an operation on a file that another call ends */
    } role;
    const char *name; /* NULL: "" */
};

struct replay_comm {
    const uint32_t *members, *others; /* processes by rank; `others`: of the remote group */
    size_t member_count, other_count;
};

/* A Cartesian grid of processes, as MPI_Cart_create makes them. */
struct replay_grid {
    const uint32_t *sizes; /* by dimension */
    unsigned dimensions;
    const uint32_t *places; /* by process, then dimension; REPLAY_NONE as the first: it is not
                               in the grid */
};

struct replay_world {
    const struct replay_region *regions;
    size_t region_count;
    const uint32_t *processes; /* by thread */
    size_t thread_count, process_count;
    size_t rank_count;     /* of the processes, those that take part in MPI */
    const uint32_t *ranks; /* by process; REPLAY_NONE: none.  NULL: as processes are numbered */
    const struct replay_comm *comms;
    size_t comm_count;
    const struct replay_grid *grids;
    size_t grid_count;
    bool has_windows; /* of one-sided communication; false: there may still be some, as long as
                         nobody shares the analysis */
    bool has_master;  /* process `master` distributes work; else one that seems to is found */
    uint32_t master;
};

#endif
