/*
 * From many processes to one summary, at the end of the measurement.
 *
 * Descriptions (modules, call tree, phases, hosts, topologies) are united along a binomial tree
 * of the ranks (rank_tree.h); rank 0 resolves names; numbers travel back along the tree; then each
 * process encodes its own data in those numbers and writes them (publish.h).
 */
#ifndef TSPROF_MERGE_H
#define TSPROF_MERGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Merges over MPI_COMM_WORLD and writes the summary.  Collective; MPI must be usable.  END_NS
 * is when the measurement ended.  Problems are reported; the program goes on in any case. True,
 * and then in all processes, if the summary is there and nothing of any process is missing in
 * it.
 */
bool merge_and_write(int64_t end_ns);

/* Writes what this process has, without MPI; true if all of it is there. */
bool write_alone(int64_t end_ns);

/* Notes the rank of this process, for files written alone. */
void merge_set_rank(int rank);

#endif
