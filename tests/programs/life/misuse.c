/*
 * misuse.c: markers that are wrong in the ways in which people get them wrong.
 *
 *     misuse MODE
 *
 * Each mistake is made three times over.  The result must not depend on whether anybody listens
 * to the markers.
 */
#include "counts.h"

#include <pthread.h>
#include <tsprof.h>

#define TIMES 3

static int rank;

PATH_FUNCTION static int sum_ranks(int value)
{
    int sum = 0;
    volatile double x = 1;
    for (int i = 0; i < 200000; i++)
        x = x * 0.999 + 0.001;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Ended, but not begun. */
__attribute__((noinline)) static int never_begun(void)
{
    int sum = sum_ranks(1);
    TSPROF_PHASE_END("orphan");
    return sum;
}

/* The same for an iteration. */
__attribute__((noinline)) static int iteration_never_begun(void)
{
    int sum = sum_ranks(2);
    TSPROF_ITERATION_END("orphan");
    return sum;
}

/* Ended outside in instead of inside out. */
__attribute__((noinline)) static int wrong_order(void)
{
    int sum;
    TSPROF_PHASE_BEGIN("outer");
    TSPROF_PHASE_BEGIN("inner");
    sum = sum_ranks(3);
    TSPROF_PHASE_END("outer");
    sum += sum_ranks(4);
    TSPROF_PHASE_END("inner");
    return sum;
}

static void *end_on_thread(void *name)
{
    TSPROF_PHASE_END((const char *)name);
    return NULL;
}

/* Begun here, ended by another thread. */
__attribute__((noinline)) static int other_thread(void)
{
    static char name[] = "wanderer";
    pthread_t thread;
    int sum;
    TSPROF_PHASE_BEGIN(name);
    sum = sum_ranks(5);
    pthread_create(&thread, NULL, end_on_thread, name);
    pthread_join(thread, NULL);
    return sum + sum_ranks(6);
}

/* Left by `continue` before its end, so that the next one starts inside it. */
__attribute__((noinline)) static int never_ended(void)
{
    int sum;
    TSPROF_ITERATION_BEGIN("timestep");
    sum = sum_ranks(7);
    if (sum % 2 == 0)
        TSPROF_ITERATION_END("timestep");
    return sum;
}

static const struct mode {
    const char *name;
    int (*mistake)(void);
} modes[] = {
    {"never-begun", never_begun}, {"iteration-never-begun", iteration_never_begun},
    {"wrong-order", wrong_order}, {"other-thread", other_thread},
    {"never-ended", never_ended},
};

#define MODES (sizeof modes / sizeof *modes)

int main(int argc, char **argv)
{
    for (size_t i = 0; i < MODES; i++) {
        if (argc != 2 || strcmp(argv[1], modes[i].name))
            continue;
        int sum = 0;
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        for (int time = 0; time < TIMES; time++)
            sum += modes[i].mistake();
        if (!rank)
            printf("%s: %d\n", modes[i].name, sum);
        fflush(stdout);
        MPI_Finalize();
        return 0;
    }
    fprintf(stderr, "usage: %s MODE, one of:", argv[0]);
    for (size_t i = 0; i < MODES; i++)
        fprintf(stderr, " %s", modes[i].name);
    fprintf(stderr, "\n");
    return 2;
}
