/*
 * Merges what many processes have measured into one summary, at the end of the measurement.
 *
 * Descriptions (modules, call tree, phases, hosts, topologies) are united along a binomial tree
 * of the ranks (rank_tree.h).  Rank 0 resolves names, and the numbers in the summary travel
 * back along the tree.  Then each process encodes its own data in those numbers and writes them
 * (publish.h).  Program context.
 */
#ifndef TSPROF_MERGE_H
#define TSPROF_MERGE_H

#include <stdbool.h>
#include <stdint.h>

enum merge_outcome {
    MERGE_INCOMPLETE, /* there is no summary, or data of some process are missing in it */
    MERGE_NO_TRACE,   /* the summary is whole; the trace could not be, see write_trace */
    MERGE_WHOLE
};

/*
 * Writes the summary of all processes of MPI_COMM_WORLD.  Collective; MPI must be usable.
 * END_NS is when the measurement ended.  Problems are reported, and never stop the program.
 * All processes get the same answer.
 */
enum merge_outcome merge_and_write(int64_t end_ns);

/*
 * Takes part in merge_and_write without contributing anything, which makes the summary partial.
 * Opens no file.
 */
void merge_nothing(void);

/* Writes a summary of this process alone, without MPI. */
enum merge_outcome write_alone(int64_t end_ns);

/* Sets the rank of this process, for the names of summaries that it writes alone. */
void merge_set_rank(int rank);

#endif
