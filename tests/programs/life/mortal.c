/*
 * mortal.c: iterations with known counts, told one by one as they end, until the program dies.
 *
 *     mortal --log PREFIX [--us N] [--iterations N] [--threads N] [--nested 1] [--probes N]
 *            [--how HOW [--at ITERATION | --after MICROSECONDS] [--rank R]]
 *
 * What every rank has finished is in PREFIX.<rank> whatever becomes of the process: a line
 * "pid N", then for each iteration "NUMBER BEFORE AFTER", the time in nanoseconds
 * (CLOCK_MONOTONIC) before and after the marker that ends it; and "dies NUMBER" for the
 * iteration in which the program ends itself, in one of the ways in the table below.
 *
 * In iteration K every rank calls MPI_Iprobe from `compute`, once for each of the 1 + US /
 * 20000 pieces of its computation, and for each of PROBES; MPI_Sendrecv from `exchange`, once,
 * of K % 7 + 1 ints to the next rank; if nested, MPI_Iprobe from `inner_step`, in each of two
 * iterations of `inner`; and on each further thread MPI_Comm_size from `pool_step`, K % 3 + 1
 * times.
 *
 * The ranks are a ring: a periodic grid of one dimension, whose communicator is called `ring`.
 */
#include "burn.h"
#include "tsprof.h"

#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THREADS_MOST = 8, PIECE_US = 20000, EXCHANGED_MOST = 7 };

#define APART __attribute__((noinline, noclone))

static struct {
    const char *log, *how;
    long us, iterations, threads, nested, probes, at, after, rank;
} options = {.us = 1000, .iterations = 1000000, .at = -1, .after = -1, .rank = -1};

static int rank, ranks, log_file = -1;
static long iteration;
static long long start_ns;
static pthread_barrier_t work_begins, work_ends;

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* One write for a line: it is in the file as a whole or not at all. */
static void tell(const char *line, int length)
{
    if (log_file >= 0 && write(log_file, line, (size_t)length) != length)
        perror("mortal: the log");
}

static void open_log(void)
{
    char text[4096];
    if (!options.log)
        return;
    snprintf(text, sizeof text, "%s.%d", options.log, rank);
    log_file = open(text, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (log_file < 0)
        perror(text);
    tell(text, snprintf(text, sizeof text, "pid %d\n", (int)getpid()));
}

static void probe_once(void)
{
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

APART static void compute(long us)
{
    for (long left = us; left >= 0; left -= PIECE_US) {
        int flag;
        burn(1000 * (int64_t)(left < PIECE_US ? left : PIECE_US));
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    for (long i = 0; i < options.probes; i++)
        probe_once();
    __asm__ volatile("");
}

APART static void exchange(void)
{
    int out[EXCHANGED_MOST] = {0}, in[EXCHANGED_MOST];
    int count = (int)(iteration % EXCHANGED_MOST) + 1;
    MPI_Sendrecv(out, count, MPI_INT, (rank + 1) % ranks, 7, in, count, MPI_INT,
                 (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

APART static void inner_step(void)
{
    for (int i = 0; i < 2; i++) {
        TSPROF_ITERATION_BEGIN("inner");
        probe_once();
        TSPROF_ITERATION_END("inner");
    }
}

APART static void pool_step(void)
{
    int size;
    for (long i = 0; i <= iteration % 3; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    burn(1000 * (int64_t)options.us / 2);
    __asm__ volatile("");
}

static void *pool(void *argument)
{
    for (;;) {
        pthread_barrier_wait(&work_begins);
        pool_step();
        pthread_barrier_wait(&work_ends);
    }
    return argument;
}

static void name_ring(void)
{
    const int periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    MPI_Comm_set_name(ring, "ring");
}

static void start_pool(void)
{
    pthread_t thread;
    if (options.threads > THREADS_MOST)
        options.threads = THREADS_MOST;
    if (!options.threads)
        return;
    pthread_barrier_init(&work_begins, NULL, (unsigned)options.threads + 1);
    pthread_barrier_init(&work_ends, NULL, (unsigned)options.threads + 1);
    for (long i = 0; i < options.threads; i++)
        pthread_create(&thread, NULL, pool, NULL);
}

static void die_exit(void)
{
    exit(5);
}

static void die_quick_exit(void)
{
    _exit(6);
}

static void die_abort(void)
{
    abort();
}

static void die_segv(void)
{
    /* The compiler must not know where this leads. */
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static void die_term(void)
{
    raise(SIGTERM);
}

static void die_kill(void)
{
    raise(SIGKILL);
}

static void die_mpi_abort(void)
{
    MPI_Abort(MPI_COMM_WORLD, 7);
}

/* The program's memory ends, and it does what most programs do then. */
static void die_of_memory(void)
{
    struct rlimit limit;
    long pages = 0;
    FILE *status = fopen("/proc/self/statm", "r");
    if (status && fscanf(status, "%ld", &pages) == 1)
        fclose(status);
    limit.rlim_cur = limit.rlim_max = (rlim_t)pages * 4096 + (8 << 20);
    setrlimit(RLIMIT_AS, &limit);
    for (size_t block = 1 << 20; block > 16; block /= 2)
        for (void *memory; (memory = malloc(block));)
            memset(memory, 1, block);
    abort();
}

/* Where no limit of memory ends the process, it ends by itself. */
static void die_of_hoarding(void)
{
    enum { BLOCKS_MOST = 1024 };
    for (int i = 0; i < BLOCKS_MOST; i++) {
        char *memory = malloc(1 << 20);
        if (memory)
            memset(memory, 1 + i, 1 << 20);
    }
    _exit(6);
}

/* The next rank does the same. */
APART static void hang_in_receive(void)
{
    int in;
    MPI_Recv(&in, 1, MPI_INT, (rank + 1) % ranks, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    __asm__ volatile("");
}

static void hang_stopped(void)
{
    raise(SIGSTOP);
}

static const struct {
    const char *how;
    void (*die)(void);
} ways[] = {
    {"exit", die_exit},        /* status 5, without MPI_Finalize */
    {"_exit", die_quick_exit}, /* status 6 */
    {"abort", die_abort},      /* SIGABRT */
    {"segv", die_segv},        /* SIGSEGV */
    {"term", die_term},        /* SIGTERM, which nobody handles */
    {"kill", die_kill},        /* SIGKILL */
    {"mpi_abort", die_mpi_abort} /* status 7 */,
    {"memory", die_of_memory},  /* malloc fails, SIGABRT */
    {"hoard", die_of_hoarding}, /* SIGKILL for want of memory, or status 6 */
    {"receive", hang_in_receive},
    {"stop", hang_stopped},
};

static void die(void)
{
    char line[64];
    tell(line, snprintf(line, sizeof line, "dies %ld\n", iteration));
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].how, options.how) == 0)
            ways[i].die();
}

static int is_time_to_die(void)
{
    if (!options.how || (options.rank >= 0 && options.rank != rank))
        return 0;
    return iteration == options.at ||
           (options.after >= 0 && now_ns() - start_ns >= 1000LL * options.after);
}

APART static void step(void)
{
    compute(options.us);
    exchange();
    if (options.nested)
        inner_step();
    if (is_time_to_die())
        die();
}

APART static void run(void)
{
    for (iteration = 0; iteration < options.iterations; iteration++) {
        char line[96];
        TSPROF_ITERATION_BEGIN("timestep");
        if (options.threads)
            pthread_barrier_wait(&work_begins);
        step();
        if (options.threads)
            pthread_barrier_wait(&work_ends);
        long long before = now_ns();
        TSPROF_ITERATION_END("timestep");
        tell(line, snprintf(line, sizeof line, "%ld %lld %lld\n", iteration, before, now_ns()));
    }
}

static void parse(int argc, char **argv)
{
    const struct {
        const char *name;
        long *number;
        const char **text;
    } table[] = {
        {"--log", NULL, &options.log},         {"--how", NULL, &options.how},
        {"--us", &options.us, NULL},           {"--iterations", &options.iterations, NULL},
        {"--threads", &options.threads, NULL}, {"--nested", &options.nested, NULL},
        {"--probes", &options.probes, NULL},   {"--at", &options.at, NULL},
        {"--after", &options.after, NULL},     {"--rank", &options.rank, NULL},
    };
    const size_t count = sizeof table / sizeof table[0];
    for (int a = 1; a < argc; a += 2) {
        size_t i = 0;
        while (i < count && strcmp(argv[a], table[i].name) != 0)
            i++;
        if (i == count || a + 1 == argc) {
            fprintf(stderr, "mortal: what is %s?\n", argv[a]);
            exit(2);
        }
        if (table[i].text)
            *table[i].text = argv[a + 1];
        else
            *table[i].number = atol(argv[a + 1]);
    }
}

int main(int argc, char **argv)
{
    int provided;
    parse(argc, argv);
    MPI_Init_thread(&argc, &argv, options.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    name_ring();
    open_log();
    start_pool();
    start_ns = now_ns();
    run();
    MPI_Finalize();
    return 0;
}
