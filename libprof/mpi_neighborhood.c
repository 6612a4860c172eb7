/* See mpi_neighborhood.h. */
#include "mpi_neighborhood.h"

#include "mpi_real.h"

#include <stdbool.h>

/* How many neighbours the arguments tell of, and what topology says which of them exist. */
struct neighborhood {
    MPI_Comm comm;
    bool cartesian;
    int sources;
    int destinations;
};

static struct neighborhood neighborhood_of(MPI_Comm comm)
{
    struct neighborhood found = {.comm = comm};
    int kind = MPI_UNDEFINED, rank = 0, dimensions = 0, weighted = 0;
    PREAL(MPI_Topo_test)(comm, &kind);
    if (kind == MPI_CART) {
        PREAL(MPI_Cartdim_get)(comm, &dimensions);
        found.cartesian = true;
        found.sources = found.destinations = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        PREAL(MPI_Comm_rank)(comm, &rank);
        PREAL(MPI_Graph_neighbors_count)(comm, rank, &found.sources);
        found.destinations = found.sources;
    } else if (kind == MPI_DIST_GRAPH) {
        PREAL(MPI_Dist_graph_neighbors_count)
        (comm, &found.sources, &found.destinations, &weighted);
    }
    return found;
}

/* Bytes by neighbour: EACH for all, or COUNTS times TYPE or TYPES. */
struct amounts {
    int64_t each;
    struct count_array counts;
    MPI_Datatype type;
    const MPI_Datatype *types;
};

static int64_t amount_at(const struct amounts *amounts, int index)
{
    if (!amounts->counts.items)
        return amounts->each;
    int64_t count = count_at(amounts->counts, index);
    return count
               ? count * mpi_type_bytes(amounts->types ? amounts->types[index] : amounts->type)
               : 0;
}

/* The first is the neighbour in the negative direction, the second in the positive one. */
static struct exchanged along_dimension(MPI_Comm comm, int dimension, const struct amounts *out,
                                        const struct amounts *in)
{
    struct exchanged sum = {0, 0};
    int neighbors[2] = {MPI_PROC_NULL, MPI_PROC_NULL};
    PREAL(MPI_Cart_shift)(comm, dimension, 1, &neighbors[0], &neighbors[1]);
    for (int side = 0; side < 2; side++) {
        if (neighbors[side] == MPI_PROC_NULL)
            continue;
        sum.out += amount_at(out, 2 * dimension + side);
        sum.in += amount_at(in, 2 * dimension + side);
    }
    return sum;
}

static struct exchanged exchange(MPI_Comm comm, const struct amounts *out,
                                 const struct amounts *in)
{
    const struct neighborhood around = neighborhood_of(comm);
    struct exchanged sum = {0, 0};
    if (around.cartesian) {
        for (int dimension = 0; 2 * dimension < around.sources; dimension++) {
            struct exchanged part = along_dimension(comm, dimension, out, in);
            sum.out += part.out;
            sum.in += part.in;
        }
        return sum;
    }
    for (int i = 0; i < around.destinations; i++)
        sum.out += amount_at(out, i);
    for (int i = 0; i < around.sources; i++)
        sum.in += amount_at(in, i);
    return sum;
}

struct exchanged neighborhood_equal(int64_t sendcount, MPI_Datatype sendtype, int64_t recvcount,
                                    MPI_Datatype recvtype, MPI_Comm comm)
{
    struct amounts out = {.each = sendcount * mpi_type_bytes(sendtype)};
    struct amounts in = {.each = recvcount * mpi_type_bytes(recvtype)};
    return exchange(comm, &out, &in);
}

struct exchanged neighborhood_allgatherv(int64_t sendcount, MPI_Datatype sendtype,
                                         struct count_array recvcounts, MPI_Datatype recvtype,
                                         MPI_Comm comm)
{
    struct amounts out = {.each = sendcount * mpi_type_bytes(sendtype)};
    struct amounts in = {.counts = recvcounts, .type = recvtype};
    return exchange(comm, &out, &in);
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
