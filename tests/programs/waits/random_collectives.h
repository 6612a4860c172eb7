/* Steps of waits_random.c: collective operations of every kind, and of neighbours. */
#ifndef RANDOM_COLLECTIVES_H
#define RANDOM_COLLECTIVES_H

#include "random_plan.h"

static MPI_Comm ring, graph;
static MPI_Datatype types[MOST_RANKS];
static int bytes_at[MOST_RANKS];

static void by_lengths(void)
{
    const int operation = draw(7), root = draw(program_ranks / 2);
    MPI_Comm comm = comms[draw(2)];
    compute();
    switch (operation) {
    case 0:
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
        break;
    case 1:
        MPI_Alltoallw(out, counts, bytes_at, types, in, counts, bytes_at, types, comm);
        break;
    case 2:
        MPI_Scatterv(out, counts, offsets, MPI_INT, in, 1, MPI_INT, root, comm);
        break;
    case 3:
        MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
        break;
    case 4:
        MPI_Allgatherv(out, 1, MPI_INT, in, counts, offsets, MPI_INT, comm);
        break;
    case 5:
        MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
        break;
    default:
        MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_SELF);
        break;
    }
}

/* The first of the even ranks is the root, or the first of the odd ones. */
static int root_between(int of_odd)
{
    if (program_rank % 2 != of_odd)
        return 0;
    return program_rank == of_odd ? MPI_ROOT : MPI_PROC_NULL;
}

static void between_groups(void)
{
    const int operation = draw(6), root = root_between(draw(2));
    compute();
    switch (operation) {
    case 0:
        MPI_Barrier(comms[2]);
        break;
    case 1:
        MPI_Bcast(out, 1, MPI_INT, root, comms[2]);
        break;
    case 2:
        MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, root, comms[2]);
        break;
    case 3:
        MPI_Reduce(out, in, 1, MPI_INT, MPI_SUM, root, comms[2]);
        break;
    case 4:
        MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, root, comms[2]);
        break;
    default:
        MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comms[2]);
        break;
    }
}

static void start_collective(int operation, int root, MPI_Comm comm, MPI_Request *request)
{
    switch (operation) {
    case 0:
        MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm, request);
        break;
    case 1:
        MPI_Igather(out, 1, MPI_INT, in, 1, MPI_INT, root, comm, request);
        break;
    case 2:
        MPI_Iscatter(out, 1, MPI_INT, in, 1, MPI_INT, root, comm, request);
        break;
    case 3:
        MPI_Iallgatherv(out, 1, MPI_INT, in, counts, offsets, MPI_INT, comm, request);
        break;
    case 4:
        MPI_Iscan(out, in, 1, MPI_INT, MPI_SUM, comm, request);
        break;
    case 5:
        MPI_Iexscan(out, in, 1, MPI_INT, MPI_SUM, comm, request);
        break;
    case 6:
        MPI_Ireduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, comm, request);
        break;
    case 7:
        MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, request);
        break;
    default:
        MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, graph, request);
        break;
    }
}

/* Others take place meanwhile. */
static void in_the_background(void)
{
    const int operation = draw(9), root = draw(program_ranks / 2), meanwhile = draw(3);
    MPI_Comm comm = comms[draw(2)];
    MPI_Request request;
    int done = 0;
    const bool tests = draw(4) == 0;
    compute();
    start_collective(operation, root, comm, &request);
    compute();
    if (meanwhile == 0)
        MPI_Allreduce(out + 4, memory, 1, MPI_INT, MPI_SUM, comms[0]);
    compute();
    while (tests && !done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        rest();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void of_neighbors(void)
{
    const int operation = draw(3);
    compute();
    if (operation == 0)
        MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
    else if (operation == 1)
        MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, graph);
    else
        MPI_Neighbor_alltoallw(out, counts, (const MPI_Aint[MOST_RANKS]){0}, types, in, counts,
                               (const MPI_Aint[MOST_RANKS]){0}, types, ring);
}

#if MPI_VERSION >= 4
static void again_and_again(void)
{
    const int operation = draw(4), root = draw(program_ranks);
    MPI_Request request;
    compute();
    if (operation == 0)
        MPI_Barrier_init(comms[0], MPI_INFO_NULL, &request);
    else if (operation == 1)
        MPI_Bcast_init(out, 1, MPI_INT, root, comms[0], MPI_INFO_NULL, &request);
    else if (operation == 2)
        MPI_Allreduce_init(out, in, 1, MPI_INT, MPI_SUM, comms[0], MPI_INFO_NULL, &request);
    else
        MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, MPI_INFO_NULL,
                                   &request);
    for (int i = 0; i < 2; i++) {
        compute();
        MPI_Start(&request);
        compute();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}
#else
#define again_and_again in_the_background
#endif

/* Each receives from the one before it in the graph, and the first from nobody. */
static void make_neighbors(void)
{
    const int closed = 1, before = program_rank - 1, after = program_rank + 1;
    MPI_Cart_create(comms[0], 1, &program_ranks, &closed, 0, &ring);
    MPI_Dist_graph_create_adjacent(comms[0], program_rank > 0, &before, MPI_UNWEIGHTED,
                                   after < program_ranks, &after, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &graph);
    for (int i = 0; i < MOST_RANKS; i++) {
        types[i] = MPI_INT;
        bytes_at[i] = i * (int)sizeof(int);
    }
}

static void free_neighbors(void)
{
    MPI_Comm_free(&ring);
    MPI_Comm_free(&graph);
}

#endif
