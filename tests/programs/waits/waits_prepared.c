/*
 * waits_prepared.c: waits for what is prepared once and then started, messages in partitions
 * and persistent collectives, planted, the other way round, and just not; see planted.h.
 *
 * All of it is new in MPI 4.
 */
#define PLANTED_THREADS MPI_THREAD_MULTIPLE
#include "planted.h"

#define LATE_SENDER   "mpi_latesender@MPI_Wait"
#define LATE_RECEIVER "mpi_latereceiver@MPI_Wait"
#define BARRIER       "mpi_barrier_wait@MPI_Wait"
#define NXN           "mpi_wait_nxn@MPI_Wait"
#define ROOT          "mpi_latebroadcast@MPI_Wait"
#define REDUCE        "mpi_earlyreduce@MPI_Wait"
#define SCAN          "mpi_earlyscan@MPI_Wait"
#define NEIGHBORS     "mpi_wait_neighbors@MPI_Wait"

#if MPI_VERSION >= 4

#include <pthread.h>

/* A message in partitions from rank 0 to rank 1. */
enum { PARTS = 3, EACH = SMALL };

static char buffer[PARTS * EACH];
static MPI_Request request;

static void prepare_parts(void)
{
    if (rank == 0)
        MPI_Psend_init(buffer, PARTS, EACH, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    else
        MPI_Precv_init(buffer, PARTS, EACH, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
}

static void forget(void)
{
    MPI_Request_free(&request);
}

/* Marks what begins, so that the first mark of a round is FROM. */
static void start(int from)
{
    mark(from);
    MPI_Start(&request);
}

static void complete(int from)
{
    mark(from + 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The first parts are ready at once, the last at step LAST. */
static void fill(double last, int from)
{
    MPI_Pready_range(0, PARTS - 2, request);
    until(last);
    mark(from + 2);
    MPI_Pready(PARTS - 1, request);
}

/* Rank 0 starts at SENT, and its last part is ready at LAST; rank 1 starts at RECEIVED and
 * waits from WAITED on.  Rank 0 waits as soon as all is ready. */
static void parts(double sent, double last, double received, double waited, int from)
{
    until(rank == 0 ? sent : received);
    start(from);
    if (rank == 0)
        fill(last, from);
    else
        until(waited);
    complete(from);
}

static void parts_late(void)
{
    parts(0, 3, 0, 1, 0);
}

static void parts_started_late(void)
{
    parts(2, 2, 0, 0, 0);
}

static void parts_early(void)
{
    parts(0, 1, 0, 3, 0);
}

static void parts_in_time(void)
{
    parts(0, 1, 0, 1, 0);
}

static void parts_late_receiver(void)
{
    parts(0, 0, 2, 2, 0);
}

/* Started again, the sender is late by something else. */
static void parts_again(void)
{
    parts(0, 2, 0, 1, 0);
    parts(3, 6, 3, 4, 3);
}

/* They become ready one by one, the last one first; rank 1 looks whether the first to come is
 * there before it waits for all. */
static void parts_one_by_one(void)
{
    int there = rank == 0;
    until(0);
    start(0);
    for (int part = PARTS - 1; rank == 0 && part >= 0; part--) {
        until(PARTS - part);
        mark(2);
        MPI_Pready(part, request);
    }
    while (!there)
        MPI_Parrived(request, PARTS - 1, &there);
    complete(0);
}

/* Who only looks does not wait. */
static void parts_polled(void)
{
    until(0);
    start(0);
    if (rank == 0)
        fill(2, 0);
    for (int part = 0; rank == 1 && part < PARTS; part++)
        for (int there = 0; !there;)
            MPI_Parrived(request, part, &there);
    complete(0);
}

/* A thread has the last part. */
static void *fill_late(void *unused)
{
    fill(2, 0);
    return unused;
}

static void parts_of_thread(void)
{
    pthread_t thread;
    until(0);
    start(0);
    if (rank == 0 && pthread_create(&thread, NULL, fill_late, NULL) == 0)
        pthread_join(thread, NULL);
    complete(0);
}

/* Persistent collectives */

static int out[RANKS], in[RANKS];
static MPI_Comm line;

static void prepare_barrier(void)
{
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void prepare_allreduce(void)
{
    MPI_Allreduce_init(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void prepare_bcast(void)
{
    MPI_Bcast_init(in, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void prepare_reduce(void)
{
    MPI_Reduce_init(out, in, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void prepare_scan(void)
{
    MPI_Scan_init(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static void prepare_exchange(void)
{
    const int size = ranks, open = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, line, MPI_INFO_NULL, &request);
}

static void forget_exchange(void)
{
    forget();
    MPI_Comm_free(&line);
}

/* Rank 0 starts at FIRST, others at OTHERS; they wait from WAITED on, or at once. */
static void collective(double first, double others, double waited)
{
    until(rank == 0 ? first : others);
    start(0);
    until(waited);
    complete(0);
}

static void first_late(void)
{
    collective(2, 0, 0);
}

static void others_late(void)
{
    collective(0, 2, 0);
}

static void computed(void)
{
    collective(2, 0, 3);
}

static void in_time(void)
{
    collective(1, 1, 1);
}

static void twice(void)
{
    first_late();
    until(rank == 0 ? 3 : 5);
    start(3);
    complete(3);
}

#define PARTS_CASE(name, ...)                                                                  \
    {                                                                                          \
#name, 2, name, {__VA_ARGS__ }, prepare_parts, forget, NULL                            \
    }
#define COLLECTIVE(name, run, prepare, ...)                                                    \
    {                                                                                          \
#name, 2, run, {__VA_ARGS__ }, prepare, forget, NULL                                   \
    }
#define EXCHANGE(name, run, ...)                                                               \
    {                                                                                          \
#name, 4, run, {__VA_ARGS__ }, prepare_exchange, forget_exchange, NULL                 \
    }

#else

#define NOT_HERE(name)                                                                         \
    {                                                                                          \
#name, 2, NULL, {{0 } }, NULL, NULL, "MPI 4"                                           \
    }
#define PARTS_CASE(name, ...)               NOT_HERE(name)
#define COLLECTIVE(name, run, prepare, ...) NOT_HERE(name)
#define EXCHANGE(name, run, ...)            NOT_HERE(name)

#endif

static const struct planted_case cases[] = {
    PARTS_CASE(parts_late, WAITS(LATE_SENDER, 1, 1, 0, 2)),
    PARTS_CASE(parts_started_late, WAITS(LATE_SENDER, 1, 1, 0, 2)),
    PARTS_CASE(parts_early, {0}),
    PARTS_CASE(parts_in_time, WAITS(LATE_SENDER, 1, 1, 0, 2)),
    PARTS_CASE(parts_late_receiver, WAITS(LATE_RECEIVER, 0, 1, 1, 0)),
    PARTS_CASE(parts_again, WAITS(LATE_SENDER, 1, 1, 0, 2), WAITS(LATE_SENDER, 1, 4, 0, 5)),
    PARTS_CASE(parts_one_by_one, WAITS(LATE_SENDER, 1, 1, 0, 2)),
    PARTS_CASE(parts_polled, {0}),
    PARTS_CASE(parts_of_thread, WAITS(LATE_SENDER, 1, 1, 0, 2)),
    COLLECTIVE(barrier_late, first_late, prepare_barrier, WAITS(BARRIER, 1, 1, 0, 0)),
    COLLECTIVE(barrier_early, others_late, prepare_barrier, WAITS(BARRIER, 0, 1, 1, 0)),
    COLLECTIVE(barrier_computed, computed, prepare_barrier, {0}),
    COLLECTIVE(barrier_in_time, in_time, prepare_barrier, WAITS(BARRIER, 0, 1, 1, 0),
               WAITS(BARRIER, 1, 1, 0, 0)),
    COLLECTIVE(barrier_twice, twice, prepare_barrier, WAITS(BARRIER, 1, 1, 0, 0),
               WAITS(BARRIER, 0, 4, 1, 3)),
    COLLECTIVE(allreduce_late, first_late, prepare_allreduce, WAITS(NXN, 1, 1, 0, 0)),
    COLLECTIVE(allreduce_computed, computed, prepare_allreduce, {0}),
    COLLECTIVE(bcast_late, first_late, prepare_bcast, WAITS(ROOT, 1, 1, 0, 0)),
    COLLECTIVE(bcast_early, others_late, prepare_bcast, {0}),
    COLLECTIVE(bcast_computed, computed, prepare_bcast, {0}),
    COLLECTIVE(reduce_late, first_late, prepare_reduce, {0}),
    COLLECTIVE(reduce_early, others_late, prepare_reduce, WAITS(REDUCE, 0, 1, 1, 0)),
    COLLECTIVE(scan_late, first_late, prepare_scan, WAITS(SCAN, 1, 1, 0, 0)),
    COLLECTIVE(scan_early, others_late, prepare_scan, {0}),
    EXCHANGE(exchange_late, first_late, WAITS(NEIGHBORS, 1, 1, 0, 0)),
    EXCHANGE(exchange_computed, computed, {0}),
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
