/* See mpi_neighborhood.h. */
#include "wrappers/mpi_neighborhood.h"

#include "library/typed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { REMEMBERED = 8, MASK_BITS = 64 };

/* How many neighbours the arguments are for, and which of them exist in the topology. */
struct neighborhood {
    MPI_Comm comm;
    unsigned generation; /* 1 + `generation` when MPI was asked; 0: empty */
    bool cartesian;
    int sources;
    int destinations;
    int existing_sources; /* without those beyond an edge of the grid */
    int existing_destinations;
    uint64_t there; /* Cartesian: a bit for each of the first MASK_BITS neighbours that exist */
};

/* Incremented before a communicator is freed, because its handle may come back. */
static unsigned generation;

static __thread struct neighborhood remembered[REMEMBERED]
    __attribute__((tls_model("initial-exec")));

void neighborhood_forget(void)
{
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}

/*
 * Which neighbours exist along a dimension: bit 0 in the negative direction, bit 1 in the
 * positive one.
 */
static unsigned ask_along(MPI_Comm comm, int dimension)
{
    int before = MPI_PROC_NULL, after = MPI_PROC_NULL;
    PREAL(MPI_Cart_shift)(comm, dimension, 1, &before, &after);
    return (before != MPI_PROC_NULL) | (unsigned)(after != MPI_PROC_NULL) << 1;
}

static bool is_there(const struct neighborhood *around, int index)
{
    if (!around->cartesian)
        return true;
    if (index < MASK_BITS)
        return around->there >> index & 1;
    return ask_along(around->comm, index / 2) >> index % 2 & 1;
}

static struct neighborhood ask(MPI_Comm comm)
{
    struct neighborhood found = {.comm = comm};
    int kind = MPI_UNDEFINED, rank = 0, dimensions = 0, weighted = 0;
    PREAL(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_CART) {
        PREAL(MPI_Cartdim_get)(comm, &dimensions);
        found.cartesian = true;
        found.sources = found.destinations = 2 * dimensions;
        for (int i = 0; i < dimensions && 2 * i < MASK_BITS; i++)
            found.there |= (uint64_t)ask_along(comm, i) << 2 * i;
    } else if (kind == MPI_GRAPH) {
        PREAL(MPI_Comm_rank)(comm, &rank);
        PREAL(MPI_Graph_neighbors_count)(comm, rank, &found.sources);
        found.destinations = found.sources;
    } else if (kind == MPI_DIST_GRAPH) {
        PREAL(MPI_Dist_graph_neighbors_count)
        (comm, &found.sources, &found.destinations, &weighted);
    }
    for (int i = 0; i < found.sources; i++)
        found.existing_sources += is_there(&found, i);
    for (int i = 0; i < found.destinations; i++)
        found.existing_destinations += is_there(&found, i);
    return found;
}

/* The neighbourhood of COMM; valid until the calling thread asks for another. */
static const struct neighborhood *neighborhood_of(MPI_Comm comm)
{
    uint64_t hash = (uint64_t)(uintptr_t)comm * UINT64_C(0x9E3779B97F4A7C15);
    struct neighborhood *slot = &remembered[(hash >> 32) % REMEMBERED];
    unsigned now = __atomic_load_n(&generation, __ATOMIC_RELAXED) + 1;
    if (slot->comm != comm || slot->generation != now) {
        *slot = ask(comm);
        slot->generation = now;
    }
    return slot;
}

/* Amounts by neighbour: `counts` elements of `type` or, unless NULL, of `types`. */
struct amounts {
    struct count_array counts;
    MPI_Datatype type;
    const MPI_Datatype *types;
};

static int64_t amount_at(const struct amounts *amounts, int index)
{
    int64_t count = count_at(amounts->counts, index);
    return count
               ? count * mpi_type_bytes(amounts->types ? amounts->types[index] : amounts->type)
               : 0;
}

/* Bytes exchanged with those of the first COUNT neighbours that exist. */
static int64_t total(const struct neighborhood *around, const struct amounts *amounts,
                     int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        if (is_there(around, i))
            sum += amount_at(amounts, i);
    return sum;
}

static struct exchanged exchange(MPI_Comm comm, const struct amounts *out,
                                 const struct amounts *in)
{
    const struct neighborhood *around = neighborhood_of(comm);
    return (struct exchanged){total(around, out, around->destinations),
                              total(around, in, around->sources)};
}

struct exchanged neighborhood_equal(int64_t sendcount, MPI_Datatype sendtype, int64_t recvcount,
                                    MPI_Datatype recvtype, MPI_Comm comm)
{
    const struct neighborhood *around = neighborhood_of(comm);
    int64_t sent = mpi_type_bytes(sendtype);
    int64_t received = recvtype == sendtype ? sent : mpi_type_bytes(recvtype);
    return (struct exchanged){sendcount * sent * around->existing_destinations,
                              recvcount * received * around->existing_sources};
}

struct exchanged neighborhood_allgatherv(int64_t sendcount, MPI_Datatype sendtype,
                                         struct count_array recvcounts, MPI_Datatype recvtype,
                                         MPI_Comm comm)
{
    const struct neighborhood *around = neighborhood_of(comm);
    const struct amounts in = {.counts = recvcounts, .type = recvtype};
    return (struct exchanged){sendcount * mpi_type_bytes(sendtype) *
                                  around->existing_destinations,
                              total(around, &in, around->sources)};
}

struct exchanged neighborhood_alltoallv(struct count_array sendcounts, MPI_Datatype sendtype,
                                        struct count_array recvcounts, MPI_Datatype recvtype,
                                        MPI_Comm comm)
{
    struct amounts out = {.counts = sendcounts, .type = sendtype};
    struct amounts in = {.counts = recvcounts, .type = recvtype};
    return exchange(comm, &out, &in);
}

struct exchanged neighborhood_alltoallw(struct count_array sendcounts,
                                        const MPI_Datatype *sendtypes,
                                        struct count_array recvcounts,
                                        const MPI_Datatype *recvtypes, MPI_Comm comm)
{
    struct amounts out = {.counts = sendcounts, .types = sendtypes};
    struct amounts in = {.counts = recvcounts, .types = recvtypes};
    return exchange(comm, &out, &in);
}

/* Drops those that do not exist. */
static int keep_existing(int *ranks, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (ranks[i] != MPI_PROC_NULL)
            ranks[kept++] = ranks[i];
    return kept;
}

static void list_distributed(MPI_Comm comm, const struct neighborhood *around, int *sources)
{
    /* MPI wants room for weights and for destinations, too. */
    const size_t ins = (size_t)around->sources + 1, outs = (size_t)around->destinations + 1;
    int *rest = calloc(ins + 2 * outs, sizeof *rest);
    if (rest)
        PREAL(MPI_Dist_graph_neighbors)
    (comm, around->sources, sources, rest, around->destinations, rest + ins, rest + ins + outs);
    free(rest);
}

static void list_sources(MPI_Comm comm, int kind, const struct neighborhood *around,
                         int *sources)
{
    int rank = 0;
    for (int i = 0; kind == MPI_CART && i + 1 < around->sources; i += 2)
        PREAL(MPI_Cart_shift)(comm, i / 2, 1, &sources[i], &sources[i + 1]);
    if (kind == MPI_GRAPH) {
        PREAL(MPI_Comm_rank)(comm, &rank);
        PREAL(MPI_Graph_neighbors)(comm, rank, around->sources, sources);
    }
    if (kind == MPI_DIST_GRAPH)
        list_distributed(comm, around, sources);
}

int *neighborhood_sources(MPI_Comm comm, int *count)
{
    int kind = MPI_UNDEFINED;
    PREAL(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_UNDEFINED)
        return NULL;
    const struct neighborhood around = ask(comm);
    int *sources = malloc(((size_t)around.sources + 1) * sizeof *sources);
    if (!sources)
        return NULL;
    for (int i = 0; i < around.sources; i++)
        sources[i] = MPI_PROC_NULL;
    list_sources(comm, kind, &around, sources);
    *count = keep_existing(sources, around.sources);
    return sources;
}
