/*
 * endings.c: the many ways in which a program ends, and the state that nobody may disturb.
 *
 *     endings MODE
 *
 * Every mode does a little of everything first, then what its row in the table below says.
 * Whatever is printed must be the same with and without a profiler.
 */
#include "counts.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <tsprof.h>
#include <unistd.h>

static int rank, ranks;

/* Burns processor time, so that a sampler has a reason to interrupt. */
static double burn(double seconds)
{
    const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    volatile double x = 1;
    while (clock() < end)
        for (int i = 0; i < 1000; i++)
            x = x * 0.999 + 0.001;
    return x;
}

PATH_FUNCTION static int sum_ranks(void)
{
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void work(void)
{
    for (int i = 0; i < 3; i++) {
        int sum;
        TSPROF_ITERATION_BEGIN("timestep");
        burn(0.01);
        sum = sum_ranks();
        TSPROF_ITERATION_END("timestep");
        if (!rank)
            printf("step %d: %d\n", i, sum);
    }
    fflush(stdout);
}

static int end_normally(void)
{
    MPI_Finalize();
    return 0;
}

static int end_with_status(void)
{
    MPI_Finalize();
    return 3;
}

static int end_by_exit(void)
{
    exit(5);
}

static int end_by_quick_exit(void)
{
    _exit(6);
}

__attribute__((noreturn)) static int end_by_abort(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank)
        MPI_Abort(MPI_COMM_WORLD, 7);
    for (;;)
        pause();
}

static int end_by_crash(void)
{
    raise(SIGSEGV);
    return 0;
}

static int end_by_term(void)
{
    raise(SIGTERM);
    return 0;
}

/* The few calls that are allowed after the end of MPI, markers, and more work. */
static int go_on_after_finalize(void)
{
    int flag = 0, version, subversion;
    MPI_Finalize();
    MPI_Finalized(&flag);
    MPI_Get_version(&version, &subversion);
    TSPROF_ITERATION_BEGIN("timestep");
    burn(0.05);
    TSPROF_ITERATION_END("timestep");
    if (!rank)
        printf("finalized: %d, MPI %d.%d\n", flag, version, subversion);
    return 0;
}

/* errno and the signal mask belong to the program. */
static int show_state(void)
{
    sigset_t mask, now;
    int blocked = 0, other;
    struct timespec nap = {0, 50000000};
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigaddset(&mask, SIGHUP);
    sigprocmask(SIG_BLOCK, &mask, NULL);

    errno = EDOM;
    MPI_Comm_rank(MPI_COMM_WORLD, &other);
    printf("errno after a call: %d\n", errno);
    TSPROF_PHASE_BEGIN("state");
    TSPROF_ITERATION_BEGIN("timestep");
    burn(0.1);
    TSPROF_ITERATION_END("timestep");
    TSPROF_PHASE_END("state");
    printf("errno after markers and samples: %d\n", errno);
    printf("a nap ends: %d\n", nanosleep(&nap, NULL));

    sigprocmask(SIG_SETMASK, NULL, &now);
    for (int s = 1; s < 32; s++)
        if (sigismember(&now, s) == 1)
            blocked |= 1 << s;
    printf("blocked signals: %x\n", (unsigned)blocked);
    MPI_Finalize();
    return 0;
}

static volatile sig_atomic_t ticks;

static void tick(int number)
{
    (void)number;
    ticks++;
}

/* A program with a profiling timer of its own gets its ticks. */
static int use_own_timer(void)
{
    struct sigaction action = {0};
    const struct itimerval every = {{0, 2000}, {0, 2000}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    action.sa_handler = tick;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    for (int i = 0; i < 200 && ticks < 5; i++)
        burn(0.01);
    setitimer(ITIMER_PROF, &never, NULL);
    printf("enough ticks: %d\n", ticks >= 5);
    MPI_Finalize();
    return 0;
}

/* Errors that the program wants to see. */
static int get_errors(void)
{
    int class = 0, code;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Send(&rank, 1, MPI_INT, ranks + 7, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    printf("rank error: %d\n", class == MPI_ERR_RANK);
    code = MPI_Bcast(&rank, -1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    printf("count error: %d\n", class == MPI_ERR_COUNT);
    code = MPI_Send(&rank, 1, MPI_DATATYPE_NULL, rank, 0, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    printf("type error: %d\n", class == MPI_ERR_TYPE);
    MPI_Finalize();
    return 0;
}

/* Errors that end the program. */
__attribute__((noreturn)) static int die_of_error(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank)
        MPI_Send(&rank, 1, MPI_INT, ranks + 7, 0, MPI_COMM_WORLD);
    for (;;)
        pause();
}

/* Children, which inherit whatever is preloaded. */
static int start_children(void)
{
    int status = -1;
    if (!rank)
        status = system("echo from a child; exit 4");
    if (!rank)
        printf("status of the child: %d\n", status);
    const pid_t child = fork();
    if (!child) {
        burn(0.02);
        _exit(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

static void *compute(void *argument)
{
    (void)argument;
    TSPROF_PHASE_BEGIN("helper");
    burn(0.05);
    TSPROF_PHASE_END("helper");
    return NULL;
}

/* Threads that never call MPI. */
static int start_threads(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, compute, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    if (!rank)
        printf("joined\n");
    MPI_Finalize();
    return 0;
}

static const struct mode {
    const char *name;
    int (*end)(void);
} modes[] = {
    {"normal", end_normally},          /* status 0 */
    {"status", end_with_status},       /* status 3 after MPI_Finalize */
    {"exit", end_by_exit},             /* exit(5), no MPI_Finalize */
    {"quick-exit", end_by_quick_exit}, /* _exit(6), no MPI_Finalize */
    {"abort", end_by_abort},           /* MPI_Abort with 7 */
    {"crash", end_by_crash},           /* a segmentation fault */
    {"term", end_by_term},             /* a SIGTERM that nobody handles */
    {"late", go_on_after_finalize},
    {"state", show_state},
    {"timer", use_own_timer},
    {"errors", get_errors},
    {"fatal", die_of_error}, /* MPI's own error handler ends the run */
    {"children", start_children},
    {"threads", start_threads},
};

#define MODES (sizeof modes / sizeof *modes)

int main(int argc, char **argv)
{
    for (size_t i = 0; i < MODES; i++) {
        if (argc != 2 || strcmp(argv[1], modes[i].name))
            continue;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        work();
        return modes[i].end();
    }
    fprintf(stderr, "usage: %s MODE, one of:", argv[0]);
    for (size_t i = 0; i < MODES; i++)
        fprintf(stderr, " %s", modes[i].name);
    fprintf(stderr, "\n");
    return 2;
}
