/*
 * From many processes to one summary, at the end of the measurement.
 *
 * Descriptions (modules, regions, call tree) are united along a binomial tree of the ranks;
 * rank 0 resolves names; numbers travel back along the tree; then each process encodes its own
 * data in those numbers and rank 0 writes them one after the other.  All traffic is on a
 * communicator of tsprof's own, by PMPI_ functions.
 */
#ifndef TSPROF_MERGE_H
#define TSPROF_MERGE_H

#include <stdint.h>

/*
 * Merges over MPI_COMM_WORLD and writes the summary.  Collective; MPI must be usable.  END_NS
 * is when the measurement ended.  Problems are reported; the program goes on in any case.
 */
void merge_and_write(int64_t end_ns);

/* Writes what this process has, without MPI. */
void write_alone(int64_t end_ns);

/* Notes the rank of this process, for files written alone. */
void merge_set_rank(int rank);

#endif
