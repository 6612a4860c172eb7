/*
 * collectives.c: every kind of collective operation that has its own rule for bytes, one after
 * the other, with lengths, roots and communicators that change from iteration to iteration.
 *
 * Each operation states its bytes by the rule itself, so this file doubles as the list of them.
 */
#include "program.h"

#include <tsprof.h>

struct group {
    MPI_Comm comm;
    int rank;
    int size;
    int root;
    int count;         /* elements per peer */
    int *out, *in;     /* room for `count` elements per peer */
    int *counts, *at;  /* per peer, for the operations with different lengths */
    MPI_Datatype pair; /* of two integers */
};

static void fill(struct group *group)
{
    const int total = 2 * group->size * (group->count + group->size);
    for (int i = 0; i < total; i++) {
        group->out[i] = group->rank * 1000 + i;
        group->in[i] = 0;
    }
}

/* `count` + r elements for rank r; returns how many there are of all. */
static int set_lengths(struct group *group)
{
    int total = 0;
    for (int r = 0; r < group->size; r++) {
        group->counts[r] = group->count + r;
        group->at[r] = total;
        total += group->counts[r];
    }
    return total;
}

PATH_FUNCTION static void barrier(struct group *group)
{
    MPI_Barrier(group->comm);
    COUNT_BARRIER(MPI_Barrier);
}

PATH_FUNCTION static void bcast(struct group *group)
{
    const int e = group->count * 8;
    MPI_Bcast(group->out, group->count, group->pair, group->root, group->comm);
    COUNT_COLL(MPI_Bcast, group->rank == group->root ? group->size * e : 0, e);
}

PATH_FUNCTION static void gather(struct group *group)
{
    const int e = group->count * 4;
    MPI_Gather(group->out, group->count, MPI_INT, group->in, group->count, MPI_INT, group->root,
               group->comm);
    COUNT_COLL(MPI_Gather, e, group->rank == group->root ? group->size * e : 0);
}

PATH_FUNCTION static void gather_in_place(struct group *group)
{
    const int e = group->count * 4;
    const int is_root = group->rank == group->root;
    MPI_Gather(is_root ? MPI_IN_PLACE : group->out, group->count, MPI_INT, group->in,
               group->count, MPI_INT, group->root, group->comm);
    COUNT_COLL(MPI_Gather, is_root ? 0 : e, is_root ? (group->size - 1) * e : 0);
}

PATH_FUNCTION static void gatherv(struct group *group)
{
    const int total = set_lengths(group);
    MPI_Gatherv(group->out, group->counts[group->rank], MPI_INT, group->in, group->counts,
                group->at, MPI_INT, group->root, group->comm);
    COUNT_COLL(MPI_Gatherv, group->counts[group->rank] * 4,
               group->rank == group->root ? total * 4 : 0);
}

PATH_FUNCTION static void scatter(struct group *group)
{
    const int e = group->count * 4;
    MPI_Scatter(group->out, group->count, MPI_INT, group->in, group->count, MPI_INT,
                group->root, group->comm);
    COUNT_COLL(MPI_Scatter, group->rank == group->root ? group->size * e : 0, e);
}

PATH_FUNCTION static void scatter_in_place(struct group *group)
{
    const int e = group->count * 4;
    const int is_root = group->rank == group->root;
    MPI_Scatter(group->out, group->count, MPI_INT, is_root ? MPI_IN_PLACE : group->in,
                group->count, MPI_INT, group->root, group->comm);
    COUNT_COLL(MPI_Scatter, is_root ? (group->size - 1) * e : 0, is_root ? 0 : e);
}

PATH_FUNCTION static void scatterv(struct group *group)
{
    const int total = set_lengths(group);
    MPI_Scatterv(group->out, group->counts, group->at, MPI_INT, group->in,
                 group->counts[group->rank], MPI_INT, group->root, group->comm);
    COUNT_COLL(MPI_Scatterv, group->rank == group->root ? total * 4 : 0,
               group->counts[group->rank] * 4);
}

PATH_FUNCTION static void allgather(struct group *group)
{
    const int e = group->count * 4;
    MPI_Allgather(group->out, group->count, MPI_INT, group->in, group->count, MPI_INT,
                  group->comm);
    COUNT_COLL(MPI_Allgather, group->size * e, group->size * e);
}

PATH_FUNCTION static void allgather_in_place(struct group *group)
{
    const int others = (group->size - 1) * group->count * 4;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, group->in, group->count, MPI_INT,
                  group->comm);
    COUNT_COLL(MPI_Allgather, others, others);
}

PATH_FUNCTION static void alltoall(struct group *group)
{
    const int all = group->size * group->count * 4;
    MPI_Alltoall(group->out, group->count, MPI_INT, group->in, group->count, MPI_INT,
                 group->comm);
    COUNT_COLL(MPI_Alltoall, all, all);
}

/* Everyone sends r's length to r, and so gets its own length from everyone. */
PATH_FUNCTION static void alltoallv(struct group *group)
{
    const int total = set_lengths(group);
    const int mine = group->counts[group->rank];
    int *in_counts = (int *)malloc(2 * (size_t)group->size * sizeof(int));
    int *in_at = in_counts + group->size;
    for (int r = 0; r < group->size; r++) {
        in_counts[r] = mine;
        in_at[r] = r * mine;
    }
    MPI_Alltoallv(group->out, group->counts, group->at, MPI_INT, group->in, in_counts, in_at,
                  MPI_INT, group->comm);
    COUNT_COLL(MPI_Alltoallv, total * 4, group->size * mine * 4);
    free(in_counts);
}

PATH_FUNCTION static void reduce(struct group *group)
{
    const int e = group->count * 4;
    MPI_Reduce(group->out, group->in, group->count, MPI_INT, MPI_SUM, group->root, group->comm);
    COUNT_COLL(MPI_Reduce, e, group->rank == group->root ? group->size * e : 0);
}

/* MPICH 4.0 reads from MPI_IN_PLACE itself if there are more than 2 kB and the root is not 0.
 */
PATH_FUNCTION static void reduce_in_place(struct group *group)
{
    const int count = group->count < 512 ? group->count : 512, e = count * 4;
    const int is_root = group->rank == group->root;
    MPI_Reduce(is_root ? MPI_IN_PLACE : group->out, group->in, count, MPI_INT, MPI_SUM,
               group->root, group->comm);
    COUNT_COLL(MPI_Reduce, is_root ? 0 : e, is_root ? (group->size - 1) * e : 0);
}

PATH_FUNCTION static void allreduce(struct group *group)
{
    const int all = group->size * group->count * 4;
    MPI_Allreduce(group->out, group->in, group->count, MPI_INT, MPI_MAX, group->comm);
    COUNT_COLL(MPI_Allreduce, all, all);
}

PATH_FUNCTION static void allreduce_in_place(struct group *group)
{
    const int others = (group->size - 1) * group->count * 4;
    MPI_Allreduce(MPI_IN_PLACE, group->in, group->count, MPI_INT, MPI_MAX, group->comm);
    COUNT_COLL(MPI_Allreduce, others, others);
}

PATH_FUNCTION static void reduce_scatter(struct group *group)
{
    const int total = set_lengths(group);
    MPI_Reduce_scatter(group->out, group->in, group->counts, MPI_INT, MPI_SUM, group->comm);
    COUNT_COLL(MPI_Reduce_scatter, total * 4, group->size * group->counts[group->rank] * 4);
}

PATH_FUNCTION static void scan(struct group *group)
{
    const int e = group->count * 4;
    MPI_Scan(group->out, group->in, group->count, MPI_INT, MPI_SUM, group->comm);
    COUNT_COLL(MPI_Scan, (group->size - group->rank) * e, (group->rank + 1) * e);
}

PATH_FUNCTION static void gatherv_in_place(struct group *group)
{
    const int total = set_lengths(group), own = group->counts[group->rank];
    const int is_root = group->rank == group->root;
    MPI_Gatherv(is_root ? MPI_IN_PLACE : group->out, own, MPI_INT, group->in, group->counts,
                group->at, MPI_INT, group->root, group->comm);
    COUNT_COLL(MPI_Gatherv, is_root ? 0 : own * 4, is_root ? (total - own) * 4 : 0);
}

PATH_FUNCTION static void scatterv_in_place(struct group *group)
{
    const int total = set_lengths(group), own = group->counts[group->rank];
    const int is_root = group->rank == group->root;
    MPI_Scatterv(group->out, group->counts, group->at, MPI_INT,
                 is_root ? MPI_IN_PLACE : group->in, own, MPI_INT, group->root, group->comm);
    COUNT_COLL(MPI_Scatterv, is_root ? (total - own) * 4 : 0, is_root ? 0 : own * 4);
}

PATH_FUNCTION static void allgatherv(struct group *group)
{
    const int total = set_lengths(group), own = group->counts[group->rank];
    MPI_Allgatherv(group->out, own, MPI_INT, group->in, group->counts, group->at, MPI_INT,
                   group->comm);
    COUNT_COLL(MPI_Allgatherv, group->size * own * 4, total * 4);
}

PATH_FUNCTION static void allgatherv_in_place(struct group *group)
{
    const int total = set_lengths(group), own = group->counts[group->rank];
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, group->in, group->counts, group->at,
                   MPI_INT, group->comm);
    COUNT_COLL(MPI_Allgatherv, (group->size - 1) * own * 4, (total - own) * 4);
}

PATH_FUNCTION static void alltoall_in_place(struct group *group)
{
    const int others = (group->size - 1) * group->count * 4;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, group->in, group->count, MPI_INT,
                 group->comm);
    COUNT_COLL(MPI_Alltoall, others, others);
}

/* As long between two ranks one way as the other; returns how many there are of others'. */
static int set_mutual_lengths(struct group *group)
{
    int others = 0;
    for (int r = 0; r < group->size; r++) {
        group->counts[r] = group->count + (r + group->rank) % 3;
        group->at[r] = r * (group->count + 2);
        others += r == group->rank ? 0 : group->counts[r];
    }
    return others;
}

PATH_FUNCTION static void alltoallv_in_place(struct group *group)
{
    const int others = set_mutual_lengths(group);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, group->in, group->counts,
                  group->at, MPI_INT, group->comm);
    COUNT_COLL(MPI_Alltoallv, others * 4, others * 4);
}

/* The even ranks' part is in pairs of integers, the odd ones' in single ones. */
PATH_FUNCTION static void alltoallw(struct group *group, int in_place)
{
    MPI_Datatype *types = (MPI_Datatype *)malloc((size_t)group->size * sizeof *types);
    int own = 0, bytes = 0;
    set_mutual_lengths(group);
    for (int r = 0; r < group->size; r++) {
        const int even = (r + group->rank) % 2 == 0;
        types[r] = even ? group->pair : MPI_INT;
        group->at[r] = r * (group->count + 2) * 8;
        bytes += group->counts[r] * (even ? 8 : 4);
        own = r == group->rank ? group->counts[r] * (even ? 8 : 4) : own;
    }
    MPI_Alltoallw(in_place ? MPI_IN_PLACE : group->out, group->counts, group->at, types,
                  group->in, group->counts, group->at, types, group->comm);
    COUNT_COLL(MPI_Alltoallw, bytes - (in_place ? own : 0), bytes - (in_place ? own : 0));
    free(types);
}

PATH_FUNCTION static void alltoallw_between(struct group *group)
{
    alltoallw(group, 0);
}

PATH_FUNCTION static void alltoallw_in_place(struct group *group)
{
    alltoallw(group, 1);
}

PATH_FUNCTION static void reduce_scatter_in_place(struct group *group)
{
    const int total = set_lengths(group), own = group->counts[group->rank];
    MPI_Reduce_scatter(MPI_IN_PLACE, group->in, group->counts, MPI_INT, MPI_SUM, group->comm);
    COUNT_COLL(MPI_Reduce_scatter, (total - own) * 4, (group->size - 1) * own * 4);
}

PATH_FUNCTION static void reduce_scatter_block(struct group *group)
{
    const int all = group->size * group->count * 4;
    MPI_Reduce_scatter_block(group->out, group->in, group->count, MPI_INT, MPI_SUM,
                             group->comm);
    COUNT_COLL(MPI_Reduce_scatter_block, all, all);
}

PATH_FUNCTION static void reduce_scatter_block_in_place(struct group *group)
{
    const int others = (group->size - 1) * group->count * 4;
    MPI_Reduce_scatter_block(MPI_IN_PLACE, group->in, group->count, MPI_INT, MPI_SUM,
                             group->comm);
    COUNT_COLL(MPI_Reduce_scatter_block, others, others);
}

PATH_FUNCTION static void scan_in_place(struct group *group)
{
    const int e = group->count * 4;
    MPI_Scan(MPI_IN_PLACE, group->in, group->count, MPI_INT, MPI_SUM, group->comm);
    COUNT_COLL(MPI_Scan, (group->size - group->rank - 1) * e, group->rank * e);
}

PATH_FUNCTION static void exscan(struct group *group)
{
    const int e = group->count * 4;
    MPI_Exscan(group->out, group->in, group->count, MPI_INT, MPI_SUM, group->comm);
    COUNT_COLL(MPI_Exscan, (group->size - group->rank - 1) * e, group->rank * e);
}

PATH_FUNCTION static void exscan_in_place(struct group *group)
{
    const int e = group->count * 4;
    MPI_Exscan(MPI_IN_PLACE, group->in, group->count, MPI_INT, MPI_SUM, group->comm);
    COUNT_COLL(MPI_Exscan, (group->size - group->rank - 1) * e, group->rank * e);
}

typedef void operation(struct group *group);

static operation *const operations[] = {
    barrier,
    bcast,
    gather,
    gather_in_place,
    gatherv,
    gatherv_in_place,
    scatter,
    scatter_in_place,
    scatterv,
    scatterv_in_place,
    allgather,
    allgather_in_place,
    allgatherv,
    allgatherv_in_place,
    alltoall,
    alltoall_in_place,
    alltoallv,
    alltoallv_in_place,
    alltoallw_between,
    alltoallw_in_place,
    reduce,
    reduce_in_place,
    allreduce,
    allreduce_in_place,
    reduce_scatter,
    reduce_scatter_in_place,
    reduce_scatter_block,
    reduce_scatter_block_in_place,
    scan,
    scan_in_place,
    exscan,
    exscan_in_place,
};

#define OPERATIONS (sizeof operations / sizeof *operations)

PATH_FUNCTION static void set_up(struct group *world, struct group *half, int size)
{
    const size_t room = 2 * (size_t)program_ranks * (size_t)(size + program_ranks);
    world->comm = MPI_COMM_WORLD;
    world->rank = program_rank;
    world->size = program_ranks;
    world->out = (int *)calloc(2 * room, sizeof(int));
    world->in = world->out + room;
    world->counts = (int *)calloc(2 * (size_t)program_ranks, sizeof(int));
    world->at = world->counts + program_ranks;
    MPI_Type_contiguous(2, MPI_INT, &world->pair);
    COUNT_VISIT(MPI_Type_contiguous);
    MPI_Type_commit(&world->pair);
    COUNT_VISIT(MPI_Type_commit);

    *half = *world;
    MPI_Comm_split(MPI_COMM_WORLD, program_rank % 2, -program_rank, &half->comm);
    COUNT_VISIT(MPI_Comm_split);
    MPI_Comm_rank(half->comm, &half->rank);
    COUNT_VISIT(MPI_Comm_rank);
    MPI_Comm_size(half->comm, &half->size);
    COUNT_VISIT(MPI_Comm_size);
}

PATH_FUNCTION static void release(struct group *world, struct group *half)
{
    MPI_Comm_free(&half->comm);
    COUNT_VISIT(MPI_Comm_free);
    MPI_Type_free(&world->pair);
    COUNT_VISIT(MPI_Type_free);
    free(world->out);
    free(world->counts);
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {12, 40, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    struct group world, half;
    uint64_t sum = CHECKSUM_START;
    uint64_t random = (uint64_t)options.seed;

    program_start(&argc, &argv);
    TSPROF_PHASE_BEGIN("setup");
    set_up(&world, &half, options.size);
    TSPROF_PHASE_END("setup");

    for (int i = 0; i < options.iterations; i++) {
        struct group *group = i % 3 == 2 ? &half : &world;
        TSPROF_ITERATION_BEGIN("step");
        counts_iteration(i);
        group->root = i % group->size;
        group->count = 1 + (int)(random_next(&random) % (uint64_t)options.size);
        for (size_t o = 0; o < OPERATIONS; o++) {
            fill(group);
            operations[o](group);
            sum = checksum_add(sum, group->in, (size_t)group->count * sizeof(int));
        }
        TSPROF_ITERATION_END("step");
    }
    counts_iteration(-1);

    release(&world, &half);
    program_end("collectives", sum, &options);
    return 0;
}
