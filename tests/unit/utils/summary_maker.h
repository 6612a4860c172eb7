/*
 * Small synthetic summaries for unit tests of the reader and of what is computed from it.
 *
 * A maker holds the content of every section; a test may replace or extend any of them before
 * it asks for the file.  Written with common/codec.h from doc/format.md.
 */
#ifndef TSPROF_SUMMARY_MAKER_H
#define TSPROF_SUMMARY_MAKER_H

#include "common/codec.h"
#include "common/format.h"

#include <stdbool.h>
#include <stdint.h>

#define MAKER_SECTIONS  8 /* indexed by enum format_section; 0 is not used */
#define MAKER_LOCATIONS 5

struct maker {
    uint32_t version, state;
    uint32_t encoding;     /* of every section */
    uint32_t version_more; /* by so much is every section's version higher than it should be */
    struct encoder sections[MAKER_SECTIONS]; /* the last is not used: see locations */
    struct encoder locations[MAKER_LOCATIONS];
    struct encoder waits; /* section WAITS, which the file has if it is not empty */
    uint32_t location_count;
};

/* Maps from iterations to clusters are written as parts have them, not as summaries do. */
extern bool maker_saves;

/* Nodes of the example's call tree.  Paths 3 and 4 are one, called from two lines; so are 5, 6.
 */
enum example_node {
    NODE_program,
    NODE_main,
    NODE_step,
    NODE_solve_1,
    NODE_solve_2,
    NODE_allreduce_1,
    NODE_allreduce_2,
    NODE_setup,
    NODE_assemble,
    NODE_stopped, /* artificial: walks that failed */
    NODE_spin,    /* in libmpi: where they stopped */
    NODE_spin_solve,
    EXAMPLE_NODES
};

#define EXAMPLE_ASSEMBLE "void grid<int, \"a\">::assemble(int, int)"

/*
 * Fills MAKER with the example, in which all promises of the format hold.  Two ranks, the
 * second with two threads; phase `setup` is summed, `step` kept.  Rank 0 has 6 iterations in 2
 * clusters: 0, 1, 3 and 4 take 2 ms; 2 and 5 take 3 and 5 ms, 4 ms in the mean.  Rank 1 has 5
 * iterations of 3 ms in one cluster.
 */
void maker_example(struct maker *maker);

/*
 * The same with threads that take part in the iterations of `step`, 1 ms in each.  Rank 0 has
 * thread 1, which is absent from the first two iterations, and thread 2, which ends after the
 * third; thread 1 of rank 1 takes part in none.
 */
void maker_threads(struct maker *maker);

/* The example as the result of `tsprof waits`: rank 0 waits for thread 0 of rank 1, which had
 * computed for 2 of 3 us and waited itself for the rest. */
void maker_waits(struct maker *maker);

/* Makes `solve` a function of the OpenMP runtime, whose file is RUNTIME; it calls `assemble`,
 * of the C library. */
void maker_add_openmp(struct maker *maker, const char *runtime);

/* That of maker_threads, with libgomp. */
void maker_openmp(struct maker *maker);

/* Two ranks with four iterations of `step`, of 1 to 4 ms, each kept on its own. */
void maker_kept(struct maker *maker);

/* The whole file, with correct sizes and checksums, in OUT, which starts empty. */
void maker_write(const struct maker *maker, struct encoder *out);
void maker_free(struct maker *maker);

/* Writes SIZE bytes as the file PATH; false if that fails. */
bool maker_save(const char *path, const void *bytes, size_t size);

#endif
