/*
 * catching.cc: steps that are called where exceptions are caught, so that their function cannot
 * return by an alias.  12 steps of one barrier; every fifth is followed by a checkpoint.
 */
#include <cstdio>
#include <mpi.h>

#define PATH_FUNCTION __attribute__((noinline, noclone))

static volatile int never;

PATH_FUNCTION static void step()
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (never)
        throw 1;
}

PATH_FUNCTION static int checkpoint()
{
    int one = 1, all = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    int sum = 0;
    MPI_Init(&argc, &argv);
    try {
        for (int i = 0; i < 12; i++) {
            step();
            if (i % 5 == 4)
                sum += checkpoint();
        }
    } catch (int) {
        sum = -1;
    }
    std::printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
