/*
 * waits_neighbors.c: waits in collective operations among neighbours, which nobody else waits
 * in; see planted.h.
 */
#include "planted.h"

static int out[2 * RANKS], in[2 * RANKS];
static MPI_Comm comm;

/* All in a row. */
static void make_line(void)
{
    const int size = ranks, open = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &comm);
}

static void make_ring(void)
{
    const int size = ranks, closed = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &closed, 0, &comm);
}

/* Each receives from the rank before, and the first from nobody. */
static void make_chain(void)
{
    const int before = rank - 1, after = rank + 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, &before, MPI_UNWEIGHTED,
                                   rank + 1 < ranks, &after, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
}

static void free_comm(void)
{
    MPI_Comm_free(&comm);
}

static void exchange(void)
{
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
}

static void first_late(void)
{
    until(rank == 0 ? 2 : 0);
    mark(0);
    exchange();
}

static void last_late(void)
{
    until(rank == ranks - 1 ? 2 : 0);
    mark(0);
    exchange();
}

/* Of a chain of two only the last can wait. */
static void in_time(void)
{
    until(1);
    mark(0);
    exchange();
}

/* The wait lies in the call that completes it, if that is not late itself. */
static void start_late(double waited)
{
    MPI_Request request;
    until(rank == 0 ? 2 : 0);
    mark(0);
    MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm, &request);
    until(waited);
    mark(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void first_starts_late(void)
{
    start_late(0);
}

static void computed_meanwhile(void)
{
    start_late(3);
}

#define WAIT "mpi_wait_neighbors"

static const struct planted_case cases[] = {
    {"line", 4, first_late, {WAITS(WAIT, 1, 0, 0, 0)}, make_line, free_comm},
    {"ring",
     4,
     first_late,
     {WAITS(WAIT, 1, 0, 0, 0), WAITS(WAIT, 3, 0, 0, 0)},
     make_ring,
     free_comm},
    {"chain_first_late", 3, first_late, {WAITS(WAIT, 1, 0, 0, 0)}, make_chain, free_comm},
    {"chain_last_late", 3, last_late, {{0}}, make_chain, free_comm},
    {"chain_in_time", 2, in_time, {WAITS(WAIT, 1, 0, 0, 0)}, make_chain, free_comm},
    {"line_computed", 3, computed_meanwhile, {{0}}, make_line, free_comm},
    {"line_started_late",
     3,
     first_starts_late,
     {WAITS(WAIT "@MPI_Wait", 1, 1, 0, 0)},
     make_line,
     free_comm},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
