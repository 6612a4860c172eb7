/* See mpi_team.h. */
#include "waits_mpi/mpi_team.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* A message of MPI has at most 2^31 elements: longer ones are several. */
#define PIECE ((uint64_t)1 << 30)

/* Messages that are under way. */
struct posted {
    MPI_Request *list;
    size_t count, room;
};

static bool add(struct posted *posted, MPI_Request request)
{
    if (posted->count == posted->room) {
        const size_t room = posted->room ? 2 * posted->room : 64;
        MPI_Request *list = realloc(posted->list, room * sizeof *list);
        if (!list)
            return false;
        posted->list = list;
        posted->room = room;
    }
    posted->list[posted->count++] = request;
    return true;
}

static int piece_of(uint64_t left)
{
    return (int)(left < PIECE ? left : PIECE);
}

static bool receive(struct posted *posted, struct bytes *in, uint64_t count, int from)
{
    bool good = true;
    in->count = 0;
    if (in->room < count) {
        free(in->data);
        in->room = (size_t)count;
        in->data = malloc(in->room);
        good = in->data != NULL;
    }
    for (uint64_t at = 0; good && at < count; at += PIECE) {
        MPI_Request request;
        MPI_Irecv(in->data + at, piece_of(count - at), MPI_BYTE, from, 0, MPI_COMM_WORLD,
                  &request);
        good = add(posted, request);
    }
    in->count = (size_t)count;
    return good;
}

static bool send(struct posted *posted, const struct bytes *out, int to)
{
    bool good = true;
    for (uint64_t at = 0; good && at < out->count; at += PIECE) {
        MPI_Request request;
        MPI_Isend(out->data + at, piece_of(out->count - at), MPI_BYTE, to, 0, MPI_COMM_WORLD,
                  &request);
        good = add(posted, request);
    }
    return good;
}

static bool wait_all(struct posted *posted)
{
    MPI_Status ignored;
    for (size_t i = 0; i < posted->count; i++)
        MPI_Wait(&posted->list[i], &ignored);
    free(posted->list);
    return true;
}

static bool exchange_bytes(const struct team *team, struct bytes *out, struct bytes *in,
                           const uint64_t *counts)
{
    struct posted posted = {NULL, 0, 0};
    bool good = true;
    for (uint32_t i = 0; good && i < team->size; i++)
        if (i != team->self)
            good = receive(&posted, &in[i], counts[i], (int)i);
    /* Not all begin with the same one. */
    for (uint32_t i = 1; good && i < team->size; i++) {
        const uint32_t to = (team->self + i) % team->size;
        good = send(&posted, &out[to], (int)to);
    }
    in[team->self].count = 0;
    return good && bytes_add(&in[team->self], out[team->self].data, out[team->self].count) &&
           wait_all(&posted);
}

static bool exchange(struct team *team, struct bytes *out, struct bytes *in)
{
    uint64_t *mine = calloc(team->size, sizeof *mine),
             *theirs = calloc(team->size, sizeof *theirs);
    bool good = mine && theirs;
    for (uint32_t i = 0; good && i < team->size; i++)
        mine[i] = out[i].count;
    if (good)
        MPI_Alltoall(mine, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    good = good && exchange_bytes(team, out, in, theirs);
    free(mine);
    free(theirs);
    /* The others wait for this one. */
    if (!good)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (uint32_t i = 0; i < team->size; i++)
        out[i].count = 0;
    return good;
}

struct team mpi_team(void)
{
    int size, rank;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return (struct team){(uint32_t)size, (uint32_t)rank, exchange};
}
