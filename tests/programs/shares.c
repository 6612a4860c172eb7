/*
 * shares.c: known shares of computation in six functions, to compare samples with.
 *
 * The work is counted, not timed: a round is a hundred units of the same work, so many of them
 * in each function as the table of parts says.  A unit is arithmetic in registers in which
 * every step needs the one before, so that it takes the same time in each function; and the
 * clock is read around every slice of it, so that the program knows what it did without any
 * sampling.
 *
 *     shares --mode MODE [--seconds S] [--round-us N] [--period-us N] [--marked N] [--seed N]
 *            [--truth FILE]
 *
 *   MODE plain    units in random order, no MPI in between
 *        calls    units in random order; some functions call MPI every few microseconds
 *        blocks   units in a fixed order, the same in each round; milliseconds of work in one
 *                 MPI call after each round
 *        step     units in a fixed order; then in one MPI call until the next multiple of the
 *                 period by the clock: the program runs in step with it
 *   --seconds S   computation in all; --round-us N: in one round; --period-us N: for `step`
 *   --marked N    every N rounds are one iteration; 0: no markers
 *
 * FILE.<rank> gets lines `name,quantity,value`; see write_truth.
 */
#include <tsprof.h>

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

enum { PARTS = 6, UNITS = 100 };

/* A slice as the clock saw it. */
struct reading {
    uint32_t part;
    uint32_t ticks;
};

struct readings {
    struct reading *list;
    size_t used;
    size_t room;
};

struct options {
    const char *mode;
    const char *truth;
    double seconds;
    long round_us, period_us, marked, seed;
};

static struct readings readings;
static long spins_per_slice;

static inline uint64_t ticks(void)
{
#ifdef __x86_64__
    return __rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Every step needs the result of the one before, and the compiler cannot tell the end. */
static inline __attribute__((always_inline)) uint64_t spin(uint64_t state, uint64_t factor,
                                                           long spins)
{
    for (long i = 0; i < spins; i++) {
        state = state * factor + 1;
        __asm__ volatile("" : "+r"(state));
    }
    return state;
}

static inline void note_slice(uint32_t part, uint64_t taken)
{
    if (readings.used < readings.room)
        readings.list[readings.used++] =
            (struct reading){part, taken < UINT32_MAX ? (uint32_t)taken : UINT32_MAX};
}

/*
 * One function that computes: SLICES times the same work, with CALLS calls of MPI after each.
 * The factors differ so that the compiler does not make one function of them.
 */
#define PART(name, number, factor)                                                             \
    __attribute__((noinline, noclone)) static uint64_t name(uint64_t state, long slices,       \
                                                            int calls)                         \
    {                                                                                          \
        int flag;                                                                              \
        for (long s = 0; s < slices; s++) {                                                    \
            uint64_t begin = ticks();                                                          \
            state = spin(state, factor, spins_per_slice);                                      \
            note_slice(number, ticks() - begin);                                               \
            for (int i = 0; i < calls; i++)                                                    \
                MPI_Iprobe(MPI_ANY_SOURCE, number, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);   \
        }                                                                                      \
        return state;                                                                          \
    }

PART(part_a, 0, UINT64_C(6364136223846793005))
PART(part_b, 1, UINT64_C(2862933555777941757))
PART(part_c, 2, UINT64_C(3202034522624059733))
PART(part_d, 3, UINT64_C(3935559000370003845))
PART(part_e, 4, UINT64_C(4768777513237032717))
PART(part_f, 5, UINT64_C(1442695040888963407))

/* In the order in which `blocks` and `step` run them. */
static const struct part {
    uint64_t (*run)(uint64_t state, long slices, int calls);
    const char *name;
    int units; /* of a round */
    int calls; /* after every slice in mode `calls` */
} parts[PARTS] = {
    {part_a, "part_a", 5, 0},  {part_b, "part_b", 25, 1}, {part_c, "part_c", 30, 0},
    {part_d, "part_d", 18, 4}, {part_e, "part_e", 12, 2}, {part_f, "part_f", 10, 1},
};

/* MPI calls them back, so that the time they take is MPI's. */
static double stay_until;
static long stay_spins;

static void stay_by_clock(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    while (seconds_now() < stay_until)
        continue;
}

static void stay_by_work(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    spin(1, UINT64_C(6364136223846793005), stay_spins);
}

static void stay_in_mpi(MPI_User_function *stay)
{
    MPI_Op op;
    int in = 0, out = 0;
    MPI_Op_create(stay, 1, &op);
    MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
    MPI_Op_free(&op);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

struct plan {
    long slices; /* of a unit */
    bool shuffled, calls;
    double spins_per_us;
    uint64_t random;
    uint32_t order[UNITS]; /* part of each unit */
    double start;
};

static void shuffle(struct plan *plan)
{
    for (uint32_t i = UNITS - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(next_random(&plan->random) % (i + 1));
        uint32_t part = plan->order[i];
        plan->order[i] = plan->order[j];
        plan->order[j] = part;
    }
}

/* Units of one function that follow each other are one call of it. */
static uint64_t run_round(struct plan *plan, uint64_t state)
{
    if (plan->shuffled)
        shuffle(plan);
    for (int i = 0, next; i < UNITS; i = next) {
        const struct part *part = &parts[plan->order[i]];
        for (next = i + 1; next < UNITS && plan->order[next] == plan->order[i]; next++)
            continue;
        state = part->run(state, (next - i) * plan->slices, plan->calls ? part->calls : 0);
    }
    return state;
}

/* From 3 to 8 milliseconds of work, or as long as the period goes on. */
static void pause_after_round(struct plan *plan, const struct options *options)
{
    double period = (double)options->period_us * 1e-6;
    if (!strcmp(options->mode, "blocks")) {
        stay_spins =
            (long)(plan->spins_per_us * (double)(3000 + next_random(&plan->random) % 5000));
        stay_in_mpi(stay_by_work);
    } else if (!strcmp(options->mode, "step")) {
        double passed = (double)(long)((seconds_now() - plan->start) / period);
        stay_until = plan->start + (passed + 1) * period;
        stay_in_mpi(stay_by_clock);
    }
}

static uint64_t run_rounds(struct plan *plan, const struct options *options, uint64_t state)
{
    long rounds = (long)(options->seconds * 1e6 / (double)options->round_us);
    plan->start = seconds_now();
    for (long i = 0; i < rounds; i++) {
        if (options->marked && i % options->marked == 0)
            TSPROF_ITERATION_BEGIN("rounds");
        state = run_round(plan, state);
        pause_after_round(plan, options);
        if (options->marked && (i + 1) % options->marked == 0)
            TSPROF_ITERATION_END("rounds");
    }
    if (options->marked && rounds % options->marked != 0)
        TSPROF_ITERATION_END("rounds");
    return state;
}

/* Steps of spin in a microsecond: of many tries the fastest, which nothing disturbed. */
static double spins_per_us(void)
{
    const long spins = 100000;
    double best = 1;
    uint64_t state = 1;
    for (int i = 0; i < 50; i++) {
        double begin = seconds_now();
        state = spin(state, UINT64_C(6364136223846793005), spins);
        double taken = seconds_now() - begin;
        best = taken < best ? taken : best;
    }
    return (double)(spins + (long)(state & 1)) / (best * 1e6);
}

/* Slices are so short that MPI is called every few microseconds. */
static struct plan make_plan(const struct options *options)
{
    bool calls = !strcmp(options->mode, "calls");
    double unit_us = (double)options->round_us / UNITS;
    struct plan plan = {.shuffled = calls || !strcmp(options->mode, "plain"),
                        .calls = calls,
                        .spins_per_us = spins_per_us(),
                        .random = (uint64_t)options->seed};
    plan.slices = calls ? (long)(unit_us / 4) : 1;
    if (plan.slices < 1)
        plan.slices = 1;
    spins_per_slice = (long)(unit_us * plan.spins_per_us / (double)plan.slices);
    for (uint32_t part = 0, i = 0; part < PARTS; part++)
        for (int unit = 0; unit < parts[part].units; unit++)
            plan.order[i++] = part;
    return plan;
}

/* Memory for all readings, touched before the work starts. */
static bool make_room(const struct plan *plan, const struct options *options)
{
    size_t rounds = (size_t)(options->seconds * 1e6 / (double)options->round_us) + 1;
    readings.room = rounds * UNITS * (size_t)plan->slices;
    readings.list = malloc(readings.room * sizeof *readings.list);
    if (readings.list)
        memset(readings.list, 1, readings.room * sizeof *readings.list);
    return readings.list;
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The middle one of all slices: they hold the same work. */
static double median_ticks(void)
{
    uint32_t *sorted = malloc((readings.used + 1) * sizeof *sorted);
    double median = 0;
    for (size_t i = 0; sorted && i < readings.used; i++)
        sorted[i] = readings.list[i].ticks;
    if (sorted && readings.used) {
        qsort(sorted, readings.used, sizeof *sorted, compare);
        median = sorted[readings.used / 2];
    }
    free(sorted);
    return median;
}

/*
 * Of every function: `slices` done; `ticks`, what these take when nothing disturbs them: the
 * mean of those that took less than one and a half times the median, times their number;
 * `all_ticks`, what the clock saw.  Of the whole: `disturbances` of at least 50 microseconds,
 * when the processor did something else, in seconds, and the sum of their squares: they make
 * weights of samples vary more; `ticks_per_second`.
 */
static void write_truth(const char *name, int rank, double ticks_per_second)
{
    double slices[PARTS] = {0}, calm[PARTS] = {0}, calm_ticks[PARTS] = {0}, all[PARTS] = {0};
    double disturbed = 0, squares = 0, median = median_ticks();
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", name, rank);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        exit(99);
    }
    for (size_t i = 0; i < readings.used; i++) {
        uint32_t part = readings.list[i].part;
        double taken = readings.list[i].ticks, more = (taken - median) / ticks_per_second;
        slices[part]++;
        all[part] += taken;
        calm[part] += taken < 1.5 * median;
        calm_ticks[part] += taken < 1.5 * median ? taken : 0;
        disturbed += more > 50e-6 ? more : 0;
        squares += more > 50e-6 ? more * more : 0;
    }
    for (int i = 0; i < PARTS; i++) {
        fprintf(file, "%s,slices,%.17g\n", parts[i].name, slices[i]);
        fprintf(file, "%s,ticks,%.17g\n", parts[i].name, calm_ticks[i] / calm[i] * slices[i]);
        fprintf(file, "%s,all_ticks,%.17g\n", parts[i].name, all[i]);
    }
    fprintf(file, ",disturbances,%.17g\n,disturbances_squared,%.17g\n,ticks_per_second,%.17g\n",
            disturbed, squares, ticks_per_second);
    fclose(file);
}

static void usage(void)
{
    fprintf(stderr,
            "usage: shares --mode plain|calls|blocks|step [--seconds S] [--round-us N]\n"
            "              [--period-us N] [--marked N] [--seed N] [--truth FILE]\n");
    exit(2);
}

static struct options parse(int argc, char **argv)
{
    struct options options = {
        .mode = "", .seconds = 1, .round_us = 2000, .period_us = 10000, .seed = 1};
    const struct {
        const char *name;
        long *number;
    } numbers[] = {{"--round-us", &options.round_us},
                   {"--period-us", &options.period_us},
                   {"--marked", &options.marked},
                   {"--seed", &options.seed}};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            usage();
        if (!strcmp(argv[i], "--mode"))
            options.mode = argv[i + 1];
        else if (!strcmp(argv[i], "--truth"))
            options.truth = argv[i + 1];
        else if (!strcmp(argv[i], "--seconds"))
            options.seconds = atof(argv[i + 1]);
        size_t n = 0;
        while (n < sizeof numbers / sizeof numbers[0] && strcmp(numbers[n].name, argv[i]) != 0)
            n++;
        if (n < sizeof numbers / sizeof numbers[0])
            *numbers[n].number = atol(argv[i + 1]);
    }
    if (!strstr(" plain calls blocks step ", options.mode) || !*options.mode ||
        options.seconds <= 0 || options.round_us < UNITS || options.period_us <= 0)
        usage();
    return options;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct plan plan = make_plan(&options);
    if (!make_room(&plan, &options))
        MPI_Abort(MPI_COMM_WORLD, 99);
    double begin = seconds_now();
    uint64_t begin_ticks = ticks();
    uint64_t state = run_rounds(&plan, &options, (uint64_t)options.seed | 1);
    double ticks_per_second = (double)(ticks() - begin_ticks) / (seconds_now() - begin);
    if (options.truth)
        write_truth(options.truth, rank, ticks_per_second);
    if (rank == 0)
        printf("shares: %s %s\n", options.mode, state ? "done" : "done, at zero");
    MPI_Finalize();
    free(readings.list);
    return 0;
}
