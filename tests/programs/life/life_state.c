/*
 * life_state.c: the state of the processor and of the C library that a program takes for its
 * own: floating-point control and exceptions, errno, the words below its stack pointer, vector
 * registers, the direction flag.  Prints what it finds.
 *
 *     life_state MODE
 */
#define _GNU_SOURCE
#define BURN_CLOCK CLOCK_PROCESS_CPUTIME_ID
#include "burn.h"
#include "processor_state.h"

#include <tsprof.h>

#include <errno.h>
#include <fenv.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LONG_NS 250000000

static void probe(int times)
{
    int flag;
    for (int i = 0; i < times; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void show_floating(const char *when)
{
    printf("%s: exceptions %x, trapped %x, rounding %x, x87 %x, flush %x\n", when,
           (unsigned)fetestexcept(FE_ALL_EXCEPT), (unsigned)fegetexcept(),
           (unsigned)fegetround(), x87_control(), flush_control());
}

/* Iterations of many kinds: more than there are clusters for, so that some are merged. */
static void iterate(void)
{
    for (int i = 0; i < 300; i++) {
        TSPROF_ITERATION_BEGIN("step");
        TSPROF_PHASE_BEGIN("inside");
        probe(i % 97);
        TSPROF_PHASE_END("inside");
        TSPROF_ITERATION_END("step");
    }
}

static void *iterate_in_thread(void *argument)
{
    iterate();
    burn(LONG_NS / 10);
    show_floating("in a thread");
    return argument;
}

static jmp_buf back;

static void jump_back(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
    longjmp(back, 1);
}

/* A wrapper is left by a jump, and the next one finds out. */
static void leave_a_call(void)
{
    MPI_Op op;
    int in = 1, inout = 1;
    MPI_Op_create(jump_back, 1, &op);
    if (setjmp(back) == 0)
        MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    MPI_Op_free(&op);
}

/* Every exception is trapped, results are rounded up, small ones flushed to zero. */
static void keep_floating(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
    fesetround(FE_UPWARD);
    flush_to_zero();
    iterate();
    show_floating("after iterations");
    pthread_t thread;
    pthread_create(&thread, NULL, iterate_in_thread, NULL);
    pthread_join(thread, NULL);
    show_floating("after a thread");
    burn(LONG_NS);
    show_floating("after samples");
    leave_a_call();
    show_floating("after a call that was left");
    fedisableexcept(FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
    iterate();
    show_floating("without traps");
    feraiseexcept(FE_OVERFLOW);
    probe(10);
    iterate();
    show_floating("with one exception");
}

/* A sum that depends on the rounding of each step. */
static void keep_rounding(void)
{
    volatile double up = 0, down = 0;
    for (int i = 1; i < 20000000; i++) {
        if (i % 1000 == 0)
            fesetround(i / 1000 % 2 ? FE_UPWARD : FE_DOWNWARD);
        up += 1.0 / i;
        down -= 1.0 / (i + 0.1);
    }
    show_floating("after a sum");
    printf("%a %a\n", up, down);
}

#define KEEPS_ERRNO(call)                                                                      \
    do {                                                                                       \
        errno = 1234;                                                                          \
        call;                                                                                  \
        printf("%d after " #call "\n", errno);                                                 \
    } while (0)

static void keep_errno(void)
{
    int flag, rank, buffer[2] = {0, 0}, class;
    MPI_Request request;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Win window;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    KEEPS_ERRNO(MPI_Comm_rank(MPI_COMM_SELF, &rank));
    KEEPS_ERRNO(MPI_Initialized(&flag));
    KEEPS_ERRNO(MPI_Wtime());
    KEEPS_ERRNO(MPI_Pcontrol(1));
    KEEPS_ERRNO(MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    KEEPS_ERRNO(MPI_Isend(buffer, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
    KEEPS_ERRNO(MPI_Recv(buffer + 1, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    KEEPS_ERRNO(MPI_Wait(&request, MPI_STATUS_IGNORE));
    KEEPS_ERRNO(MPI_Barrier(MPI_COMM_SELF));
    KEEPS_ERRNO(MPI_Allreduce(buffer, buffer + 1, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
    KEEPS_ERRNO(class = MPI_Send(buffer, 1, MPI_INT, 9, 1, MPI_COMM_SELF));
    KEEPS_ERRNO(class = MPI_Bcast(buffer, -1, MPI_INT, 0, MPI_COMM_SELF));
    KEEPS_ERRNO(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    KEEPS_ERRNO(MPI_Comm_free(&comm));
    KEEPS_ERRNO(MPI_Type_contiguous(3, MPI_INT, &type));
    KEEPS_ERRNO(MPI_Type_commit(&type));
    KEEPS_ERRNO(MPI_Type_free(&type));
    /* Open MPI has no windows for a process without neighbours. */
    KEEPS_ERRNO(class = MPI_Win_create(buffer, sizeof buffer, 1, MPI_INFO_NULL, MPI_COMM_SELF,
                                       &window));
    if (class == MPI_SUCCESS)
        KEEPS_ERRNO(MPI_Win_free(&window));
    KEEPS_ERRNO(TSPROF_ITERATION_BEGIN("step"));
    KEEPS_ERRNO(TSPROF_ITERATION_END("step"));
    KEEPS_ERRNO(TSPROF_PHASE_END("never begun"));
    KEEPS_ERRNO(iterate());
    KEEPS_ERRNO(burn(LONG_NS));
    (void)class;
}

static void keep_registers(void)
{
    const long rounds = 1000000;
    printf("red zone: %ld changes\n", watch_red_zone(rounds));
    printf("direction: %ld of %ld\n", watch_direction(rounds), rounds);
    printf("vectors: %ld of %ld\n", watch_vectors(rounds), rounds);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"floating", keep_floating},
    {"rounding", keep_rounding},
    {"errno", keep_errno},
    {"registers", keep_registers},
};

int main(int argc, char **argv)
{
    int provided;
    for (size_t i = 0; argc == 2 && i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        modes[i].run();
        fesetround(FE_DOWNWARD);
        feclearexcept(FE_ALL_EXCEPT);
        MPI_Finalize();
        printf("at the end: rounding %x, trapped %x\n", (unsigned)fegetround(),
               (unsigned)fegetexcept());
        return 7;
    }
    fprintf(stderr, "usage: life_state MODE\n");
    return 2;
}
