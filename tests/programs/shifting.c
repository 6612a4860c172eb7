/*
 * shifting.c: work that moves between functions while every total stays the same.
 *
 * An iteration does a fixed amount of work and moves a fixed amount of data, in four stages.
 * How both are divided among the stages changes: it goes round with a period, and after half of
 * the iterations it goes round with another.  No total of an iteration tells any of this.
 */
#include "program.h"

#include <tsprof.h>

enum { STAGES = 4, WIDEST = 5, PERIOD = 20, LATER_PERIOD = 12 };

static double *field, *halo;
static int cells;

/* Shares of an iteration in tenths: one stage has WIDEST of ten, the others divide the rest. */
static int tenths(int stage, int iteration, int iterations)
{
    static const int others[STAGES] = {0, 1, 1, 3};
    int period = iteration < iterations / 2 ? PERIOD : LATER_PERIOD;
    int widest = iteration % period * STAGES / period;
    int distance = (stage - widest + STAGES) % STAGES;
    return distance == 0 ? WIDEST : others[distance];
}

static void relax(int sweeps)
{
    for (int s = 0; s < sweeps; s++)
        for (int i = 1; i < cells - 1; i++)
            field[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
}

static void swap_halo(int doubles)
{
    const int next = (program_rank + 1) % program_ranks;
    const int last = (program_rank + program_ranks - 1) % program_ranks;
    MPI_Sendrecv(field, doubles, MPI_DOUBLE, next, 0, halo, doubles, MPI_DOUBLE, last, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    field[0] = halo[doubles - 1];
}

/* Without it the last call of a stage would be a jump, and the stage not on its call path. */
#define END_OF_STAGE() __asm__ volatile("")

PATH_FUNCTION static void assemble(int share)
{
    relax(share);
    swap_halo(100 * share);
    END_OF_STAGE();
}

PATH_FUNCTION static void smooth(int share)
{
    relax(share);
    swap_halo(100 * share);
    END_OF_STAGE();
}

PATH_FUNCTION static void solve(int share)
{
    relax(share);
    swap_halo(100 * share);
    END_OF_STAGE();
}

PATH_FUNCTION static void update(int share)
{
    relax(share);
    swap_halo(100 * share);
    END_OF_STAGE();
}

int main(int argc, char **argv)
{
    static void (*const stages[STAGES])(int) = {assemble, smooth, solve, update};
    const struct program_options options = program_parse(
        argc, argv, (struct program_options){.iterations = 240, .size = 20000, .seed = 1});
    program_start(&argc, &argv);
    cells = options.size > 1000 ? options.size : 1000;
    field = calloc((size_t)cells, sizeof *field);
    halo = calloc((size_t)cells, sizeof *halo);
    uint64_t state = (uint64_t)options.seed + (uint64_t)program_rank;
    for (int i = 0; i < cells; i++)
        field[i] = random_unit(&state);
    for (int iteration = 0; iteration < options.iterations; iteration++) {
        TSPROF_ITERATION_BEGIN("step");
        for (int stage = 0; stage < STAGES; stage++)
            stages[stage](tenths(stage, iteration, options.iterations));
        TSPROF_ITERATION_END("step");
    }
    const uint64_t sum = checksum_add(CHECKSUM_START, field, (size_t)cells * sizeof *field);
    program_end("shifting", sum, &options);
    free(field);
    free(halo);
    return 0;
}
