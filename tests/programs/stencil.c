/*
 * stencil.c: diffusion with a local source on a grid of processes.
 *
 * Halos travel with MPI_Sendrecv along x and with requests along y; the residual is reduced in
 * every iteration and every tenth is a checkpoint.  One process holds a reaction that needs
 * more and more sub-steps: a hot spot that grows slowly and stays where it is.
 */
#include "program.h"

#include <math.h>
#include <tsprof.h>

#define CHECKPOINT_EVERY 10

enum side { LEFT, RIGHT, DOWN, UP };

struct grid {
    MPI_Comm comm;
    int peer[4];
    MPI_Datatype column;
    int n; /* inner points along each axis */
    double *now;
    double *next;
};

static double *at(double *field, const struct grid *grid, int x, int y)
{
    return &field[y * (grid->n + 2) + x];
}

PATH_FUNCTION static void place_processes(struct grid *grid)
{
    int dims[2] = {0, 0};
    int periods[2] = {0, 0};
    MPI_Dims_create(program_ranks, 2, dims);
    COUNT_VISIT(MPI_Dims_create);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid->comm);
    COUNT_VISIT(MPI_Cart_create);
    MPI_Cart_shift(grid->comm, 0, 1, &grid->peer[LEFT], &grid->peer[RIGHT]);
    COUNT_VISIT(MPI_Cart_shift);
    MPI_Cart_shift(grid->comm, 1, 1, &grid->peer[DOWN], &grid->peer[UP]);
    COUNT_VISIT(MPI_Cart_shift);
}

PATH_FUNCTION static void make_column_type(struct grid *grid)
{
    MPI_Type_vector(grid->n, 1, grid->n + 2, MPI_DOUBLE, &grid->column);
    COUNT_VISIT(MPI_Type_vector);
    MPI_Type_commit(&grid->column);
    COUNT_VISIT(MPI_Type_commit);
}

static void set_up(struct grid *grid, const struct program_options *options)
{
    uint64_t random = (uint64_t)options->seed * 1000003u + (uint64_t)program_rank;
    const size_t points = (size_t)(options->size + 2) * (size_t)(options->size + 2);
    grid->n = options->size;
    place_processes(grid);
    make_column_type(grid);
    grid->now = (double *)calloc(points, sizeof(double));
    grid->next = (double *)calloc(points, sizeof(double));
    for (int y = 1; y <= grid->n; y++)
        for (int x = 1; x <= grid->n; x++)
            *at(grid->now, grid, x, y) = random_unit(&random);
}

PATH_FUNCTION static void release(struct grid *grid)
{
    MPI_Type_free(&grid->column);
    COUNT_VISIT(MPI_Type_free);
    MPI_Comm_free(&grid->comm);
    COUNT_VISIT(MPI_Comm_free);
    free(grid->now);
    free(grid->next);
}

/* Along x: a column of points, which is not contiguous. */
PATH_FUNCTION static void exchange_columns(struct grid *grid, enum side to, enum side from)
{
    const int own = to == RIGHT ? grid->n : 1;
    const int halo = to == RIGHT ? 0 : grid->n + 1;
    MPI_Status status;
    int source, received = 0;
    MPI_Sendrecv(at(grid->now, grid, own, 1), 1, grid->column, grid->peer[to], 1,
                 at(grid->now, grid, halo, 1), 1, grid->column, grid->peer[from], 1, grid->comm,
                 &status);
    source = grid->peer[from];
    if (source != MPI_PROC_NULL)
        received = received_bytes(&status);
    COUNT_SENDRECV(MPI_Sendrecv, grid->peer[to], grid->n * 8, source, received);
}

/* Along y: rows, all four messages under way at once. */
PATH_FUNCTION static void exchange_rows(struct grid *grid)
{
    const int n = grid->n;
    MPI_Request requests[4];
    MPI_Irecv(at(grid->now, grid, 1, 0), n, MPI_DOUBLE, grid->peer[DOWN], 2, grid->comm,
              &requests[0]);
    COUNT_VISIT(MPI_Irecv);
    MPI_Irecv(at(grid->now, grid, 1, n + 1), n, MPI_DOUBLE, grid->peer[UP], 2, grid->comm,
              &requests[1]);
    COUNT_VISIT(MPI_Irecv);
    MPI_Isend(at(grid->now, grid, 1, 1), n, MPI_DOUBLE, grid->peer[DOWN], 2, grid->comm,
              &requests[2]);
    COUNT_SEND(MPI_Isend, grid->peer[DOWN], n * 8);
    MPI_Isend(at(grid->now, grid, 1, n), n, MPI_DOUBLE, grid->peer[UP], 2, grid->comm,
              &requests[3]);
    COUNT_SEND(MPI_Isend, grid->peer[UP], n * 8);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    COUNT_RECV(MPI_Waitall, grid->peer[DOWN], n * 8);
    counts_received(__func__, "MPI_Waitall", grid->peer[UP], n * 8);
}

static void exchange_halo(struct grid *grid)
{
    exchange_columns(grid, RIGHT, LEFT);
    exchange_columns(grid, LEFT, RIGHT);
    exchange_rows(grid);
}

/* One step of diffusion; returns the largest change. */
static double diffuse(struct grid *grid)
{
    double largest = 0;
    for (int y = 1; y <= grid->n; y++) {
        for (int x = 1; x <= grid->n; x++) {
            const double old = *at(grid->now, grid, x, y);
            const double new =
                old + 0.2 * (*at(grid->now, grid, x - 1, y) + *at(grid->now, grid, x + 1, y) +
                             *at(grid->now, grid, x, y - 1) + *at(grid->now, grid, x, y + 1) -
                             4 * old);
            *at(grid->next, grid, x, y) = new;
            largest = fmax(largest, fabs(new - old));
        }
    }
    double *swap = grid->now;
    grid->now = grid->next;
    grid->next = swap;
    return largest;
}

/* The growing hot spot: sub-steps of a reaction that only the middle process has. */
__attribute__((noinline)) static void react(struct grid *grid, int iteration)
{
    const int substeps = program_rank == program_ranks / 2 ? 2 + iteration / 2 : 2;
    for (int y = 1; y <= grid->n; y++) {
        for (int x = 1; x <= grid->n; x++) {
            double *u = at(grid->now, grid, x, y);
            for (int step = 0; step < substeps; step++)
                *u += 0.01 * *u * (1 - *u);
        }
    }
}

PATH_FUNCTION static double reduce_residual(struct grid *grid, double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, grid->comm);
    COUNT_COLL(MPI_Allreduce, program_ranks * 8, program_ranks * 8);
    return all;
}

/* Gathers one row of every process; returns a checksum of it on rank 0. */
PATH_FUNCTION static uint64_t write_checkpoint(struct grid *grid)
{
    const int n = grid->n;
    uint64_t sum = 0;
    double *rows = NULL;
    if (!program_rank)
        rows = (double *)malloc((size_t)(program_ranks * n) * sizeof(double));
    MPI_Gather(at(grid->now, grid, 1, n / 2), n, MPI_DOUBLE, rows, n, MPI_DOUBLE, 0,
               grid->comm);
    COUNT_COLL(MPI_Gather, n * 8, program_rank ? 0 : program_ranks * n * 8);
    if (rows)
        sum = checksum_add(CHECKSUM_START, rows, (size_t)(program_ranks * n) * sizeof(double));
    free(rows);
    return sum;
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {30, 48, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    struct grid grid;
    uint64_t sum = CHECKSUM_START;

    program_start(&argc, &argv);
    TSPROF_PHASE_BEGIN("setup");
    set_up(&grid, &options);
    TSPROF_PHASE_END("setup");

    for (int i = 0; i < options.iterations; i++) {
        double residual;
        TSPROF_ITERATION_BEGIN("timestep");
        counts_iteration(i);
        exchange_halo(&grid);
        residual = diffuse(&grid);
        react(&grid, i);
        residual = reduce_residual(&grid, residual);
        sum = checksum_add(sum, &residual, sizeof residual);
        if (i % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1) {
            const uint64_t rows = write_checkpoint(&grid);
            sum = checksum_add(sum, &rows, sizeof rows);
        }
        TSPROF_ITERATION_END("timestep");
    }
    counts_iteration(-1);

    release(&grid);
    program_end("stencil", sum, &options);
    return 0;
}
