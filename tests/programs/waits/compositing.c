/*
 * compositing.c: binary-swap compositing (Ino, Kanbe, Okita and Hagihara, PerWiz, section 5.2):
 * every rank has rendered a picture of its own, and they become one in log P stages.  In each,
 * ranks are paired up, split the part of the picture that they have in two, and each sends one
 * half and composes the other.  Transparent pixels cost nothing, so that ranks have the more to
 * do the more of their part is covered.
 *
 *     compositing block           parts are split where they lie, the upper half and the lower
 *     compositing interleaved     every other pixel (the paper's cure)
 *
 * The number of ranks is a power of two.  Composing sleeps, so that processors are not shared.
 * Stages are the phases S1, S2 and so on.  Rank 0 prints the seconds of the rank that took
 * longest, how many pixels of the whole picture are covered, and how many have been composed.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tsprof.h>

enum { SIDE = 64, PIXELS = SIDE * SIDE, PIXEL_NS = 1000000 };

struct pixel {
    int place;
    float colour[4];
};

/* Of all pixels: `count` from `first` on, each `step` behind the one before. */
struct part {
    int first, step, count;
};

static float picture[PIXELS][4]; /* the last colour is how opaque it is */
static struct pixel sent[PIXELS], received[PIXELS];

static void sleep_ns(long ns)
{
    const struct timespec rest = {ns / 1000000000, ns % 1000000000};
    nanosleep(&rest, NULL);
}

/* A disc: the later the rank, the further down and the smaller. */
static void render(int rank, int ranks)
{
    const int x = SIDE / 4 + rank * 5 % (SIDE / 2), y = SIDE * (rank + 1) / (2 * ranks) + 4;
    const int radius = SIDE / 3 - SIDE / 6 * rank / ranks;
    for (int i = 0; i < PIXELS; i++) {
        const int right = i % SIDE - x, down = i / SIDE - y;
        if (right * right + down * down <= radius * radius)
            picture[i][rank % 3] = picture[i][3] = 0.5f;
    }
}

/* Splits OWN: what KEEPS says, 0 or 1, is kept, the other half is returned. */
static struct part split(struct part *own, int keeps, int interleaves)
{
    struct part halves[2];
    const int half = own->count / 2;
    for (int i = 0; i < 2; i++)
        halves[i] = interleaves
                        ? (struct part){own->first + i * own->step, 2 * own->step, half}
                        : (struct part){own->first + i * half * own->step, own->step, half};
    *own = halves[keeps];
    return halves[1 - keeps];
}

static int pack(const struct part *part)
{
    int count = 0;
    for (int i = 0; i < part->count; i++) {
        const int place = part->first + i * part->step;
        if (picture[place][3] == 0)
            continue;
        sent[count].place = place;
        memcpy(sent[count++].colour, picture[place], sizeof picture[place]);
    }
    return count;
}

static void compose(int count)
{
    for (int i = 0; i < count; i++) {
        float *under = picture[received[i].place];
        const float through = 1 - received[i].colour[3];
        for (int j = 0; j < 4; j++)
            under[j] = received[i].colour[j] + through * under[j];
    }
    sleep_ns((long)count * PIXEL_NS);
}

static int exchange(int partner, int count)
{
    MPI_Status status;
    int bytes;
    MPI_Sendrecv(sent, count * (int)sizeof *sent, MPI_BYTE, partner, 0, received,
                 (int)sizeof received, MPI_BYTE, partner, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes / (int)sizeof *received;
}

/* Returns how many pixels were composed. */
static int stage(int number, int rank, struct part *own, int interleaves)
{
    const int bit = 1 << (number - 1);
    char name[16];
    snprintf(name, sizeof name, "S%d", number);
    TSPROF_PHASE_BEGIN(name);
    const struct part other = split(own, (rank & bit) != 0, interleaves);
    const int packed = pack(&other);
    const int count = exchange(rank ^ bit, packed);
    compose(count);
    TSPROF_PHASE_END(name);
    return count;
}

static int covered(const struct part *part)
{
    int count = 0;
    for (int i = 0; i < part->count; i++)
        count += picture[part->first + i * part->step][3] > 0;
    return count;
}

int main(int argc, char **argv)
{
    int rank, ranks, counts[2] = {0, 0}, sums[2];
    double longest;
    const int interleaves = argc > 1 && strcmp(argv[1], "interleaved") == 0;
    struct part own = {0, 1, PIXELS};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    render(rank, ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    TSPROF_PHASE_BEGIN("stages");
    for (int i = 1; 1 << i <= ranks; i++)
        counts[1] += stage(i, rank, &own, interleaves);
    TSPROF_PHASE_END("stages");
    const double seconds = MPI_Wtime() - begin;
    counts[0] = covered(&own);
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(counts, sums, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.9f %d %d\n", longest, sums[0], sums[1]);
    MPI_Finalize();
    return 0;
}
