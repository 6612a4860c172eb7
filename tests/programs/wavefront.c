/*
 * wavefront.c: sweeps through a grid of processes from each of its four corners, as discrete
 * ordinates transport codes do.
 *
 * A process waits for its upstream neighbours, computes a block of planes and passes its
 * outflow downstream with blocking messages.  Along x the ends of the pipeline make no call at
 * all, along y they call with MPI_PROC_NULL.  The number of blocks per sweep changes every few
 * iterations, so that iterations differ in their visits but not in their call paths.
 */
#include "program.h"

#include <tsprof.h>

#define TAG_X 10
#define TAG_Y 20

struct domain {
    int columns, rows; /* processes along x and y */
    int column, row;   /* this one's place */
    int n;             /* points along x and y */
    double *flux;      /* n * n */
    double *face_x;    /* n: inflow through the face towards the upstream neighbour in x */
    double *face_y;
    double lost; /* what left the domain */
};

/* The process at a place, or nobody. */
static int process_at(const struct domain *domain, int column, int row)
{
    if (column < 0 || column >= domain->columns || row < 0 || row >= domain->rows)
        return MPI_PROC_NULL;
    return row * domain->columns + column;
}

static void set_up(struct domain *domain, const struct program_options *options)
{
    uint64_t random = (uint64_t)options->seed * 7919u + (uint64_t)program_rank;
    const size_t n = (size_t)options->size;
    domain->columns = program_ranks;
    domain->rows = 1;
    while (domain->columns > 2 * domain->rows && domain->columns % 2 == 0) {
        domain->columns /= 2;
        domain->rows *= 2;
    }
    domain->column = program_rank % domain->columns;
    domain->row = program_rank / domain->columns;
    domain->n = options->size;
    domain->lost = 0;
    domain->flux = (double *)malloc(n * n * sizeof(double));
    domain->face_x = (double *)malloc(n * sizeof(double));
    domain->face_y = (double *)malloc(n * sizeof(double));
    for (size_t i = 0; i < n * n; i++)
        domain->flux[i] = random_unit(&random);
}

PATH_FUNCTION static void receive_x(struct domain *domain, int peer)
{
    if (peer == MPI_PROC_NULL) {
        memset(domain->face_x, 0, (size_t)domain->n * sizeof(double));
        return;
    }
    MPI_Recv(domain->face_x, domain->n, MPI_DOUBLE, peer, TAG_X, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    COUNT_RECV(MPI_Recv, peer, domain->n * 8);
}

PATH_FUNCTION static void receive_y(struct domain *domain, int peer)
{
    memset(domain->face_y, 0, (size_t)domain->n * sizeof(double));
    MPI_Recv(domain->face_y, domain->n, MPI_DOUBLE, peer, TAG_Y, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    COUNT_RECV(MPI_Recv, peer, domain->n * 8);
}

PATH_FUNCTION static void send_x(struct domain *domain, int peer)
{
    if (peer == MPI_PROC_NULL)
        return;
    MPI_Send(domain->face_x, domain->n, MPI_DOUBLE, peer, TAG_X, MPI_COMM_WORLD);
    COUNT_SEND(MPI_Send, peer, domain->n * 8);
}

PATH_FUNCTION static void send_y(struct domain *domain, int peer)
{
    MPI_Send(domain->face_y, domain->n, MPI_DOUBLE, peer, TAG_Y, MPI_COMM_WORLD);
    COUNT_SEND(MPI_Send, peer, domain->n * 8);
}

/* Carries the inflow through one block in the direction (dx, dy); the faces become outflow. */
__attribute__((noinline)) static void compute_block(struct domain *domain, int dx, int dy)
{
    const int n = domain->n;
    for (int j = 0; j < n; j++) {
        const int y = dy > 0 ? j : n - 1 - j;
        for (int i = 0; i < n; i++) {
            const int x = dx > 0 ? i : n - 1 - i;
            double *cell = &domain->flux[y * n + x];
            const double inflow = 0.5 * (domain->face_x[y] + domain->face_y[x]);
            *cell = 0.9 * *cell + 0.1 * inflow + 1e-3;
            domain->face_x[y] = 0.6 * *cell + 0.3 * inflow;
            domain->face_y[x] = 0.5 * *cell + 0.4 * inflow;
        }
    }
}

static void sweep(struct domain *domain, int dx, int dy, int blocks)
{
    const int from_x = process_at(domain, domain->column - dx, domain->row);
    const int to_x = process_at(domain, domain->column + dx, domain->row);
    const int from_y = process_at(domain, domain->column, domain->row - dy);
    const int to_y = process_at(domain, domain->column, domain->row + dy);
    for (int block = 0; block < blocks; block++) {
        receive_x(domain, from_x);
        receive_y(domain, from_y);
        compute_block(domain, dx, dy);
        send_x(domain, to_x);
        send_y(domain, to_y);
        if (to_x == MPI_PROC_NULL)
            domain->lost += domain->face_x[0];
    }
}

/* What was lost up to and including this rank, and the sum over all on rank 0. */
PATH_FUNCTION static double balance(double lost)
{
    double before, total = 0;
    MPI_Scan(&lost, &before, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    COUNT_COLL(MPI_Scan, (program_ranks - program_rank) * 8, (program_rank + 1) * 8);
    MPI_Reduce(&lost, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    COUNT_COLL(MPI_Reduce, 8, program_rank ? 0 : program_ranks * 8);
    return total + before;
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {24, 24, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    struct domain domain;
    uint64_t sum = CHECKSUM_START;

    program_start(&argc, &argv);
    TSPROF_PHASE_BEGIN("setup");
    set_up(&domain, &options);
    TSPROF_PHASE_END("setup");

    for (int i = 0; i < options.iterations; i++) {
        const int blocks = 2 + i / 8 % 3;
        double total;
        TSPROF_ITERATION_BEGIN("timestep");
        counts_iteration(i);
        sweep(&domain, +1, +1, blocks);
        sweep(&domain, -1, +1, blocks);
        sweep(&domain, +1, -1, blocks);
        sweep(&domain, -1, -1, blocks);
        total = balance(domain.lost);
        sum = checksum_add(sum, &total, sizeof total);
        TSPROF_ITERATION_END("timestep");
    }
    counts_iteration(-1);

    sum = checksum_add(sum, domain.flux, (size_t)(domain.n * domain.n) * sizeof *domain.flux);
    free(domain.flux);
    free(domain.face_x);
    free(domain.face_y);
    program_end("wavefront", sum, &options);
    return 0;
}
