/*
 * program.h: what the programs to profile have in common: options, start and end, random
 * numbers and a checksum of the result.
 *
 * Standard output holds nothing but the result, so that a run with tsprof can be compared byte
 * for byte with one without.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "counts.h"

#include <stdint.h>

struct program_options {
    int iterations;
    int size;
    int seed;
    const char *counts;
};

static int program_rank;
static int program_ranks;

static void program_usage(FILE *out, const char *program,
                          const struct program_options *defaults)
{
    fprintf(out,
            "usage: %s [--iterations N] [--size N] [--seed N] [--counts FILE]\n"
            "  --iterations N  iterations of the main loop (default %d)\n"
            "  --size N        size of the problem (default %d)\n"
            "  --seed N        seed of the random numbers (default %d)\n"
            "  --counts FILE   write what was done to FILE.<rank>\n",
            program, defaults->iterations, defaults->size, defaults->seed);
}

/* Takes the options that start with `defaults`; ends the program for -h and for nonsense. */
static struct program_options program_parse(int argc, char **argv,
                                            struct program_options defaults)
{
    struct program_options options = defaults;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
            program_usage(stdout, argv[0], &defaults);
            exit(0);
        } else if (!strcmp(argv[i], "--iterations") && value) {
            options.iterations = atoi(value);
        } else if (!strcmp(argv[i], "--size") && value) {
            options.size = atoi(value);
        } else if (!strcmp(argv[i], "--seed") && value) {
            options.seed = atoi(value);
        } else if (!strcmp(argv[i], "--counts") && value) {
            options.counts = value;
        } else {
            program_usage(stderr, argv[0], &defaults);
            exit(2);
        }
    }
    return options;
}

PATH_FUNCTION static void program_start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    COUNT_VISIT(MPI_Init);
    MPI_Comm_rank(MPI_COMM_WORLD, &program_rank);
    COUNT_VISIT(MPI_Comm_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program_ranks);
    COUNT_VISIT(MPI_Comm_size);
}

/* One step of FNV-1a over the bytes of a value. */
static uint64_t checksum_add(uint64_t sum, const void *data, size_t bytes)
{
    const unsigned char *next = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ next[i]) * UINT64_C(1099511628211);
    return sum;
}

#define CHECKSUM_START UINT64_C(14695981039346656037)

/* Rank 0 prints the checksum over all ranks; everyone writes the counts and leaves MPI. */
PATH_FUNCTION static void program_end(const char *name, uint64_t sum,
                                      const struct program_options *options)
{
    const int n = program_ranks;
    uint64_t *all = (uint64_t *)calloc((size_t)n, sizeof *all);

    MPI_Gather(&sum, 8, MPI_BYTE, all, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    COUNT_COLL(MPI_Gather, 8, program_rank ? 0 : n * 8);
    if (!program_rank) {
        uint64_t total = checksum_add(CHECKSUM_START, all, (size_t)n * sizeof *all);
        printf("%s: %d ranks, %d iterations, checksum %016llx\n", name, n, options->iterations,
               (unsigned long long)total);
        fflush(stdout);
    }
    free(all);

    COUNT_VISIT(MPI_Finalize);
    counts_write(options->counts, program_rank);
    MPI_Finalize();
    /* Not a tail call: this frame is part of the expected call path. */
    __asm__ volatile("");
}

/* splitmix64: good enough, and the same everywhere. */
COUNTS_UNUSED static uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
COUNTS_UNUSED static double random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

#endif
