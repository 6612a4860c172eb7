/*
 * loops.c: main loops that are hard to recognize from outside, one case each.
 *
 *     loops CASE [ITERATIONS [MICROSECONDS]]
 *
 * There are no markers.  At the end the program tells what it has counted, a line each:
 *
 *     truth: loop NAME COUNT      iterations of a main loop; several lines: several loops, in
 *                                 order
 *     truth: inner NAME COUNT     of a loop inside, in all
 *     truth: also NAME COUNT      of another loop that may be found as well: a warm-up, say
 *     truth: decoy NAME COUNT     what must not be taken for the main loop
 *     truth: visible NAME COUNT   as many as can be told apart by where MPI is called from
 *     truth: slices NAME COUNT    there is no loop that could be found; COUNT calls or pieces
 *                                 of work
 *     truth: rank R NAME COUNT    iterations of rank R, which has a loop of its own
 *
 * What each step did it tells if it is asked, see loops_contents.h.
 *
 * The cases are in loops_steps.c, loops_nested.c, loops_order.c and loops_ranks.c.
 */
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rank, ranks;
long work_us = 200;

static char truths[4096];

void truth(const char *role, const char *name, long count)
{
    size_t used = strlen(truths);
    end_steps();
    if (rank == 0)
        snprintf(truths + used, sizeof truths - used, "truth: %s %s %ld\n", role, name, count);
}

void truth_of_rank(const char *name, long count)
{
    size_t used = strlen(truths);
    snprintf(truths + used, sizeof truths - used, "truth: rank %d %s %ld\n", rank, name, count);
}

static const struct {
    const char *name;
    void (*run)(long n);
    long iterations;
} cases[] = {
#define CASE(name, run, iterations) {name, run, iterations},
#include "loops.def"
#undef CASE
};

static const size_t case_count = sizeof cases / sizeof cases[0];

static int usage(void)
{
    fprintf(stderr, "usage: loops CASE [ITERATIONS [MICROSECONDS]]\n");
    for (size_t i = 0; i < case_count; i++)
        fprintf(stderr, "  %s (%ld)\n", cases[i].name, cases[i].iterations);
    return 2;
}

int main(int argc, char **argv)
{
    size_t chosen = 0;
    while (argc > 1 && chosen < case_count && strcmp(cases[chosen].name, argv[1]) != 0)
        chosen++;
    if (argc < 2 || chosen == case_count)
        return usage();
    if (argc > 3)
        work_us = atol(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cases[chosen].run(argc > 2 ? atol(argv[2]) : cases[chosen].iterations);
    write_contents(rank);
    MPI_Finalize();
    /* One write: lines of several ranks must not mix. */
    fputs(truths, stdout);
    return 0;
}
