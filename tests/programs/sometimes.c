/*
 * sometimes.c: call paths that not every iteration has.
 *
 * usage: sometimes [--iterations N]: of the iterations of "step", from 0 on, all call
 * MPI_Allreduce, every third MPI_Barrier in checkpoint(), every seventh MPI_Bcast in
 * share(), from one line where the number is even and from another where it is odd.
 */
#include "program.h"

#include <tsprof.h>

__attribute__((noinline)) static void checkpoint(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    __asm__ volatile("");
}

__attribute__((noinline)) static void share(int i)
{
    int value = i;
    if (i % 2)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, MPI_COMM_WORLD);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    const struct program_options options =
        program_parse(argc, argv, (struct program_options){.iterations = 84});
    program_start(&argc, &argv);
    for (int i = 0; i < options.iterations; i++) {
        int one = 1, all;
        TSPROF_ITERATION_BEGIN("step");
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (i % 3 == 0)
            checkpoint();
        if (i % 7 == 0)
            share(i);
        TSPROF_ITERATION_END("step");
    }
    program_end("sometimes", (uint64_t)options.iterations, &options);
    return 0;
}
