/*
 * waits_sweeps.c: wavefronts through two by two processes, whose pipeline is filled again when
 * they come from another corner, and an exchange with all neighbours, which is none; see
 * planted.h.
 *
 *     0 1     north is above, west is to the left
 *     2 3
 */
#include "planted.h"

static char buffer[SMALL];
static MPI_Comm comm = MPI_COMM_WORLD;
static int turned; /* what a rank's number in COMM differs by from that in MPI_COMM_WORLD */

static void send_to(int dest)
{
    MPI_Send(buffer, SMALL, MPI_BYTE, dest ^ turned, 0, comm);
}

static void receive_from(int source)
{
    MPI_Recv(buffer, SMALL, MPI_BYTE, source ^ turned, 0, comm, MPI_STATUS_IGNORE);
}

/* A grid of MPI's, in which north is below. */
static void make_grid(void)
{
    const int sizes[] = {2, 2}, periodic[] = {0, 0};
    MPI_Comm upside_down;
    turned = 2;
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank ^ turned, &upside_down);
    MPI_Cart_create(upside_down, 2, sizes, periodic, 0, &comm);
    MPI_Comm_free(&upside_down);
}

static void free_grid(void)
{
    MPI_Comm_free(&comm);
    comm = MPI_COMM_WORLD;
    turned = 0;
}

/* A block of a sweep from FIRST's corner, which sends from STEPS on; SECOND sends a step later,
 * THIRD another half one.  Marks FROM: before receiving, FROM + 1: between two receives, FROM +
 * 2: before sending. */
static void block(int first, double steps, int from)
{
    const int last = 3 - first, second = first < 2 ? 1 - first : 5 - first, third = 3 - second;
    mark(from);
    if (rank == second || rank == third)
        receive_from(first);
    if (rank == last) {
        receive_from(second);
        mark(from + 1);
        receive_from(third);
    }
    until(rank == first ? steps : rank == second ? steps + 1 : steps + 1.5);
    mark(from + 2);
    if (rank == first) {
        send_to(second);
        send_to(third);
    } else if (rank != last)
        send_to(last);
}

/* Two blocks from the north-west, one from the south-east. */
static void turn(void)
{
    block(0, 2, 0);
    block(0, 5, 3);
    block(3, 8, 6);
}

/* From the north-east, then the south-west. */
static void turn_other(void)
{
    block(1, 2, 0);
    block(2, 5, 3);
}

/* All send to both of their neighbours, and receive two steps later; rank 0 is late, and nobody
 * waits for it while something else is there to be received. */
static void exchange(void)
{
    const int beside = rank ^ 1, across = rank ^ 2;
    const int first = beside == 0 ? across : beside;
    for (int i = 0; i < 2; i++) {
        until(rank == 0 ? 4 + 6 * i : 6 * i);
        mark(i);
        send_to(beside);
        send_to(across);
        until(2 + 6 * i);
        if (rank > 0)
            mark(i);
        receive_from(first);
        receive_from(beside + across - first);
    }
}

#define LATE "mpi_latesender"
#define FILL "wavefront_refill"

/* What is waited for in a block from the corner of A, over B and C, to D. */
#define BLOCK(metric, a, b, c, d, from)                                                        \
    WAITS(metric, b, from, a, (from) + 2), WAITS(metric, c, from, a, (from) + 2),              \
        WAITS(metric, d, from, b, (from) + 2), WAITS(metric, d, (from) + 1, c, (from) + 2)

static const struct planted_case cases[] = {
    {"turn",
     4,
     turn,
     {BLOCK(LATE, 0, 1, 2, 3, 0), BLOCK(LATE, 0, 1, 2, 3, 3), BLOCK(LATE, 3, 2, 1, 0, 6),
      BLOCK(FILL, 0, 1, 2, 3, 0), BLOCK(FILL "_nw", 0, 1, 2, 3, 0), BLOCK(FILL, 3, 2, 1, 0, 6),
      BLOCK(FILL "_se", 3, 2, 1, 0, 6)}},
    {"turn_other",
     4,
     turn_other,
     {BLOCK(LATE, 1, 0, 3, 2, 0), BLOCK(LATE, 2, 3, 0, 1, 3), BLOCK(FILL, 1, 0, 3, 2, 0),
      BLOCK(FILL "_ne", 1, 0, 3, 2, 0), BLOCK(FILL, 2, 3, 0, 1, 3),
      BLOCK(FILL "_sw", 2, 3, 0, 1, 3)}},
    {"turn_in_grid",
     4,
     turn,
     {BLOCK(LATE, 0, 1, 2, 3, 0), BLOCK(LATE, 0, 1, 2, 3, 3), BLOCK(LATE, 3, 2, 1, 0, 6),
      BLOCK(FILL, 0, 1, 2, 3, 0), BLOCK(FILL "_sw", 0, 1, 2, 3, 0), BLOCK(FILL, 3, 2, 1, 0, 6),
      BLOCK(FILL "_ne", 3, 2, 1, 0, 6)},
     make_grid,
     free_grid},
    {"exchange",
     4,
     exchange,
     {WAITS(LATE, 1, 0, 0, 0), WAITS(LATE, 2, 0, 0, 0), WAITS(LATE, 1, 1, 0, 1),
      WAITS(LATE, 2, 1, 0, 1)}},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
