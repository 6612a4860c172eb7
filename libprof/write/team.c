/* See team.h. */
#include "write/team.h"

#include "host/clock.h"
#include "host/message.h"
#include "mpi/mpi_real.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_TREE = 1, TAG_BESIDE };

#define PIECE_MOST  ((size_t)1 << 30)
#define PATIENCE_NS INT64_C(2000000000)
#define NANOSECONDS INT64_C(1000000000)

struct team team_alone(int shown_rank)
{
    return (struct team){.size = 1, .shown_rank = shown_rank};
}

/*
 * A communicator of tsprof's own.  Not a duplicate: that would run the program's attribute
 * callbacks.  Nor may the program's error handler hear of a failure.
 */
bool team_join(struct team *team)
{
    MPI_Errhandler handler;
    *team = (struct team){.begun_ns = clock_monotonic_ns_async()};
    PREAL(MPI_Comm_rank)(MPI_COMM_WORLD, &team->rank);
    PREAL(MPI_Comm_get_errhandler)(MPI_COMM_WORLD, &handler);
    PREAL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int status = PREAL(MPI_Comm_split)(MPI_COMM_WORLD, 0, team->rank, &team->comm);
    PREAL(MPI_Comm_set_errhandler)(MPI_COMM_WORLD, handler);
    PREAL(MPI_Errhandler_free)(&handler);
    if (status != MPI_SUCCESS)
        return false;
    PREAL(MPI_Comm_set_errhandler)(team->comm, MPI_ERRORS_RETURN);
    PREAL(MPI_Comm_size)(team->comm, &team->size);
    team->shown_rank = team->rank;
    return true;
}

void team_leave(struct team *team)
{
    PREAL(MPI_Comm_free)(&team->comm);
}

int team_rounds(const struct team *team)
{
    int rounds = 0;
    while (1L << rounds < team->size && !(team->rank >> rounds & 1))
        rounds++;
    return rounds;
}

int team_child(const struct team *team, int round)
{
    long child = team->rank + (1L << round);
    return child < team->size ? (int)child : -1;
}

int team_parent(const struct team *team)
{
    return team->rank == 0 ? -1 : team->rank & (team->rank - 1);
}

/* Says for whom rank 0 has been waiting; less and less often. */
static void complain(struct team *team, int from)
{
    int64_t waited = clock_monotonic_ns_async() - team->begun_ns;
    if (waited < PATIENCE_NS || waited < 2 * team->spoken_ns)
        return;
    team->spoken_ns = waited;
    int last = from < 0 ? from : from + (from & -from) - 1;
    last = last < team->size ? last : team->size - 1;
    if (from < 0)
        message(1, "writing the summary: waiting for %s (%d s so far)", team->doing,
                (int)(waited / NANOSECONDS));
    else
        message(1, "writing the summary: waiting for %s of rank%s %d%s%.0d (%d s so far)",
                team->doing, last > from ? "s" : "", from, last > from ? " to " : "",
                last > from ? last : 0, (int)(waited / NANOSECONDS));
}

/* Rank 0 waits here rather than in MPI, so that it can say for whom. */
static void wait_for(struct team *team, int from, int tag)
{
    int there = team->rank != 0;
    while (!there &&
           PREAL(MPI_Iprobe)(from < 0 ? MPI_ANY_SOURCE : from, tag, team->comm, &there,
                             MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           !there) {
        complain(team, from);
        sched_yield();
    }
}

static void put(const struct team *team, int to, int tag, const void *bytes, size_t size)
{
    PREAL(MPI_Send)(bytes, (int)size, MPI_BYTE, to, tag, team->comm);
}

static int get(struct team *team, int from, int tag, void *bytes, size_t size)
{
    MPI_Status status = {.MPI_SOURCE = from};
    wait_for(team, from, tag);
    PREAL(MPI_Recv)
    (bytes, (int)size, MPI_BYTE, from < 0 ? MPI_ANY_SOURCE : from, tag, team->comm, &status);
    return status.MPI_SOURCE;
}

/* The length first. */
void team_send(const struct team *team, int to, const void *bytes, size_t size)
{
    uint64_t length = size;
    put(team, to, TAG_TREE, &length, sizeof length);
    for (size_t sent = 0, piece; sent < size; sent += piece) {
        piece = size - sent < PIECE_MOST ? size - sent : PIECE_MOST;
        put(team, to, TAG_TREE, (const char *)bytes + sent, piece);
    }
}

void *team_receive(struct team *team, int from, size_t *size)
{
    uint64_t length = 0;
    get(team, from, TAG_TREE, &length, sizeof length);
    char *bytes = malloc(length ? length : 1);
    char spill[4096];
    for (uint64_t got = 0, piece; got < length; got += piece) {
        piece = length - got < PIECE_MOST ? length - got : PIECE_MOST;
        /* Without memory to take it, MPI drops what goes beyond the room. */
        uint64_t room = bytes || piece < sizeof spill ? piece : sizeof spill;
        get(team, from, TAG_TREE, bytes ? bytes + got : spill, room);
    }
    *size = bytes ? length : 0;
    return bytes;
}

static void add(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < TEAM_SUMS_MOST; i++)
        to[i] += from[i];
}

/* First up the tree, then what comes before each, and the whole, down again. */
void team_sum(struct team *team, uint64_t *values, uint64_t *before, int count)
{
    struct {
        uint64_t before[TEAM_SUMS_MOST], whole[TEAM_SUMS_MOST];
    } known = {{0}, {0}};
    uint64_t children[TEAM_ROUNDS_MOST][TEAM_SUMS_MOST] = {{0}};
    uint64_t below[TEAM_SUMS_MOST] = {0};
    const size_t bytes = sizeof below;
    const int rounds = team_rounds(team), parent = team_parent(team);
    memcpy(below, values, (size_t)count * sizeof *values);
    for (int round = 0; round < rounds; round++)
        if (team_child(team, round) >= 0) {
            get(team, team_child(team, round), TAG_TREE, children[round], bytes);
            add(below, children[round]);
        }
    memcpy(known.whole, below, bytes);
    if (parent >= 0) {
        put(team, parent, TAG_TREE, below, bytes);
        get(team, parent, TAG_TREE, &known, sizeof known);
    }
    if (before)
        memcpy(before, known.before, (size_t)count * sizeof *before);
    /* Before the last child are this process and all other children. */
    add(known.before, below);
    for (int round = rounds; round-- > 0;)
        if (team_child(team, round) >= 0) {
            for (int i = 0; i < TEAM_SUMS_MOST; i++)
                known.before[i] -= children[round][i];
            put(team, team_child(team, round), TAG_TREE, &known, sizeof known);
        }
    memcpy(values, known.whole, (size_t)count * sizeof *values);
}

void team_broadcast(struct team *team, void *bytes, size_t size)
{
    if (team_parent(team) >= 0)
        get(team, team_parent(team), TAG_TREE, bytes, size);
    for (int round = team_rounds(team); round-- > 0;)
        if (team_child(team, round) >= 0)
            put(team, team_child(team, round), TAG_TREE, bytes, size);
}

void team_tell(const struct team *team, int to, const void *bytes, size_t size)
{
    put(team, to, TAG_BESIDE, bytes, size);
}

int team_hear(struct team *team, int from, void *bytes, size_t size)
{
    return get(team, from, TAG_BESIDE, bytes, size);
}
