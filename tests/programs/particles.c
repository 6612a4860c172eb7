/*
 * particles.c: particles on a ring, cut into equal pieces, one per process.
 *
 * A few clumps drift around the ring at slightly different speeds and particles fall towards
 * them, so that the busy processes change over the iterations and the imbalance grows, while
 * the average stays the same.  Work and bytes of a process follow its number of particles.
 *
 *     particles --two-clumps [OPTIONS]
 *
 * has two clumps at the same speed, which pass every process equally often: over whole rounds,
 * of 100 iterations each, all have about the same to do.
 */
#include "program.h"

#include <math.h>
#include <string.h>
#include <tsprof.h>

#define CLUMPS     3
#define TAG_GHOSTS 5

struct particle {
    double x; /* in [0, 1) */
    double v;
    double id;
};

/* How the clumps behave. */
static struct {
    int count;
    double speed, spread; /* what they move in an iteration; what each has more than the last */
    double growth;        /* of their pull, in an iteration */
} drift = {CLUMPS, 0.010, 0.003, 0.0002};

struct swarm {
    struct particle *own;
    int count;
};

/* Where the clumps are; rank 0 moves them and tells the others. */
struct clumps {
    double x[CLUMPS]; /* of those that there are */
    double pull;
};

static int owner_of(double x)
{
    const int rank = (int)(x * program_ranks);
    return rank < program_ranks ? rank : program_ranks - 1;
}

/* The way from a to b along the shorter arc. */
static double ring_distance(double a, double b)
{
    const double d = b - a;
    return d - floor(d + 0.5);
}

static void set_up(struct swarm *swarm, const struct program_options *options)
{
    uint64_t random = (uint64_t)options->seed * 104729u + (uint64_t)program_rank;
    swarm->count = options->size;
    swarm->own = (struct particle *)malloc((size_t)options->size * sizeof *swarm->own);
    for (int i = 0; i < swarm->count; i++) {
        struct particle *p = &swarm->own[i];
        p->x = (program_rank + random_unit(&random)) / program_ranks;
        p->v = 0;
        p->id = (double)program_rank * options->size + i;
        if (owner_of(p->x) != program_rank)
            p->x = (program_rank + 0.5) / program_ranks;
    }
}

PATH_FUNCTION static void announce_clumps(struct clumps *clumps, int iteration)
{
    if (!program_rank) {
        for (int c = 0; c < drift.count; c++)
            clumps->x[c] =
                fmod((double)c / drift.count + iteration * (drift.speed + drift.spread * c), 1);
        clumps->pull = 0.001 + drift.growth * iteration;
    }
    MPI_Bcast(clumps, CLUMPS + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    COUNT_COLL(MPI_Bcast, program_rank ? 0 : program_ranks * (CLUMPS + 1) * 8,
               (CLUMPS + 1) * 8);
}

/* The particles near the right end of the piece, as the right neighbour has to know them. */
static int pick_ghosts(const struct swarm *swarm, double *ghosts)
{
    const double edge = (program_rank + 0.98) / program_ranks;
    int count = 0;
    for (int i = 0; i < swarm->count; i++)
        if (swarm->own[i].x > edge)
            ghosts[count++] = swarm->own[i].x;
    return count;
}

/*
 * Shifts the ghosts around the ring; even ranks send first.  The buffer is larger than most
 * messages, and some messages are empty.
 */
PATH_FUNCTION static int shift_ghosts(double *mine, int count, double *theirs, int room)
{
    const int right = (program_rank + 1) % program_ranks;
    const int left = (program_rank + program_ranks - 1) % program_ranks;
    MPI_Status status;
    int bytes;
    if (program_ranks == 1)
        return 0;
    if (program_rank % 2 == 0) {
        MPI_Send(mine, count, MPI_DOUBLE, right, TAG_GHOSTS, MPI_COMM_WORLD);
        COUNT_SEND(MPI_Send, right, count * 8);
    }
    MPI_Recv(theirs, room, MPI_DOUBLE, left, TAG_GHOSTS, MPI_COMM_WORLD, &status);
    bytes = received_bytes(&status);
    COUNT_RECV(MPI_Recv, left, bytes);
    if (program_rank % 2 == 1) {
        MPI_Send(mine, count, MPI_DOUBLE, right, TAG_GHOSTS, MPI_COMM_WORLD);
        COUNT_SEND(MPI_Send, right, count * 8);
    }
    return bytes / 8;
}

/* Pairs within the piece and with the ghosts: work that grows with the square of the density.
 */
__attribute__((noinline)) static void compute_forces(struct swarm *swarm,
                                                     const struct clumps *clumps,
                                                     const double *ghosts, int ghost_count)
{
    for (int i = 0; i < swarm->count; i++) {
        struct particle *p = &swarm->own[i];
        double force = 0;
        for (int j = 0; j < swarm->count; j++) {
            const double d = swarm->own[j].x - p->x;
            force -= 1e-7 * d / (d * d + 1e-4);
        }
        for (int j = 0; j < ghost_count; j++) {
            const double d = ring_distance(p->x, ghosts[j]);
            force -= 1e-7 * d / (d * d + 1e-4);
        }
        for (int c = 0; c < drift.count; c++) {
            const double d = ring_distance(p->x, clumps->x[c]);
            force += clumps->pull * d * exp(-20 * d * d);
        }
        p->v = 0.95 * p->v + force;
    }
}

static void move(struct swarm *swarm)
{
    for (int i = 0; i < swarm->count; i++) {
        struct particle *p = &swarm->own[i];
        p->x += p->v;
        p->x -= floor(p->x);
    }
}

/* Sorts by owner; `counts` and `starts` in bytes for every rank. */
static struct particle *sort_by_owner(const struct swarm *swarm, int *counts, int *starts)
{
    const int bytes = (int)sizeof(struct particle);
    struct particle *sorted =
        (struct particle *)malloc((size_t)(swarm->count + 1) * sizeof *sorted);
    int next = 0;
    for (int rank = 0; rank < program_ranks; rank++) {
        starts[rank] = next * bytes;
        for (int i = 0; i < swarm->count; i++)
            if (owner_of(swarm->own[i].x) == rank)
                sorted[next++] = swarm->own[i];
        counts[rank] = next * bytes - starts[rank];
    }
    return sorted;
}

PATH_FUNCTION static void swap_counts(int *out, int *in)
{
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    COUNT_COLL(MPI_Alltoall, program_ranks * 4, program_ranks * 4);
}

PATH_FUNCTION static void swap_particles(const struct particle *sorted, int *out,
                                         int *out_starts, struct particle *arrived, int *in,
                                         int *in_starts, int in_bytes)
{
    int out_bytes = 0;
    for (int rank = 0; rank < program_ranks; rank++)
        out_bytes += out[rank];
    MPI_Alltoallv(sorted, out, out_starts, MPI_BYTE, arrived, in, in_starts, MPI_BYTE,
                  MPI_COMM_WORLD);
    COUNT_COLL(MPI_Alltoallv, out_bytes, in_bytes);
}

/* Every particle goes to the process that owns its place. */
static void migrate(struct swarm *swarm)
{
    int *counts = (int *)calloc((size_t)program_ranks * 4, sizeof(int));
    int *out = counts, *out_starts = out + program_ranks;
    int *in = out_starts + program_ranks, *in_starts = in + program_ranks;
    struct particle *sorted = sort_by_owner(swarm, out, out_starts);
    int in_bytes = 0;

    swap_counts(out, in);
    for (int rank = 0; rank < program_ranks; rank++) {
        in_starts[rank] = in_bytes;
        in_bytes += in[rank];
    }
    struct particle *arrived =
        (struct particle *)malloc((size_t)in_bytes + sizeof(struct particle));
    swap_particles(sorted, out, out_starts, arrived, in, in_starts, in_bytes);

    free(swarm->own);
    free(sorted);
    free(counts);
    swarm->own = arrived;
    swarm->count = in_bytes / (int)sizeof(struct particle);
}

static void step(struct swarm *swarm, int iteration, int room, double *ghosts)
{
    struct clumps clumps = {0};
    double *mine = ghosts, *theirs = ghosts + room;
    int count;
    announce_clumps(&clumps, iteration);
    count = pick_ghosts(swarm, mine);
    count = shift_ghosts(mine, count, theirs, room);
    compute_forces(swarm, &clumps, theirs, count);
    move(swarm);
    migrate(swarm);
}

/* Takes --two-clumps away from the arguments, if it is the first. */
static void choose_drift(int *argc, char **argv)
{
    if (*argc < 2 || strcmp(argv[1], "--two-clumps") != 0)
        return;
    drift.count = 2;
    drift.spread = 0;
    drift.growth = 0.0001;
    for (int i = 1; i < *argc; i++)
        argv[i] = argv[i + 1];
    --*argc;
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {60, 60, 1, NULL};
    choose_drift(&argc, argv);
    const struct program_options options = program_parse(argc, argv, defaults);
    struct swarm swarm;
    uint64_t sum = CHECKSUM_START;

    program_start(&argc, &argv);
    TSPROF_PHASE_BEGIN("setup");
    set_up(&swarm, &options);
    const int room = options.size * program_ranks;
    double *ghosts = (double *)malloc(2 * (size_t)room * sizeof(double));
    TSPROF_PHASE_END("setup");

    for (int i = 0; i < options.iterations; i++) {
        TSPROF_ITERATION_BEGIN("timestep");
        counts_iteration(i);
        step(&swarm, i, room, ghosts);
        sum = checksum_add(sum, &swarm.count, sizeof swarm.count);
        TSPROF_ITERATION_END("timestep");
    }
    counts_iteration(-1);

    sum = checksum_add(sum, swarm.own, (size_t)swarm.count * sizeof *swarm.own);
    free(swarm.own);
    free(ghosts);
    program_end("particles", sum, &options);
    return 0;
}
