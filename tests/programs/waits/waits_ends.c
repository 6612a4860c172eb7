/*
 * waits_ends.c: where MPI begins and ends, and operations that some leave later than others,
 * planted, the other way round, and just not; see planted.h.
 */
#include "planted.h"

#include <signal.h>
#include <unistd.h>

#define BARRIER "mpi_barrier_wait"
#define NXN     "mpi_wait_nxn"
#define INIT    "mpi_init_completion"

/* A signal holds up rank 1 within a call until step 4, which rank 0 leaves at step 2. */
static void hold_up(int number)
{
    if (number == SIGALRM)
        until(4);
}

static void held_up(void (*operation)(void))
{
    if (rank == 1) {
        sigaction(SIGALRM, &(struct sigaction){.sa_handler = hold_up, .sa_flags = SA_RESTART},
                  NULL);
        ualarm((useconds_t)(STEP * 1e6), 0);
    }
    until(rank == 0 ? 2 : 0);
    mark(0);
    operation();
    mark(1);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void)
{
    int in, out = rank;
    MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier_held_up(void)
{
    held_up(barrier);
}

static void allreduce_held_up(void)
{
    held_up(allreduce);
}

/* Before MPI_Init: what the launcher says. */
static int rank_to_be(void)
{
    const char *const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return atoi(getenv(names[i]));
    return 0;
}

/* Whoever leaves MPI_Init first, the other one takes until its mark 1. */
static void init(int late)
{
    began = now();
    until(rank_to_be() == late ? 2 : 0);
    mark(0);
    MPI_Init(NULL, NULL);
    mark(1);
}

static void init_first_late(void)
{
    init(0);
}

static void init_other_late(void)
{
    init(1);
}

/* Rank LATE is late by two steps. */
static void end_late(int late)
{
    until(rank == late ? 2 : 0);
    mark(0);
    if (rank == late) {
        printf("expect mpi_finalize_wait rank %d of %d %.6f\n", 1 - late, late, now() - began);
        fflush(stdout);
    }
    MPI_Finalize();
}

static void finalize_first_late(void)
{
    end_late(0);
}

static void finalize_other_late(void)
{
    end_late(1);
}

#define HELD_UP(name, metric, completion)                                                      \
    {                                                                                          \
#name, 2, name,                                                                        \
            {WAITS(metric, 1, 0, 0, 0), CAUSED(completion, 1, 1, 0, 1) }, .needs = NULL        \
    }
#define LEFT_LATER(rank, other)                                                                \
    {                                                                                          \
        INIT, rank, 0, other, 2, 1 + 1, 0, false, 1 + 1                                        \
    }

static void come_to_end(void)
{
    mark(2);
}

static const struct planted_case cases[] = {
    HELD_UP(barrier_held_up, BARRIER, "mpi_barrier_completion"),
    HELD_UP(allreduce_held_up, NXN, "mpi_nxn_completion"),
    {"init_first_late",
     2,
     init_first_late,
     {LEFT_LATER(0, 1), LEFT_LATER(1, 0)},
     .after = come_to_end,
     .starts = true},
    {"init_other_late",
     2,
     init_other_late,
     {LEFT_LATER(0, 1), LEFT_LATER(1, 0)},
     .after = come_to_end,
     .starts = true},
    {"finalize_first_late",
     2,
     finalize_first_late,
     {WAITS("mpi_finalize_wait", 1, 0, 0, 0)},
     .ends = true},
    {"finalize_other_late",
     2,
     finalize_other_late,
     {WAITS("mpi_finalize_wait", 0, 0, 1, 0)},
     .ends = true},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
