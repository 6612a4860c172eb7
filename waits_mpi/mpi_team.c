/* See mpi_team.h. */
#include "waits_mpi/mpi_team.h"

#include "utils/base/base.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* A message of MPI has at most 2^31 elements: longer ones are several. */
#define PIECE ((uint64_t)1 << 30)

/* Messages that are under way. */
struct posted {
    MPI_Request *list;
    size_t count;
};

static size_t pieces_of(uint64_t count)
{
    return (size_t)((count + PIECE - 1) / PIECE);
}

static int piece_of(uint64_t left)
{
    return (int)(left < PIECE ? left : PIECE);
}

/* Room for COUNT bytes. */
static bool make_room(struct bytes *in, uint64_t count)
{
    in->count = 0;
    if (in->room < count) {
        free(in->data);
        in->data = malloc((size_t)count);
        in->room = in->data ? (size_t)count : 0;
    }
    return in->room >= count;
}

/* Memory for all that will be received, and for all requests. */
static bool prepare(const struct team *team, struct posted *posted, const struct bytes *out,
                    struct bytes *in, const uint64_t *counts)
{
    size_t pieces = 1;
    bool good = true;
    for (uint32_t i = 0; i < team->size; i++) {
        pieces += pieces_of(out[i].count) + pieces_of(counts[i]);
        good &= make_room(&in[i], counts[i]);
    }
    posted->list = malloc(pieces * sizeof *posted->list);
    return good && posted->list;
}

static void receive(struct posted *posted, struct bytes *in, uint64_t count, int from)
{
    for (uint64_t at = 0; at < count; at += PIECE)
        MPI_Irecv(in->data + at, piece_of(count - at), MPI_BYTE, from, 0, MPI_COMM_WORLD,
                  &posted->list[posted->count++]);
    in->count = (size_t)count;
}

static void send(struct posted *posted, const struct bytes *out, int to)
{
    for (uint64_t at = 0; at < out->count; at += PIECE)
        MPI_Isend(out->data + at, piece_of(out->count - at), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                  &posted->list[posted->count++]);
}

static void wait_all(struct posted *posted)
{
    MPI_Status ignored;
    for (size_t i = 0; i < posted->count; i++)
        MPI_Wait(&posted->list[i], &ignored);
}

static void exchange_bytes(const struct team *team, struct posted *posted, struct bytes *out,
                           struct bytes *in, const uint64_t *counts)
{
    for (uint32_t i = 0; i < team->size; i++)
        if (i != team->self)
            receive(posted, &in[i], counts[i], (int)i);
    /* Not all begin with the same one. */
    for (uint32_t i = 1; i < team->size; i++) {
        const uint32_t to = (team->self + i) % team->size;
        send(posted, &out[to], (int)to);
    }
    /* There is room for it. */
    bytes_add(&in[team->self], out[team->self].data, out[team->self].count);
    wait_all(posted);
    for (uint32_t i = 0; i < team->size; i++)
        out[i].count = 0;
}

/* How many bytes go to each, and come from each. */
static uint64_t *mine, *theirs;

static bool exchange(struct team *team, struct bytes *out, struct bytes *in)
{
    struct posted posted = {NULL, 0};
    for (uint32_t i = 0; i < team->size; i++)
        mine[i] = out ? out[i].count : 0;
    MPI_Alltoall(mine, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    const bool good = out && prepare(team, &posted, out, in, theirs);
    /* Before anybody sends what another one has no room for. */
    const uint32_t failed = good ? team->size : team->self;
    MPI_Allreduce(&failed, &team->first_failed, 1, MPI_UINT32_T, MPI_MIN, MPI_COMM_WORLD);
    const bool all_good = team->first_failed == team->size;
    if (all_good)
        exchange_bytes(team, &posted, out, in, theirs);
    free(posted.list);
    return all_good;
}

struct team mpi_team(void)
{
    int size, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mine = allocate((size_t)size, sizeof *mine);
    theirs = allocate((size_t)size, sizeof *theirs);
    return (struct team){.size = (uint32_t)size, .self = (uint32_t)rank, .exchange = exchange};
}
