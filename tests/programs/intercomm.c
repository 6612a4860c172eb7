/*
 * intercomm.c: every kind of collective operation between two groups of different sizes, with
 * what each moves stated beside it.
 *
 * Rank 0 alone is one group, all others are the other one.  Each exchanges data with the remote
 * group: N, in the rules, is its size.  In rooted operations the root's own group takes no
 * part.
 */
#include "program.h"

#include <tsprof.h>

enum { ROOM = 4096 };

static MPI_Comm between;
static int own_size, remote_size, own_rank;
static int alone; /* this is rank 0, the group of one */
static int count;
static int out[ROOM], in[ROOM], counts[64], at[64], remote_counts[64];
static MPI_Datatype types[64];
static uint64_t sum = CHECKSUM_START;

/* `count` + r elements for rank r of a group; returns how many there are of all. */
static int set_lengths(int *lengths, int size)
{
    int total = 0;
    for (int r = 0; r < size; r++) {
        lengths[r] = count + r;
        at[r] = total;
        total += lengths[r];
    }
    return total;
}

/* What to give as root where rank 0 is the root, and where rank 1, first of the others, is. */
static int root_is_alone(void)
{
    return alone ? MPI_ROOT : 0;
}

static int root_is_first(void)
{
    return alone ? 0 : own_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static int takes_part(int root)
{
    return root != MPI_ROOT && root != MPI_PROC_NULL;
}

PATH_FUNCTION static void barrier(void)
{
    MPI_Barrier(between);
    COUNT_BARRIER(MPI_Barrier);
}

PATH_FUNCTION static void bcast(int root)
{
    const int e = count * 4;
    MPI_Bcast(root == MPI_ROOT ? out : in, count, MPI_INT, root, between);
    COUNT_COLL(MPI_Bcast, root == MPI_ROOT ? remote_size * e : 0, takes_part(root) ? e : 0);
}

PATH_FUNCTION static void gather(int root)
{
    const int e = count * 4;
    MPI_Gather(out, count, MPI_INT, in, count, MPI_INT, root, between);
    COUNT_COLL(MPI_Gather, takes_part(root) ? e : 0, root == MPI_ROOT ? remote_size * e : 0);
}

PATH_FUNCTION static void gatherv(int root)
{
    const int total = set_lengths(remote_counts, remote_size);
    MPI_Gatherv(out, count + own_rank, MPI_INT, in, remote_counts, at, MPI_INT, root, between);
    COUNT_COLL(MPI_Gatherv, takes_part(root) ? (count + own_rank) * 4 : 0,
               root == MPI_ROOT ? total * 4 : 0);
}

PATH_FUNCTION static void scatter(int root)
{
    const int e = count * 4;
    MPI_Scatter(out, count, MPI_INT, in, count, MPI_INT, root, between);
    COUNT_COLL(MPI_Scatter, root == MPI_ROOT ? remote_size * e : 0, takes_part(root) ? e : 0);
}

PATH_FUNCTION static void scatterv(int root)
{
    const int total = set_lengths(remote_counts, remote_size);
    MPI_Scatterv(out, remote_counts, at, MPI_INT, in, count + own_rank, MPI_INT, root, between);
    COUNT_COLL(MPI_Scatterv, root == MPI_ROOT ? total * 4 : 0,
               takes_part(root) ? (count + own_rank) * 4 : 0);
}

PATH_FUNCTION static void reduce(int root)
{
    const int e = count * 4;
    MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, root, between);
    COUNT_COLL(MPI_Reduce, takes_part(root) ? e : 0, root == MPI_ROOT ? remote_size * e : 0);
}

PATH_FUNCTION static void allgather(void)
{
    MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, between);
    COUNT_COLL(MPI_Allgather, remote_size * count * 4, remote_size * count * 4);
}

PATH_FUNCTION static void allgatherv(void)
{
    const int total = set_lengths(remote_counts, remote_size), own = count + own_rank;
    MPI_Allgatherv(out, own, MPI_INT, in, remote_counts, at, MPI_INT, between);
    COUNT_COLL(MPI_Allgatherv, remote_size * own * 4, total * 4);
}

PATH_FUNCTION static void alltoall(void)
{
    const int all = remote_size * count * 4;
    MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, between);
    COUNT_COLL(MPI_Alltoall, all, all);
}

/* Between ranks a and b, each of its own group, go count + a + b elements, both ways. */
static int set_mutual_lengths(void)
{
    int total = 0;
    for (int r = 0; r < remote_size; r++) {
        counts[r] = count + r + own_rank;
        at[r] = total;
        total += counts[r];
    }
    return total;
}

PATH_FUNCTION static void alltoallv(void)
{
    const int total = set_mutual_lengths();
    MPI_Alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, between);
    COUNT_COLL(MPI_Alltoallv, total * 4, total * 4);
}

PATH_FUNCTION static void alltoallw(void)
{
    const int total = set_mutual_lengths();
    for (int r = 0; r < remote_size; r++) {
        at[r] *= 4;
        types[r] = MPI_INT;
    }
    MPI_Alltoallw(out, counts, at, types, in, counts, at, types, between);
    COUNT_COLL(MPI_Alltoallw, total * 4, total * 4);
}

PATH_FUNCTION static void allreduce(void)
{
    const int all = remote_size * count * 4;
    MPI_Allreduce(out, in, count, MPI_INT, MPI_MAX, between);
    COUNT_COLL(MPI_Allreduce, all, all);
}

/* Both groups reduce as many elements and divide them among themselves. */
PATH_FUNCTION static void reduce_scatter(void)
{
    const int total = own_size * remote_size * count, own = total / own_size;
    for (int r = 0; r < own_size; r++)
        counts[r] = own;
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, between);
    COUNT_COLL(MPI_Reduce_scatter, total * 4, remote_size * own * 4);
}

PATH_FUNCTION static void reduce_scatter_block(void)
{
    const int own = remote_size * count;
    MPI_Reduce_scatter_block(out, in, own, MPI_INT, MPI_SUM, between);
    COUNT_COLL(MPI_Reduce_scatter_block, own_size * own * 4, remote_size * own * 4);
}

static void fill(void)
{
    for (int i = 0; i < ROOM; i++) {
        out[i] = 100 * program_rank + i;
        in[i] = 0;
    }
}

PATH_FUNCTION static void work(void)
{
    void (*const rooted[])(int) = {bcast, gather, gatherv, scatter, scatterv, reduce};
    void (*const together[])(void) = {barrier,   allgather,      allgatherv,
                                      alltoall,  alltoallv,      alltoallw,
                                      allreduce, reduce_scatter, reduce_scatter_block};
    for (size_t i = 0; i < sizeof rooted / sizeof rooted[0]; i++) {
        fill();
        rooted[i](root_is_alone());
        rooted[i](root_is_first());
        sum = checksum_add(sum, in, sizeof in);
    }
    for (size_t i = 0; i < sizeof together / sizeof together[0]; i++) {
        fill();
        together[i]();
        sum = checksum_add(sum, in, sizeof in);
    }
}

PATH_FUNCTION static void set_up(void)
{
    MPI_Comm own;
    alone = program_rank == 0;
    own_size = alone ? 1 : program_ranks - 1;
    remote_size = program_ranks - own_size;
    own_rank = alone ? 0 : program_rank - 1;
    MPI_Comm_split(MPI_COMM_WORLD, alone, program_rank, &own);
    COUNT_VISIT(MPI_Comm_split);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, alone ? 1 : 0, 5, &between);
    COUNT_VISIT(MPI_Intercomm_create);
    MPI_Comm_free(&own);
    COUNT_VISIT(MPI_Comm_free);
}

PATH_FUNCTION static void release(void)
{
    MPI_Comm_free(&between);
    COUNT_VISIT(MPI_Comm_free);
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {4, 30, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    uint64_t random = (uint64_t)options.seed;

    program_start(&argc, &argv);
    set_up();
    for (int i = 0; i < options.iterations; i++) {
        TSPROF_ITERATION_BEGIN("step");
        counts_iteration(i);
        count = 1 + (int)(random_next(&random) % (uint64_t)options.size);
        work();
        TSPROF_ITERATION_END("step");
    }
    counts_iteration(-1);
    release();
    program_end("intercomm", sum, &options);
    return 0;
}
