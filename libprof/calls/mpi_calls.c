/* See mpi_calls.h. */
#include "calls/mpi_calls.h"

#include "host/host.h"

#include <string.h>

#include <stddef.h>

/* The layout for each rule of the table. */
#define LAYOUT_OF_NOTHING                   LAYOUT_NOTHING
#define LAYOUT_OF_SEND(...)                 LAYOUT_SEND
#define LAYOUT_OF_BARRIER(...)              LAYOUT_BARRIER
#define LAYOUT_OF_BCAST(...)                LAYOUT_COLLECTIVE
#define LAYOUT_OF_GATHER(...)               LAYOUT_COLLECTIVE
#define LAYOUT_OF_GATHERV(...)              LAYOUT_COLLECTIVE
#define LAYOUT_OF_SCATTER(...)              LAYOUT_COLLECTIVE
#define LAYOUT_OF_SCATTERV(...)             LAYOUT_COLLECTIVE
#define LAYOUT_OF_ALLGATHER(...)            LAYOUT_COLLECTIVE
#define LAYOUT_OF_ALLGATHERV(...)           LAYOUT_COLLECTIVE
#define LAYOUT_OF_ALLTOALL(...)             LAYOUT_COLLECTIVE
#define LAYOUT_OF_ALLTOALLV(...)            LAYOUT_COLLECTIVE
#define LAYOUT_OF_ALLTOALLW(...)            LAYOUT_COLLECTIVE
#define LAYOUT_OF_REDUCE(...)               LAYOUT_COLLECTIVE
#define LAYOUT_OF_ALLREDUCE(...)            LAYOUT_COLLECTIVE
#define LAYOUT_OF_REDUCE_SCATTER(...)       LAYOUT_COLLECTIVE
#define LAYOUT_OF_REDUCE_SCATTER_BLOCK(...) LAYOUT_COLLECTIVE
#define LAYOUT_OF_SCAN(...)                 LAYOUT_COLLECTIVE
#define LAYOUT_OF_EXSCAN(...)               LAYOUT_COLLECTIVE
#define LAYOUT_OF_NEIGHBOR(...)             LAYOUT_COLLECTIVE
#define LAYOUT_OF_NEIGHBOR_ALLGATHERV(...)  LAYOUT_COLLECTIVE
#define LAYOUT_OF_NEIGHBOR_ALLTOALLV(...)   LAYOUT_COLLECTIVE
#define LAYOUT_OF_NEIGHBOR_ALLTOALLW(...)   LAYOUT_COLLECTIVE
#define LAYOUT_OF_PUT(...)                  LAYOUT_PUT
#define LAYOUT_OF_GET(...)                  LAYOUT_GET
#define LAYOUT_OF_ATOMIC(...)               LAYOUT_ATOMIC
#define LAYOUT_OF_COMPARE_AND_SWAP(...)     LAYOUT_ATOMIC
#define LAYOUT_OF_ATOMIC_FETCH(...)         LAYOUT_ATOMIC
#define LAYOUT_OF_TOPOLOGY(...)             LAYOUT_NOTHING
#define LAYOUT_OF_NAME(...)                 LAYOUT_NOTHING
#define LAYOUT_OF_RMA_FENCE(...)            LAYOUT_RMA_EPOCH
#define LAYOUT_OF_RMA_EPOCH(...)            LAYOUT_RMA_EPOCH
#define LAYOUT_OF_RMA_SYNC(...)             LAYOUT_RMA_SYNC
#define LAYOUT_OF_RMA_SYNC_ALL(...)         LAYOUT_RMA_SYNC
#define LAYOUT_OF_RMA_LOCK(...)             LAYOUT_RMA_SYNC
#define LAYOUT_OF_RMA_END(...)              LAYOUT_NOTHING
#define LAYOUT_OF_RMA_TEST(...)             LAYOUT_NOTHING
#define LAYOUT_OF_COMM(...)                 LAYOUT_NOTHING
#define LAYOUT_OF_WINDOW(...)               LAYOUT_NOTHING
#define LAYOUT_OF_FILE_OPEN(...)            LAYOUT_NOTHING
#define LAYOUT_OF_READY(...)                LAYOUT_NOTHING
#define LAYOUT_OF_MESSAGE(...)              LAYOUT_NOTHING
#define LAYOUT_OF_FILE_READ(...)            LAYOUT_FILE_READ
#define LAYOUT_OF_FILE_WRITE(...)           LAYOUT_FILE_WRITE
#define LAYOUT_OF_FILE_READ_BEGIN(...)      LAYOUT_NOTHING
#define LAYOUT_OF_FILE_WRITE_BEGIN(...)     LAYOUT_NOTHING
#define LAYOUT_OF_FILE_READ_END(...)        LAYOUT_FILE_READ
#define LAYOUT_OF_FILE_WRITE_END(...)       LAYOUT_FILE_WRITE
#define LAYOUT_OF_STARTS(...)               LAYOUT_NOTHING
#define LAYOUT_OF_PREPARES(...)             LAYOUT_NOTHING
#define LAYOUT_OF_AT_ONCE(request, rule)    LAYOUT_OF_##rule
#define LAYOUT_OF_EXCHANGES(...)            LAYOUT_SEND

#define MPI_CALLS_EVERY

/*
 * All names and groups in one object; the table has their offsets in it, which need no
 * relocation.
 */
static const struct texts {
#define MPI_CALL(type, name, group, time, params, args, rule)                                  \
    char name_##name[sizeof #name];                                                            \
    char group_##name[sizeof #group];
#define MPI_CALL_PREINIT MPI_CALL
#define MPI_CALL_STATUS  MPI_CALL
#define MPI_CALL_BY_HAND(type, name, group, time, params, args)                                \
    MPI_CALL(type, name, group, time, params, args, )
#include "calls/mpi_calls.def"
#undef MPI_CALL
#undef MPI_CALL_PREINIT
#undef MPI_CALL_STATUS
#undef MPI_CALL_BY_HAND
} texts = {
#define MPI_CALL(type, name, group, time, params, args, rule)   #name, #group,
#define MPI_CALL_PREINIT                                        MPI_CALL
#define MPI_CALL_STATUS                                         MPI_CALL
#define MPI_CALL_BY_HAND(type, name, group, time, params, args) #name, #group,
#include "calls/mpi_calls.def"
#undef MPI_CALL
#undef MPI_CALL_PREINIT
#undef MPI_CALL_STATUS
#undef MPI_CALL_BY_HAND
};

#define ROW(name, time, layout)                                                                \
    [CALL_##name] = {offsetof(struct texts, name_##name),                                      \
                     offsetof(struct texts, group_##name),                                     \
                     METRIC_##time,                                                            \
                     layout,                                                                   \
                     false,                                                                    \
                     true},

struct mpi_call_info mpi_call_table[CALL_COUNT] = {
#define MPI_CALL(type, name, group, time, params, args, rule)   ROW(name, time, LAYOUT_OF_##rule)
#define MPI_CALL_PREINIT                                        MPI_CALL
#define MPI_CALL_STATUS                                         MPI_CALL
#define MPI_CALL_BY_HAND(type, name, group, time, params, args) ROW(name, time, LAYOUT_NOTHING)
#include "calls/mpi_calls.def"
#undef MPI_CALL
#undef MPI_CALL_PREINIT
#undef MPI_CALL_STATUS
#undef MPI_CALL_BY_HAND
};

const char *mpi_call_name_async(enum mpi_call call)
{
    return (const char *)&texts + mpi_call_table[call].name;
}

const char *mpi_call_group_async(enum mpi_call call)
{
    return (const char *)&texts + mpi_call_table[call].group;
}

int mpi_call_named(const char *name, size_t length)
{
    for (int i = 0; i < CALL_COUNT; i++) {
        const char *known = mpi_call_name_async((enum mpi_call)i);
        if (!mpi_call_table[i].absent && strlen(known) == length &&
            memcmp(known, name, length) == 0)
            return i;
    }
    return -1;
}

void mpi_calls_start(void)
{
    static const struct {
        enum mpi_call call;
        enum layout layout;
    } by_hand[] = {
        {CALL_MPI_Recv, LAYOUT_RECV},
        {CALL_MPI_Mrecv, LAYOUT_RECV},
        {CALL_MPI_Sendrecv, LAYOUT_SENDRECV},
        {CALL_MPI_Sendrecv_replace, LAYOUT_SENDRECV},
        {CALL_MPI_Start, LAYOUT_SEND},
        {CALL_MPI_Startall, LAYOUT_SEND},
        {CALL_MPI_Wait, LAYOUT_COMPLETION},
        {CALL_MPI_Waitany, LAYOUT_COMPLETION},
        {CALL_MPI_Waitsome, LAYOUT_COMPLETION},
        {CALL_MPI_Waitall, LAYOUT_COMPLETION},
        {CALL_MPI_Test, LAYOUT_COMPLETION},
        {CALL_MPI_Testany, LAYOUT_COMPLETION},
        {CALL_MPI_Testsome, LAYOUT_COMPLETION},
        {CALL_MPI_Testall, LAYOUT_COMPLETION},
        {CALL_MPI_Request_get_status, LAYOUT_COMPLETION},
        {CALL_MPI_Recv_c, LAYOUT_RECV},
        {CALL_MPI_Mrecv_c, LAYOUT_RECV},
        {CALL_MPI_Sendrecv_c, LAYOUT_SENDRECV},
        {CALL_MPI_Sendrecv_replace_c, LAYOUT_SENDRECV},
    };
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++)
        mpi_call_table[by_hand[i].call].layout = (uint8_t)by_hand[i].layout;
    for (int i = 0; i < CALL_COUNT; i++)
        mpi_call_table[i].unwound =
            config_unwinds_group(mpi_call_group_async((enum mpi_call)i));
}
