/* Cases of loops that are written out, lie in libraries, are no loops, or have many functions.
 */
#include "loops.h"
#include "loops_library.h"

static double field[FIELD], other[FIELD];

APART static void step(void)
{
    shift_left(field);
    work(work_us / 4);
    field[3] = sum_over_ranks(field[2]);
    NO_JUMP();
}

/* The body has two steps, one after the other. */
void unrolled_by_hand(long n)
{
    long pairs = 0;
    for (; pairs < n / 2; pairs++) {
        begin_step("pair");
        exchange_halo(field);
        work(work_us / 2);
        field[3] = sum_over_ranks(field[2]);
        exchange_halo(other);
        work(work_us / 2);
        other[3] = sum_over_ranks(other[2]);
    }
    truth("loop", "pair", pairs);
}

/* Compilers that optimize write this body out four times. */
void unrolled(long n)
{
    long steps = 0;
#pragma GCC unroll 4
    for (; steps < n; steps++) {
        begin_step("step");
        exchange_halo(field);
        work(work_us / 2);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}

/* As often as is known when it is compiled, and by two: nothing is left over. */
void unrolled_evenly(long n)
{
    enum { STEPS = 200 };
    (void)n;
#pragma GCC unroll 2
    for (int i = 0; i < STEPS; i++) {
        begin_step("step");
        shift_right(field);
        work(work_us / 2);
        field[3] = largest_over_ranks(field[2]);
    }
    truth("loop", "step", STEPS);
}

static void note_library_step(void)
{
    begin_step("step");
    note_call("MPI_Sendrecv", step_count, MPI_DOUBLE);
    note_call("MPI_Allreduce", step_count, MPI_DOUBLE);
}

/* The loop is in a library, and so are all calls. */
void loop_in_library(long n)
{
    truth("loop", "step", library_run(field, other, &step_count, n, note_library_step));
}

static void step_for_library(void)
{
    begin_step("step");
    step();
}

/* The loop is in a library, which calls the program back. */
void library_calls_back(long n)
{
    truth("loop", "step", library_repeat(n, step_for_library));
}

/* Converges in one of the three ways in which this function can be left. */
APART static long solve(long most)
{
    const int needed = draw(12);
    for (long i = 0; i < most; i++) {
        shift_left(field);
        if (i == needed)
            return i;
        work(work_us / 20);
        field[3] = sum_over_ranks(field[2]);
        if (i > 3 && i == needed - 1)
            return i;
    }
    return most;
}

/* A loop that is left from inside, in steps some of which go on early. */
void returning(long n)
{
    long steps = 0, inner = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        const long iterations = solve(8);
        inner += iterations;
        if (iterations < 2)
            continue;
        field[5] = largest_over_ranks(field[4]);
        work(work_us / 4);
    }
    truth("loop", "step", steps);
    truth("inner", "iteration", inner);
}

/* Each step is made by the one before: there is no loop. */
APART static void steps_below(long left)
{
    step();
    work(20 * work_us);
    if (left > 1)
        steps_below(left - 1);
    field[4] = largest_over_ranks(field[3]);
    NO_JUMP();
}

void recursive_steps(long n)
{
    steps_below(n);
    truth("slices", "step", n);
}

/* 256 functions that call MPI, part_100000000 and so on. */
#define PART(number)                                                                           \
    APART static void part_##number(void)                                                      \
    {                                                                                          \
        field[number % 100] += 1;                                                              \
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);                                                 \
        NO_JUMP();                                                                             \
    }
#define CALL(number)    part_##number();
#define TWO(what, at)   what(at##0) what(at##1)
#define FOUR(what, at)  TWO(what, at##0) TWO(what, at##1)
#define EIGHT(what, at) FOUR(what, at##0) FOUR(what, at##1)
#define MORE(what, at)  EIGHT(what, at##0) EIGHT(what, at##1)
#define MANY(what, at)  MORE(what, at##0) MORE(what, at##1)
#define HALF(what, at)  MANY(what, at##0) MANY(what, at##1)
#define MOST(what, at)  HALF(what, at##0) HALF(what, at##1)
#define ALL(what)       MOST(what, 10) MOST(what, 11)

ALL(PART)

/* All of them in each step, called by one function, and a few more in a loop. */
void many_functions(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        tell_all(&field[1]);
        ALL(CALL)
        for (int i = 0; i < 3 + (int)(steps % 3); i++)
            shift_left(field);
        work(work_us);
    }
    truth("loop", "step", steps);
}
