/*
 * Communication between the processes that write a summary together.  They form a binomial tree
 * of their ranks, so that none receives from more than log2(size) others, and use PMPI_
 * functions on a communicator of tsprof's own.
 *
 * In round K the child of process R is R + 2^K, as long as 2^K is less than R's lowest set bit.
 * That child stands for 2^K processes: itself and those that follow.  All functions are
 * collective except those that name another process, and every process must call them in the
 * same order, even if something has failed.  Program context.
 */
#ifndef TSPROF_RANK_TREE_H
#define TSPROF_RANK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_TREE_ROUNDS_MOST = 31, RANK_TREE_SUMS_MOST = 4 };

struct rank_tree {
    uintptr_t comm; /* an MPI_Comm */
    int rank;
    int size;                    /* with 1, MPI is not used */
    int shown_rank;              /* the rank that this process has in the summary */
    const char *purpose, *doing; /* what for and what rank 0 waits, as its messages say it */
    int64_t begun_ns;
    int64_t spoken_ns; /* how long rank 0 had waited when it last printed a message */
};

/* A tree with this process alone. */
struct rank_tree rank_tree_alone(int shown_rank);

/*
 * Makes the tree of all ranks of MPI_COMM_WORLD.  Returns false if that fails.  rank_tree_leave
 * frees its communicator.
 */
bool rank_tree_join(struct rank_tree *ranks);
void rank_tree_leave(struct rank_tree *ranks);

/*
 * The number of rounds in which this process may have a child; its child in a round, or -1; its
 * parent, or -1 for rank 0.
 */
int rank_tree_rounds(const struct rank_tree *ranks);
int rank_tree_child(const struct rank_tree *ranks, int round);
int rank_tree_parent(const struct rank_tree *ranks);

/* Sends SIZE bytes, however many, to process TO, which calls rank_tree_receive. */
void rank_tree_send(const struct rank_tree *ranks, int to, const void *bytes, size_t size);

/*
 * Receives what FROM sends.  The caller frees the result.  Returns NULL, and sets *SIZE to 0,
 * if there is no memory for it.
 */
void *rank_tree_receive(struct rank_tree *ranks, int from, size_t *size);

/*
 * Replaces the COUNT VALUES, RANK_TREE_SUMS_MOST at most, by their sums over all processes.
 * BEFORE, unless NULL, gets the sums over the processes with lower ranks.
 */
void rank_tree_sum(struct rank_tree *ranks, uint64_t *values, uint64_t *before, int count);

/* Copies SIZE BYTES from rank 0 to all processes. */
void rank_tree_broadcast(struct rank_tree *ranks, void *bytes, size_t size);

/*
 * Send and receive between any two processes, independently of the tree.  Both must know SIZE,
 * in bytes.  FROM may be RANK_TREE_ANYBODY; rank_tree_hear returns who has sent.
 */
enum { RANK_TREE_ANYBODY = -1 };
void rank_tree_tell(const struct rank_tree *ranks, int to, const void *bytes, size_t size);
int rank_tree_hear(struct rank_tree *ranks, int from, void *bytes, size_t size);

#endif
