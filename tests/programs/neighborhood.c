/*
 * neighborhood.c: collectives on the neighbourhoods of Cartesian, graph and distributed graph
 * communicators, with what each moves stated beside it and the data that arrives checked.
 *
 * Who the neighbours are is worked out here and never asked of MPI.  Each length is that of an
 * edge: from rank a to rank b go `edge_length(a, b)` integers.
 */
#include "program.h"

#include <tsprof.h>

enum { NEIGHBORS_MOST = 8, LENGTH_MOST = 64, ROOM = NEIGHBORS_MOST * LENGTH_MOST };

/* A communicator with a topology; a neighbour that is not there is MPI_PROC_NULL. */
struct place {
    MPI_Comm comm;
    int rank;
    int sources[NEIGHBORS_MOST], source_count;
    int targets[NEIGHBORS_MOST], target_count;
};

static int out[ROOM], in[ROOM];
static int out_counts[NEIGHBORS_MOST], out_at[NEIGHBORS_MOST];
static int in_counts[NEIGHBORS_MOST], in_at[NEIGHBORS_MOST];
static MPI_Aint out_bytes[NEIGHBORS_MOST], in_bytes[NEIGHBORS_MOST];
static MPI_Datatype types[NEIGHBORS_MOST];
static uint64_t sum = CHECKSUM_START;

static int edge_length(int from, int to)
{
    return 1 + (3 * from + 5 * to) % 7;
}

/* Neighbours that exist. */
static int existing(const int *ranks, int count)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += ranks[i] != MPI_PROC_NULL;
    return found;
}

/* What goes out to each and comes in from each, for the operations with lengths; in integers.
 */
static int set_out(const struct place *place)
{
    int all = 0;
    for (int i = 0; i < place->target_count; i++) {
        int to = place->targets[i];
        /* Towards nobody the arguments say something that must not count. */
        out_counts[i] = to == MPI_PROC_NULL ? 9 : edge_length(place->rank, to);
        out_at[i] = i * LENGTH_MOST;
        out_bytes[i] = (MPI_Aint)((size_t)out_at[i] * sizeof(int));
        all += to == MPI_PROC_NULL ? 0 : out_counts[i];
    }
    return all;
}

static int set_in(const struct place *place, int same_to_all)
{
    int all = 0;
    for (int i = 0; i < place->source_count; i++) {
        int from = place->sources[i];
        in_counts[i] = from == MPI_PROC_NULL ? 9
                       : same_to_all         ? edge_length(from, from)
                                             : edge_length(from, place->rank);
        in_at[i] = i * LENGTH_MOST;
        in_bytes[i] = (MPI_Aint)((size_t)in_at[i] * sizeof(int));
        all += from == MPI_PROC_NULL ? 0 : in_counts[i];
    }
    return all;
}

static void fill(const struct place *place)
{
    for (int i = 0; i < ROOM; i++) {
        out[i] = 1000 * place->rank + i / LENGTH_MOST;
        in[i] = -1;
    }
    for (int i = 0; i < NEIGHBORS_MOST; i++)
        types[i] = MPI_INT;
}

static void keep_result(void)
{
    sum = checksum_add(sum, in, sizeof in);
}

PATH_FUNCTION static void allgather(const struct place *place, int length)
{
    MPI_Neighbor_allgather(out, length, MPI_INT, in, length, MPI_INT, place->comm);
    COUNT_COLL(MPI_Neighbor_allgather,
               existing(place->targets, place->target_count) * length * 4,
               existing(place->sources, place->source_count) * length * 4);
    keep_result();
}

PATH_FUNCTION static void alltoall(const struct place *place, int length)
{
    MPI_Neighbor_alltoall(out, length, MPI_INT, in, length, MPI_INT, place->comm);
    COUNT_COLL(MPI_Neighbor_alltoall,
               existing(place->targets, place->target_count) * length * 4,
               existing(place->sources, place->source_count) * length * 4);
    keep_result();
}

PATH_FUNCTION static void allgatherv(const struct place *place)
{
    const int own = edge_length(place->rank, place->rank), all = set_in(place, 1);
    MPI_Neighbor_allgatherv(out, own, MPI_INT, in, in_counts, in_at, MPI_INT, place->comm);
    COUNT_COLL(MPI_Neighbor_allgatherv, existing(place->targets, place->target_count) * own * 4,
               all * 4);
    keep_result();
}

PATH_FUNCTION static void alltoallv(const struct place *place)
{
    const int sent = set_out(place), received = set_in(place, 0);
    MPI_Neighbor_alltoallv(out, out_counts, out_at, MPI_INT, in, in_counts, in_at, MPI_INT,
                           place->comm);
    COUNT_COLL(MPI_Neighbor_alltoallv, sent * 4, received * 4);
    keep_result();
}

PATH_FUNCTION static void alltoallw(const struct place *place)
{
    const int sent = set_out(place), received = set_in(place, 0);
    MPI_Neighbor_alltoallw(out, out_counts, out_bytes, types, in, in_counts, in_bytes, types,
                           place->comm);
    COUNT_COLL(MPI_Neighbor_alltoallw, sent * 4, received * 4);
    keep_result();
}

/* What a request stands for counts where it completes. */
PATH_FUNCTION static void complete(MPI_Request *request, int sent, int received)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    COUNT_COLL(MPI_Wait, sent * 4, received * 4);
    keep_result();
}

PATH_FUNCTION static void start_equal(const struct place *place, int length)
{
    const int sent = existing(place->targets, place->target_count) * length;
    const int received = existing(place->sources, place->source_count) * length;
    MPI_Request request;
    MPI_Ineighbor_allgather(out, length, MPI_INT, in, length, MPI_INT, place->comm, &request);
    COUNT_VISIT(MPI_Ineighbor_allgather);
    complete(&request, sent, received);
    MPI_Ineighbor_alltoall(out, length, MPI_INT, in, length, MPI_INT, place->comm, &request);
    COUNT_VISIT(MPI_Ineighbor_alltoall);
    complete(&request, sent, received);
}

PATH_FUNCTION static void start_different(const struct place *place)
{
    const int own = edge_length(place->rank, place->rank);
    const int to_all = existing(place->targets, place->target_count) * own;
    const int sent = set_out(place);
    int received = set_in(place, 1);
    MPI_Request request;
    MPI_Ineighbor_allgatherv(out, own, MPI_INT, in, in_counts, in_at, MPI_INT, place->comm,
                             &request);
    COUNT_VISIT(MPI_Ineighbor_allgatherv);
    complete(&request, to_all, received);
    received = set_in(place, 0);
    MPI_Ineighbor_alltoallv(out, out_counts, out_at, MPI_INT, in, in_counts, in_at, MPI_INT,
                            place->comm, &request);
    COUNT_VISIT(MPI_Ineighbor_alltoallv);
    complete(&request, sent, received);
    MPI_Ineighbor_alltoallw(out, out_counts, out_bytes, types, in, in_counts, in_bytes, types,
                            place->comm, &request);
    COUNT_VISIT(MPI_Ineighbor_alltoallw);
    complete(&request, sent, received);
}

#if MPI_VERSION >= 4
PATH_FUNCTION static void start_again(const struct place *place)
{
    const int sent = set_out(place), received = set_in(place, 0);
    MPI_Request request;
    MPI_Neighbor_alltoallv_init(out, out_counts, out_at, MPI_INT, in, in_counts, in_at, MPI_INT,
                                place->comm, MPI_INFO_NULL, &request);
    COUNT_VISIT(MPI_Neighbor_alltoallv_init);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        COUNT_VISIT(MPI_Start);
        complete(&request, sent, received);
    }
    MPI_Request_free(&request);
    COUNT_VISIT(MPI_Request_free);
}
#endif

#if MPI_VERSION >= 4
PATH_FUNCTION static void alltoallv_large(const struct place *place)
{
    const int sent = set_out(place), received = set_in(place, 0);
    MPI_Count sends[NEIGHBORS_MOST], receives[NEIGHBORS_MOST];
    MPI_Aint sends_at[NEIGHBORS_MOST], receives_at[NEIGHBORS_MOST];
    for (int i = 0; i < NEIGHBORS_MOST; i++) {
        sends[i] = out_counts[i];
        sends_at[i] = out_at[i];
        receives[i] = in_counts[i];
        receives_at[i] = in_at[i];
    }
    MPI_Neighbor_alltoallv_c(out, sends, sends_at, MPI_INT, in, receives, receives_at, MPI_INT,
                             place->comm);
    COUNT_COLL(MPI_Neighbor_alltoallv_c, sent * 4, received * 4);
    keep_result();
}

PATH_FUNCTION static void allgather_large(const struct place *place, int length)
{
    MPI_Neighbor_allgather_c(out, length, MPI_INT, in, length, MPI_INT, place->comm);
    COUNT_COLL(MPI_Neighbor_allgather_c,
               existing(place->targets, place->target_count) * length * 4,
               existing(place->sources, place->source_count) * length * 4);
    keep_result();
}
#endif

PATH_FUNCTION static void work_on(const struct place *place, int length)
{
    fill(place);
    allgather(place, length);
    allgatherv(place);
    alltoall(place, length);
    alltoallv(place);
    alltoallw(place);
    start_equal(place, length);
    start_different(place);
#if MPI_VERSION >= 4
    start_again(place);
    alltoallv_large(place);
    allgather_large(place, length);
#endif
}

/* A grid of `ranks` / 2 x 2 (or x 1), periodic along one dimension or none. */
PATH_FUNCTION static struct place make_grid(int periodic)
{
    struct place place = {.rank = program_rank, .source_count = 4, .target_count = 4};
    const int columns = program_ranks % 2 ? 1 : 2, rows = program_ranks / columns;
    const int sizes[2] = {rows, columns}, periods[2] = {periodic, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &place.comm);
    COUNT_VISIT(MPI_Cart_create);
    const int row = place.rank / columns, column = place.rank % columns;
    const int up = row > 0 ? row - 1 : periodic ? rows - 1 : -1;
    const int down = row < rows - 1 ? row + 1 : periodic ? 0 : -1;
    const int around[4] = {up < 0 ? MPI_PROC_NULL : up * columns + column,
                           down < 0 ? MPI_PROC_NULL : down * columns + column,
                           column > 0 ? place.rank - 1 : MPI_PROC_NULL,
                           column < columns - 1 ? place.rank + 1 : MPI_PROC_NULL};
    memcpy(place.sources, around, sizeof around);
    memcpy(place.targets, around, sizeof around);
    return place;
}

/* A star: rank 0 is everybody's neighbour. */
PATH_FUNCTION static struct place make_star(void)
{
    struct place place = {.rank = program_rank};
    int *ends = (int *)calloc(3 * (size_t)program_ranks, sizeof(int)), *edges = ends;
    const int others = program_ranks - 1;
    edges += program_ranks;
    for (int r = 0; r < program_ranks; r++)
        ends[r] = others + r;
    for (int r = 1; r < program_ranks; r++)
        edges[r - 1] = r;
    MPI_Graph_create(MPI_COMM_WORLD, program_ranks, ends, edges, 0, &place.comm);
    COUNT_VISIT(MPI_Graph_create);
    place.source_count = place.target_count = place.rank ? 1 : others;
    for (int i = 0; i < place.source_count; i++)
        place.sources[i] = place.targets[i] = place.rank ? 0 : i + 1;
    free(ends);
    return place;
}

/* Each rank sends to the next and the one after it, the last one to nobody. */
PATH_FUNCTION static struct place make_chain(void)
{
    struct place place = {.rank = program_rank};
    const int last = program_ranks - 1;
    for (int step = 1; step <= 2; step++) {
        if (program_rank < last && program_rank + step <= last)
            place.targets[place.target_count++] = program_rank + step;
        if (program_rank - step >= 0)
            place.sources[place.source_count++] = program_rank - step;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, place.source_count, place.sources,
                                   MPI_UNWEIGHTED, place.target_count, place.targets,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &place.comm);
    COUNT_VISIT(MPI_Dist_graph_create_adjacent);
    return place;
}

PATH_FUNCTION static void release(struct place *place)
{
    MPI_Comm_free(&place->comm);
    COUNT_VISIT(MPI_Comm_free);
}

PATH_FUNCTION static void disconnect(struct place *place)
{
    MPI_Comm_disconnect(&place->comm);
    COUNT_VISIT(MPI_Comm_disconnect);
}

static struct place make(int kind)
{
    return kind < 2 ? make_grid(kind) : kind == 2 ? make_star() : make_chain();
}

/* Communicators that come and go: the next one has the same handle and other neighbours. */
static void pass_by(int number)
{
    for (int kind = 3; kind >= 0; kind--) {
        struct place place = make(kind);
        fill(&place);
        alltoall(&place, 1 + kind);
        alltoallv(&place);
        if ((number + kind) % 2)
            disconnect(&place);
        else
            release(&place);
    }
}

/* Oneself as one's neighbour, twice along every other of many dimensions. */
PATH_FUNCTION static void turn_on_oneself(void)
{
#ifdef MPICH_VERSION
    enum { DIMENSIONS = 16 }; /* as many as MPICH has room for on its stack */
#else
    enum { DIMENSIONS = 40 };
#endif
    struct place place = {.rank = 0};
    int sizes[DIMENSIONS], periods[DIMENSIONS];
    for (int i = 0; i < DIMENSIONS; i++) {
        sizes[i] = 1;
        periods[i] = i % 2;
    }
    MPI_Cart_create(MPI_COMM_SELF, DIMENSIONS, sizes, periods, 0, &place.comm);
    COUNT_VISIT(MPI_Cart_create);
    fill(&place);
    MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, place.comm);
    COUNT_COLL(MPI_Neighbor_alltoall, DIMENSIONS * 2 * 4, DIMENSIONS * 2 * 4);
    keep_result();
    release(&place);
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {8, 40, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    struct place places[4];
    uint64_t random = (uint64_t)options.seed;

    program_start(&argc, &argv);
    for (int kind = 0; kind < 4; kind++)
        places[kind] = make(kind);
    turn_on_oneself();

    for (int i = 0; i < options.iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        counts_iteration(i);
        work_on(&places[i % 4], 1 + (int)(random_next(&random) % (uint64_t)options.size));
        pass_by(i);
        TSPROF_ITERATION_END("step");
    }
    counts_iteration(-1);

    for (int i = 0; i < 4; i++)
        release(&places[i]);
    program_end("neighborhood", sum, &options);
    return 0;
}
