/* Cases of loops: several loops one after the other, and programs without any. */
#include "loops.h"

static double field[FIELD];

/* What passes of `transport` and `average` are called. */
static const char *transports = "transport", *averages = "average";

APART static long relax(long n)
{
    long i = 0;
    for (; i < n; i++) {
        begin_step("relax");
        exchange_halo(field);
        work(work_us);
    }
    return i;
}

APART static long converge(long n)
{
    long i = 0;
    for (; i < n; i++) {
        begin_step("converge");
        shift_left(field);
        work(work_us);
        field[3] = sum_over_ranks(field[2]);
    }
    return i;
}

APART static long scatter(long n)
{
    long i = 0;
    for (; i < n; i++) {
        begin_step("scatter");
        tell_all(&field[1]);
        work(work_us);
        gather_on_first(field[2]);
    }
    return i;
}

APART static long transport(long n)
{
    long i = 0;
    for (; i < n; i++) {
        begin_step(transports);
        shift_right(field);
        shift_left(field);
        work(work_us);
        field[4] = largest_over_ranks(field[3]);
    }
    return i;
}

APART static long average(long n)
{
    long i = 0;
    for (; i < n; i++) {
        begin_step(averages);
        work(work_us);
        field[5] = sum_over_ranks(field[4]);
        tell_all(&field[5]);
    }
    return i;
}

/* Stages of a benchmark or a workflow: none of these loops is the main one. */
void five_loops(long n)
{
    truth("loop", "relax", relax(n));
    truth("loop", "converge", converge(n / 2));
    truth("loop", "scatter", scatter(2 * n));
    truth("loop", "transport", transport(3 * n / 2));
    truth("loop", "average", average(n));
}

/* The warm-up has other code and many more iterations, but takes less time. */
void other_warm_up(long n)
{
    long warm = work_us;
    work_us /= 20;
    averages = "warm-up";
    transports = "step";
    truth("also", "warm-up", average(2 * n));
    work_us = warm;
    tell_all(&field[1]);
    truth("loop", "step", transport(n));
}

/* The warm-up is the same function, called first with fewer iterations. */
void same_warm_up(long n)
{
    transports = "warm-up";
    long first = transport(n / 4);
    end_steps();
    transports = "step";
    gather_on_first(field[1]);
    work(20 * work_us);
    long second = transport(n);
    end_steps();
    truth("loop", "step", second);
    truth("also", "warm-up", first);
    truth("or", "both", first + second);
}

/* Both from the same place: no call path differs, so one loop of all or two. */
void warm_up_from_one_place(long n)
{
    long steps[2];
    for (int run = 0; run < 2; run++) {
        transports = run ? "step" : "warm-up";
        steps[run] = transport(run ? n : n / 4);
        end_steps();
        gather_on_first(field[1]);
    }
    truth("loop", "step", steps[1]);
    truth("also", "warm-up", steps[0]);
    truth("or", "both", steps[0] + steps[1]);
}

/* Reading the input has more calls than all the rest. */
void long_input(long n)
{
    long lines = 0, steps = 0;
    for (; lines < 30 * n; lines++) {
        begin_step("line");
        tell_all(&field[1]);
        if (lines % 7 == 0)
            tell_all(&field[2]);
    }
    end_steps();
    for (; steps < n; steps++) {
        begin_step("step");
        exchange_halo(field);
        work(5 * work_us);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
    truth("also", "line", lines);
}

/* A sequence of stages, each once. */
void no_loop(long n)
{
    const long long_work = 600 * work_us * n;
    tell_all(&field[1]);
    work(long_work);
    exchange_halo(field);
    work(long_work / 2);
    field[2] = sum_over_ranks(field[1]);
    work(long_work);
    shift_left(field);
    gather_on_first(field[2]);
    work(long_work / 3);
    MPI_Barrier(MPI_COMM_WORLD);
    shift_right(field);
    work(long_work);
    field[3] = largest_over_ranks(field[2]);
    work(long_work / 2);
    tell_all(&field[4]);
    exchange_halo(field);
    work(long_work);
    field[5] = sum_over_ranks(field[4]);
    gather_on_first(field[5]);
    truth("slices", "stage", 7);
}

/* N passes of a loop, and other things, each once, so that it takes SHARE per cent of the time.
 */
APART static void share_of_loop(long n, long share)
{
    tell_all(&field[1]);
    exchange_halo(field);
    transports = "step";
    const long began_us = now_us();
    transport(n);
    const long rest_us = (now_us() - began_us) * (100 - share) / share;
    end_steps();
    gather_on_first(field[2]);
    work(rest_us / 2);
    field[2] = sum_over_ranks(field[1]);
    work(rest_us / 3);
    MPI_Barrier(MPI_COMM_WORLD);
    work(rest_us / 6);
    tell_all(&field[3]);
}

/* The longest loop is no main loop. */
void five_percent(long n)
{
    share_of_loop(n, 5);
    truth("slices", "step", n);
}

void eleven_percent(long n)
{
    share_of_loop(n, 11);
    truth("slices", "step", n);
}

/* This one is. */
void thirty_percent(long n)
{
    share_of_loop(n, 30);
    truth("loop", "step", n);
}

static long pieces;

/* Work that divides itself as chance has it. */
APART static void divide(int depth)
{
    pieces++;
    work(work_us * (1 + draw(8)) * 2);
    switch (draw(7)) {
    case 0:
        exchange_halo(field);
        break;
    case 1:
        field[1] = sum_over_ranks(field[2]);
        break;
    case 2:
        tell_all(&field[3]);
        break;
    case 3:
        shift_left(field);
        shift_right(field);
        break;
    case 4:
        gather_on_first(field[1]);
        break;
    default:
        break;
    }
    for (int parts = depth > 0 ? draw(4) + (depth > 6) : 0; parts > 0; parts--)
        divide(depth - 1);
    if (draw(3) == 0)
        field[4] = largest_over_ranks(field[5]);
    NO_JUMP();
}

/* A tree of tasks in no order. */
void irregular_work(long n)
{
    divide(9 + (int)n - 1);
    truth("slices", "piece", pieces);
}
