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

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEAM_ROUNDS_MOST = 31, TEAM_SUMS_MOST = 4 };

struct team {
    MPI_Comm comm;
    int rank;
    int size;          /* 1 needs no MPI */
    int shown_rank;    /* the rank that the summary gives to this process */
    const char *doing; /* what others are waited for with, for rank 0's messages */
    int64_t begun_ns;
    int64_t spoken_ns; /* how long rank 0 had waited when it last said so */
};

/* A team of this process alone. */
struct team team_alone(int shown_rank);

/* Joins the team of MPI_COMM_WORLD; false if that fails.  team_leave ends it. */
bool team_join(struct team *team);
void team_leave(struct team *team);

/* In how many rounds this process may have a child; its child, or -1; its parent, -1 of rank 0.
 */
int team_rounds(const struct team *team);
int team_child(const struct team *team, int round);
int team_parent(const struct team *team);

/* Sends SIZE bytes, any number of them, to process TO, which calls team_receive. */
void team_send(const struct team *team, int to, const void *bytes, size_t size);

/* The bytes are the caller's to free; NULL with *SIZE 0 without memory for them. */
void *team_receive(struct team *team, int from, size_t *size);

/*
 * VALUES, at most TEAM_SUMS_MOST, become the sums over all processes; BEFORE, unless NULL,
 * those over the processes with lower ranks.
 */
void team_sum(struct team *team, uint64_t *values, uint64_t *before, int count);

/* Makes SIZE BYTES of rank 0 those of all. */
void team_broadcast(struct team *team, void *bytes, size_t size);

/*
 * Between two processes, outside of the tree: SIZE bytes, a number that both know.  team_hear
 * returns whom it heard; FROM may be TEAM_ANYBODY.
 */
enum { TEAM_ANYBODY = -1 };
void team_tell(const struct team *team, int to, const void *bytes, size_t size);
int team_hear(struct team *team, int from, void *bytes, size_t size);

#endif
