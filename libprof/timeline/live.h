/*
 * Where a thread is, for those who look from outside: the live fields of a thread record in the
 * process's part (doc/parts.md), written where the thread enters and leaves MPI.
 *
 * Every MPI call pays for this, so it is two or three stores and no more.  Until there is a
 * part, they go to memory of the thread's own that nobody else sees.  Only the thread itself,
 * or a signal handler on it, may call these functions.
 */
#ifndef TSPROF_LIVE_H
#define TSPROF_LIVE_H

#include "common/part_format.h"

#include <stdint.h>

/* The first 64 bytes of a thread record, as doc/parts.md describes them. */
struct live {
    uint32_t used;
    uint32_t os_id;
    uint64_t since_ticks;
    uint64_t caller;
    uint32_t call; /* number of the MPI function + 1 */
    uint32_t zero;
    uint32_t node;    /* number of the node + 1 */
    uint32_t seen_in; /* enum part_seen */
    uint64_t seen_ns;
    uint64_t log;
    uint64_t zero_too;
};

_Static_assert(sizeof(struct live) == 64 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the record is as it lies in the file");

/* The thread enters MPI function CALL, called from address CALLER, at TICKS of the clock. */
static inline void live_enter_async(struct live *live, uint32_t call, uint64_t ticks,
                                    uintptr_t caller)
{
    __atomic_store_n(&live->since_ticks, ticks, __ATOMIC_RELEASE);
    __atomic_store_n(&live->caller, caller, __ATOMIC_RELEASE);
    __atomic_store_n(&live->call, call + 1, __ATOMIC_RELEASE);
}

/* The thread has left MPI. */
static inline void live_leave_async(struct live *live)
{
    __atomic_store_n(&live->call, 0, __ATOMIC_RELEASE);
}

/*
 * At NS the thread was in NODE of its call tree, which is in the part's log.  The time is
 * written last; doc/parts.md says why.
 */
static inline void live_seen_async(struct live *live, enum part_seen place, uint32_t node,
                                   int64_t ns)
{
    __atomic_store_n(&live->node, node + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&live->seen_in, (uint32_t)place, __ATOMIC_RELEASE);
    __atomic_store_n(&live->seen_ns, (uint64_t)ns, __ATOMIC_RELEASE);
}

#endif
