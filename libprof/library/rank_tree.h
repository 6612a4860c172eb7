/*
 * The processes that write a summary together, and what they say to each other: along a
 * binomial tree of the ranks, so that nobody hears from more than log2(size) others, by PMPI_
 * functions on a communicator of tsprof's own.
 *
 * The child of round K of process R is R + 2^K, as long as 2^K is less than R's lowest bit; it
 * speaks for 2^K processes, itself and those that follow.  Functions are collective unless they
 * name another process, and everybody calls them in the same order, whatever has failed
 * anywhere.  Program context.
 */
#ifndef TSPROF_TEAM_H
#define TSPROF_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_TREE_ROUNDS_MOST = 31, RANK_TREE_SUMS_MOST = 4 };

struct rank_tree {
    uintptr_t comm; /* an MPI_Comm */
    int rank;
    int size;          /* 1 needs no MPI */
    int shown_rank;    /* the rank that the summary gives to this process */
    const char *doing; /* what others are waited for with, for rank 0's messages */
    int64_t begun_ns;
    int64_t spoken_ns; /* how long rank 0 had waited when it last said so */
};

/* A ranks of this process alone. */
struct rank_tree rank_tree_alone(int shown_rank);

/* Joins the ranks of MPI_COMM_WORLD; false if that fails.  rank_tree_leave ends it. */
bool rank_tree_join(struct rank_tree *ranks);
void rank_tree_leave(struct rank_tree *ranks);

/* In how many rounds this process may have a child; its child, or -1; its parent, -1 of rank 0.
 */
int rank_tree_rounds(const struct rank_tree *ranks);
int rank_tree_child(const struct rank_tree *ranks, int round);
int rank_tree_parent(const struct rank_tree *ranks);

/* Sends SIZE bytes, any number of them, to process TO, which calls rank_tree_receive. */
void rank_tree_send(const struct rank_tree *ranks, int to, const void *bytes, size_t size);

/* The bytes are the caller's to free; NULL with *SIZE 0 without memory for them. */
void *rank_tree_receive(struct rank_tree *ranks, int from, size_t *size);

/*
 * VALUES, at most RANK_TREE_SUMS_MOST, become the sums over all processes; BEFORE, unless NULL,
 * those over the processes with lower ranks.
 */
void rank_tree_sum(struct rank_tree *ranks, uint64_t *values, uint64_t *before, int count);

/* Makes SIZE BYTES of rank 0 those of all. */
void rank_tree_broadcast(struct rank_tree *ranks, void *bytes, size_t size);

/*
 * Between two processes, outside of the tree: SIZE bytes, a number that both know.  rank_tree_hear
 * returns whom it heard; FROM may be RANK_TREE_ANYBODY.
 */
enum { RANK_TREE_ANYBODY = -1 };
void rank_tree_tell(const struct rank_tree *ranks, int to, const void *bytes, size_t size);
int rank_tree_hear(struct rank_tree *ranks, int from, void *bytes, size_t size);

#endif
