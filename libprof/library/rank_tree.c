/* See rank_tree.h. */
#include "library/rank_tree.h"

#include "host/host.h"
#include "library/typed.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_TREE = 1, TAG_BESIDE };

#define PIECE_MOST  ((size_t)1 << 30)
#define PATIENCE_NS INT64_C(2000000000)
#define NANOSECONDS INT64_C(1000000000)

/* The communicator in MPI's own type, which is an integer or a pointer. */
static MPI_Comm comm_of(const struct rank_tree *ranks)
{
    return (MPI_Comm)ranks->comm;
}

struct rank_tree rank_tree_alone(int shown_rank)
{
    return (struct rank_tree){.size = 1, .shown_rank = shown_rank};
}

/*
 * Makes a communicator by MPI_Comm_split, because MPI_Comm_dup would run the program's
 * attribute callbacks.  The error handler is replaced meanwhile, so that a failure does not
 * call the program's.
 */
bool rank_tree_join(struct rank_tree *ranks)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    *ranks = (struct rank_tree){.begun_ns = clock_monotonic_ns_async(),
                                .purpose = "writing the summary"};
    PREAL(MPI_Comm_rank)(MPI_COMM_WORLD, &ranks->rank);
    PREAL(MPI_Comm_get_errhandler)(MPI_COMM_WORLD, &handler);
    PREAL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int status = PREAL(MPI_Comm_split)(MPI_COMM_WORLD, 0, ranks->rank, &comm);
    PREAL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, handler);
    PREAL(MPI_Errhandler_free)(&handler);
    if (status != MPI_SUCCESS)
        return false;
    PREAL(MPI_Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
    PREAL(MPI_Comm_size)(comm, &ranks->size);
    ranks->comm = (uintptr_t)comm;
    ranks->shown_rank = ranks->rank;
    return true;
}

void rank_tree_leave(struct rank_tree *ranks)
{
    MPI_Comm comm = comm_of(ranks);
    PREAL(MPI_Comm_free)(&comm);
}

int rank_tree_rounds(const struct rank_tree *ranks)
{
    int rounds = 0;
    while (1L << rounds < ranks->size && !(ranks->rank >> rounds & 1))
        rounds++;
    return rounds;
}

int rank_tree_child(const struct rank_tree *ranks, int round)
{
    long child = ranks->rank + (1L << round);
    return child < ranks->size ? (int)child : -1;
}

int rank_tree_parent(const struct rank_tree *ranks)
{
    return ranks->rank == 0 ? -1 : ranks->rank & (ranks->rank - 1);
}

/* Prints a message that says which ranks rank 0 is waiting for, at ever longer intervals. */
static void complain(struct rank_tree *ranks, int from)
{
    int64_t waited = clock_monotonic_ns_async() - ranks->begun_ns;
    if (waited < PATIENCE_NS || waited < 2 * ranks->spoken_ns)
        return;
    ranks->spoken_ns = waited;
    int last = from < 0 ? from : from + (from & -from) - 1;
    last = last < ranks->size ? last : ranks->size - 1;
    if (from < 0)
        message(1, "%s: waiting for %s (%d s so far)", ranks->purpose, ranks->doing,
                (int)(waited / NANOSECONDS));
    else
        message(1, "%s: waiting for %s of rank%s %d%s%.0d (%d s so far)", ranks->purpose,
                ranks->doing, last > from ? "s" : "", from, last > from ? " to " : "",
                last > from ? last : 0, (int)(waited / NANOSECONDS));
}

/*
 * Rank 0 waits here by polling, and not inside MPI, so that it can say which ranks it waits
 * for.
 */
static void wait_for(struct rank_tree *ranks, int from, int tag)
{
    int there = ranks->rank != 0;
    while (!there &&
           PREAL(MPI_Iprobe)(from < 0 ? MPI_ANY_SOURCE : from, tag, comm_of(ranks), &there,
                             MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           !there) {
        complain(ranks, from);
        sched_yield();
    }
}

static void put(const struct rank_tree *ranks, int to, int tag, const void *bytes, size_t size)
{
    PREAL(MPI_Send)(bytes, (int)size, MPI_BYTE, to, tag, comm_of(ranks));
}

static int get(struct rank_tree *ranks, int from, int tag, void *bytes, size_t size)
{
    MPI_Status status = {.MPI_SOURCE = from};
    wait_for(ranks, from, tag);
    PREAL(MPI_Recv)
    (bytes, (int)size, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, comm_of(ranks),
     &status);
    return status.MPI_SOURCE;
}

/* Sends the length first. */
void rank_tree_send(const struct rank_tree *ranks, int to, const void *bytes, size_t size)
{
    uint64_t length = size;
    put(ranks, to, TAG_TREE, &length, sizeof length);
    for (size_t sent = 0, piece; sent < size; sent += piece) {
        piece = size - sent < PIECE_MOST ? size - sent : PIECE_MOST;
        put(ranks, to, TAG_TREE, (const char *)bytes + sent, piece);
    }
}

void *rank_tree_receive(struct rank_tree *ranks, int from, size_t *size)
{
    uint64_t length = 0;
    get(ranks, from, TAG_TREE, &length, sizeof length);
    char *bytes = malloc(length ? length : 1);
    char spill[4096];
    for (uint64_t got = 0, piece; got < length; got += piece) {
        piece = length - got < PIECE_MOST ? length - got : PIECE_MOST;
        /* Without memory, receives into `spill`: MPI truncates what is too long for it. */
        uint64_t room = bytes || piece < sizeof spill ? piece : sizeof spill;
        get(ranks, from, TAG_TREE, bytes ? bytes + got : spill, room);
    }
    *size = bytes ? length : 0;
    return bytes;
}

static void add(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < RANK_TREE_SUMS_MOST; i++)
        to[i] += from[i];
}

/* Sums go up the tree; then the total, and for each process the sum before it, come down. */
void rank_tree_sum(struct rank_tree *ranks, uint64_t *values, uint64_t *before, int count)
{
    struct {
        uint64_t before[RANK_TREE_SUMS_MOST], whole[RANK_TREE_SUMS_MOST];
    } known = {{0}, {0}};
    uint64_t children[RANK_TREE_ROUNDS_MOST][RANK_TREE_SUMS_MOST] = {{0}};
    uint64_t below[RANK_TREE_SUMS_MOST] = {0};
    const size_t bytes = sizeof below;
    const int rounds = rank_tree_rounds(ranks), parent = rank_tree_parent(ranks);
    memcpy(below, values, (size_t)count * sizeof *values);
    for (int round = 0; round < rounds; round++)
        if (rank_tree_child(ranks, round) >= 0) {
            get(ranks, rank_tree_child(ranks, round), TAG_TREE, children[round], bytes);
            add(below, children[round]);
        }
    memcpy(known.whole, below, bytes);
    if (parent >= 0) {
        put(ranks, parent, TAG_TREE, below, bytes);
        get(ranks, parent, TAG_TREE, &known, sizeof known);
    }
    if (before)
        memcpy(before, known.before, (size_t)count * sizeof *before);
    /* Before the last child come this process and all other children. */
    add(known.before, below);
    for (int round = rounds; round-- > 0;)
        if (rank_tree_child(ranks, round) >= 0) {
            for (int i = 0; i < RANK_TREE_SUMS_MOST; i++)
                known.before[i] -= children[round][i];
            put(ranks, rank_tree_child(ranks, round), TAG_TREE, &known, sizeof known);
        }
    memcpy(values, known.whole, (size_t)count * sizeof *values);
}

void rank_tree_broadcast(struct rank_tree *ranks, void *bytes, size_t size)
{
    if (rank_tree_parent(ranks) >= 0)
        get(ranks, rank_tree_parent(ranks), TAG_TREE, bytes, size);
    for (int round = rank_tree_rounds(ranks); round-- > 0;)
        if (rank_tree_child(ranks, round) >= 0)
            put(ranks, rank_tree_child(ranks, round), TAG_TREE, bytes, size);
}

void rank_tree_tell(const struct rank_tree *ranks, int to, const void *bytes, size_t size)
{
    put(ranks, to, TAG_BESIDE, bytes, size);
}

int rank_tree_hear(struct rank_tree *ranks, int from, void *bytes, size_t size)
{
    return get(ranks, from, TAG_BESIDE, bytes, size);
}
