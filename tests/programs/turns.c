/*
 * turns.c: ranks that compute, sleep and wait for each other, to be run with more of them than
 * there are processors, or with a processor each.
 *
 * usage: turns [--iterations N] [--size US] [--seed US]: in every iteration a rank computes
 * SIZE microseconds of processor time, sleeps SEED microseconds, and waits in MPI_Allreduce. At
 * the end it prints, of its iterations, nanoseconds on the clock, of processor time, and asleep
 * at least.
 */
/* Performance events that are due in the system's own code come later. */
#define BURN_ROUNDS 5000
#include "burn.h"
#include "program.h"

#include <tsprof.h>

static int64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void doze(int64_t ns)
{
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    while (ns > 0 && nanosleep(&left, &left) != 0)
        continue;
}

int main(int argc, char **argv)
{
    const struct program_options options =
        program_parse(argc, argv, (struct program_options){.iterations = 50, .size = 5000});
    int one = 1, all = 0;
    program_start(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t begin = wall_ns(), used = cpu_ns();
    for (int i = 0; i < options.iterations; i++) {
        TSPROF_ITERATION_BEGIN("turn");
        burn(options.size * INT64_C(1000));
        doze(options.seed * INT64_C(1000));
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        TSPROF_ITERATION_END("turn");
    }
    printf("%d %lld %lld %lld\n", program_rank, (long long)(wall_ns() - begin),
           (long long)(cpu_ns() - used), (long long)options.iterations * options.seed * 1000LL);
    MPI_Finalize();
    return all == program_ranks ? 0 : 1;
}
