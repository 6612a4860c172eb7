/*
 * waits_coll.c: waits in collectives, blocking or not, on communicators and intercommunicators,
 * planted, the other way round, and just not; see planted.h.
 */
#include "planted.h"

static int out[RANKS], in[RANKS], counts[RANKS], offsets[RANKS];
static MPI_Datatype types[RANKS];
static MPI_Request request;

/* Each operation with one int for or from each rank; with root 0 where there is one. */

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
    MPI_Bcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatter(void)
{
    MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatterv(void)
{
    MPI_Scatterv(out, counts, offsets, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void reduce(void)
{
    MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void gather(void)
{
    MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void gatherv(void)
{
    MPI_Gatherv(out, 1, MPI_INT, in, counts, offsets, MPI_INT, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(void)
{
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
}

static void allgatherv(void)
{
    MPI_Allgatherv(out, 1, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD);
}

static void alltoall(void)
{
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
}

static void alltoallv(void)
{
    MPI_Alltoallv(out, counts, offsets, MPI_INT, in, counts, offsets, MPI_INT, MPI_COMM_WORLD);
}

static void alltoallw(void)
{
    static const int bytes[RANKS] = {0, 4, 8, 12, 16, 20, 24, 28};
    MPI_Alltoallw(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD);
}

static void reduce_scatter(void)
{
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter_block(void)
{
    MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void scan(void)
{
    MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan(void)
{
    MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void ibarrier(void)
{
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
}

static void iallreduce(void)
{
    MPI_Iallreduce(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
}

static void ibcast(void)
{
    MPI_Ibcast(in, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
}

/* Rank 0 comes two steps late, or another rank; or both at the same time. */
static void at(double first, double others, void (*operation)(void))
{
    for (int i = 0; i < RANKS; i++) {
        counts[i] = 1;
        offsets[i] = i;
        types[i] = MPI_INT;
    }
    until(rank == 0 ? first : others);
    mark(0);
    operation();
}

#define FIRST_LATE(operation)                                                                  \
    static void operation##_late(void)                                                         \
    {                                                                                          \
        at(2, 0, operation);                                                                   \
    }
#define OTHER_LATE(operation)                                                                  \
    static void operation##_early(void)                                                        \
    {                                                                                          \
        at(0, 2, operation);                                                                   \
    }
#define IN_TIME(operation)                                                                     \
    static void operation##_in_time(void)                                                      \
    {                                                                                          \
        at(1, 1, operation);                                                                   \
    }

FIRST_LATE(barrier)
OTHER_LATE(barrier)
IN_TIME(barrier)
FIRST_LATE(bcast)
OTHER_LATE(bcast)
IN_TIME(bcast)
FIRST_LATE(scatter)
OTHER_LATE(scatter)
FIRST_LATE(scatterv)
FIRST_LATE(reduce)
OTHER_LATE(reduce)
IN_TIME(reduce)
OTHER_LATE(gather)
FIRST_LATE(gather)
OTHER_LATE(gatherv)
FIRST_LATE(allreduce)
OTHER_LATE(allreduce)
IN_TIME(allreduce)
FIRST_LATE(allgather)
FIRST_LATE(allgatherv)
FIRST_LATE(alltoall)
FIRST_LATE(alltoallv)
FIRST_LATE(alltoallw)
FIRST_LATE(reduce_scatter)
FIRST_LATE(reduce_scatter_block)
FIRST_LATE(scan)
OTHER_LATE(scan)
IN_TIME(scan)
FIRST_LATE(exscan)

/* Started at 0 or two steps later, waited for at WAITED by the others. */
static void not_blocking(double waited, void (*operation)(void))
{
    at(2, 0, operation);
    until(rank == 0 ? 2 : waited);
    mark(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ibarrier_late(void)
{
    not_blocking(1, ibarrier);
}

static void ibarrier_in_time(void)
{
    not_blocking(3, ibarrier);
}

static void iallreduce_late(void)
{
    not_blocking(1, iallreduce);
}

static void ibcast_late(void)
{
    not_blocking(1, ibcast);
}

static void ibarrier_tested(void)
{
    at(2, 0, ibarrier);
    for (int flag = 0; !flag;)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

/* Rank 0 is late because it assembles. */
static void caused(void (*operation)(void))
{
    mark(1);
    if (rank == 0)
        assemble(2);
    at(2, 0, operation);
}

static void barrier_caused(void)
{
    caused(barrier);
}

static void allreduce_caused(void)
{
    caused(allreduce);
}

static void bcast_caused(void)
{
    caused(bcast);
}

/* Rank 1 is late for the root. */
static void reduce_caused(void)
{
    mark(1);
    if (rank == 1)
        assemble(2);
    at(0, 2, reduce);
}

/* Rank 1 comes one step late, rank 2 two. */
static void stairs(void (*operation)(void))
{
    until(rank);
    mark(0);
    operation();
}

static void barrier_stairs(void)
{
    stairs(barrier);
}

static void scan_stairs(void)
{
    until(2 - rank);
    mark(0);
    scan();
}

/* The root waits for the first of the others only, but longer than that. */
static void gather_stairs(void)
{
    stairs(gather);
}

/* Between even ranks and odd ones. */
static MPI_Comm inter, half;

static void make_inter(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
}

static void free_inter(void)
{
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void inter_barrier(void)
{
    MPI_Barrier(inter);
}

static void inter_allreduce(void)
{
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, inter);
}

static void inter_bcast(void)
{
    MPI_Bcast(in, 1, MPI_INT, rank == 0 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 0, inter);
}

FIRST_LATE(inter_barrier)
FIRST_LATE(inter_allreduce)
FIRST_LATE(inter_bcast)

#define BARRIER "mpi_barrier_wait"
#define NXN     "mpi_wait_nxn"
#define ROOT    "mpi_latebroadcast"
#define REDUCE  "mpi_earlyreduce"
#define SCAN    "mpi_earlyscan"

#define LATE(operation, metric)                                                                \
    {                                                                                          \
#operation "_late", 2, operation##_late, {WAITS(metric, 1, 0, 0, 0) }, NULL, NULL      \
    }
#define EARLY(operation, metric)                                                               \
    {                                                                                          \
#operation "_early", 2, operation##_early, {WAITS(metric, 0, 0, 1, 0) }, NULL, NULL    \
    }
#define CAUSE(operation, metric, delay)                                                        \
    {                                                                                          \
#operation "_caused", 2, operation##_caused,                                           \
            {WAITS(metric, 1, 0, 0, 0), WAITS(delay "@assemble", 0, 1, 0, 0),                  \
             WAITS("critical_path@assemble", 0, 1, 0, 0) },                                    \
             NULL, NULL                                                                        \
    }
#define NOBODY(name)                                                                           \
    {                                                                                          \
#name, 2, name, {{0 } }, NULL, NULL                                                    \
    }

static const struct planted_case cases[] = {
    LATE(barrier, BARRIER),
    EARLY(barrier, BARRIER),
    {"barrier_in_time", 2, barrier_in_time, {EITHER(BARRIER, 0)}},
    LATE(bcast, ROOT),
    NOBODY(bcast_early),
    {"bcast_in_time", 2, bcast_in_time, {WAITS(ROOT, 1, 0, 0, 0)}},
    LATE(scatter, ROOT),
    NOBODY(scatter_early),
    LATE(scatterv, ROOT),
    NOBODY(reduce_late),
    EARLY(reduce, REDUCE),
    {"reduce_in_time", 2, reduce_in_time, {WAITS(REDUCE, 0, 0, 1, 0)}},
    EARLY(gather, REDUCE),
    NOBODY(gather_late),
    EARLY(gatherv, REDUCE),
    LATE(allreduce, NXN),
    EARLY(allreduce, NXN),
    {"allreduce_in_time", 2, allreduce_in_time, {EITHER(NXN, 0)}},
    LATE(allgather, NXN),
    LATE(allgatherv, NXN),
    LATE(alltoall, NXN),
    LATE(alltoallv, NXN),
    LATE(alltoallw, NXN),
    LATE(reduce_scatter, NXN),
    LATE(reduce_scatter_block, NXN),
    LATE(scan, SCAN),
    NOBODY(scan_early),
    {"scan_in_time", 2, scan_in_time, {WAITS(SCAN, 1, 0, 0, 0)}},
    LATE(exscan, SCAN),
    {"ibarrier_late", 2, ibarrier_late, {WAITS(BARRIER "@MPI_Wait", 1, 1, 0, 0)}},
    NOBODY(ibarrier_in_time),
    NOBODY(ibarrier_tested),
    {"iallreduce_late", 2, iallreduce_late, {WAITS(NXN "@MPI_Wait", 1, 1, 0, 0)}},
    {"ibcast_late", 2, ibcast_late, {WAITS(ROOT "@MPI_Wait", 1, 1, 0, 0)}},
    CAUSE(barrier, BARRIER, "delay_barrier"),
    CAUSE(allreduce, NXN, "delay_n2n"),
    CAUSE(bcast, ROOT, "delay_12n"),
    {"reduce_caused",
     2,
     reduce_caused,
     {WAITS(REDUCE, 0, 0, 1, 0), WAITS("delay_n21@assemble", 1, 1, 1, 0),
      WAITS("critical_path@assemble", 1, 1, 1, 0)}},
    {"barrier_stairs",
     3,
     barrier_stairs,
     {WAITS(BARRIER, 0, 0, 2, 0), WAITS(BARRIER, 1, 0, 2, 0)}},
    {"scan_stairs", 3, scan_stairs, {WAITS(SCAN, 1, 0, 0, 0), WAITS(SCAN, 2, 0, 0, 0)}},
    {"gather_stairs", 3, gather_stairs, {WAITS(REDUCE, 0, 0, 1, 0)}},
    {"inter_barrier_late",
     4,
     inter_barrier_late,
     {WAITS(BARRIER, 1, 0, 0, 0), WAITS(BARRIER, 3, 0, 0, 0)},
     make_inter,
     free_inter},
    {"inter_allreduce_late",
     4,
     inter_allreduce_late,
     {WAITS(NXN, 1, 0, 0, 0), WAITS(NXN, 3, 0, 0, 0)},
     make_inter,
     free_inter},
    {"inter_bcast_late",
     4,
     inter_bcast_late,
     {WAITS(ROOT, 1, 0, 0, 0), WAITS(ROOT, 3, 0, 0, 0)},
     make_inter,
     free_inter},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
