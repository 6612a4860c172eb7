/* Cases in which calls alone do not tell the passes, and two that are like them. */
#include "loops.h"

#include <stddef.h>

static double field[FIELD];

APART static double product(const double *a, const double *b)
{
    static double mine[FIELD], all[FIELD];
    mine[0] = *a * *b;
    MPI_Allreduce(mine, all, step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    NO_JUMP();
    return all[0];
}

/* One step of four makes no call, by lot. */
void seldom(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        work(work_us / 4);
        if (draw(4)) {
            exchange_halo(field);
            field[3] = sum_over_ranks(field[2]);
        }
    }
    end_steps();
    exchange_halo(field);
    truth("loop", "step", steps);
}

/* All calls are made by an inner loop, and the steps are counted down. */
void counted_down(long n)
{
    const long steps = n;
    while (n-- > 0) {
        begin_step("step");
        work(work_us / 4);
        for (int i = 0; i < 4; i++)
            field[i] = product(&field[i], &field[i + 1]);
    }
    truth("loop", "step", steps);
}

/* The inner loop has from none to three passes. */
void triangle(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        work(work_us / 4);
        for (long i = 0; i < steps % 4; i++)
            field[i] = product(&field[i], &field[i + 1]);
    }
    truth("loop", "step", steps);
}

struct item {
    struct item *next;
    double value;
};

/* Likewise, but over a list: nothing is counted, so nobody can tell the steps. */
void uncounted(long n)
{
    static struct item items[1000];
    long steps = 0;
    n = n < 1000 ? n : 1000;
    for (long i = 0; i < n; i++)
        items[i] = (struct item){i + 1 < n ? &items[i + 1] : NULL, 1};
    for (volatile struct item *item = items; item; item = item->next) {
        begin_step("step");
        work(work_us / 4);
        for (const double *value = field; value < field + 4; value++)
            item->value += product(value, value + 1);
    }
    steps = n;
    truth("loop", "step", steps);
}

/* Three short steps of the air in each one of the ocean; coupled in every second. */
void subcycled(long n)
{
    long steps = 0, short_steps = 0;
    while (steps < n) {
        begin_step("step");
        for (int i = 0; i < 3; i++, short_steps++) {
            exchange_halo(field);
            work(work_us / 6);
        }
        shift_left(field);
        work(work_us / 3);
        if (steps % 2)
            field[1] = sum_over_ranks(field[2]);
        steps++;
    }
    truth("loop", "step", steps);
}

/* One level of a refined grid: two steps of the next finer one in each of its own. */
APART static void advance(int level, int finest)
{
    exchange_halo(field);
    work(work_us / 16);
    for (int i = 0; level < finest && i < 2; i++)
        advance(level + 1, finest);
    NO_JUMP();
}

/* The finest level changes from time to time. */
void refined(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        advance(0, 1 + (int)(steps / 20 % 3));
        if (steps % 4 == 3)
            gather_on_first(field[1]);
    }
    truth("loop", "step", steps);
}

/* A loop that is not written as one. */
void backwards(long n)
{
    long steps = 0, tries = 0;
again:
    begin_step("try");
    exchange_halo(field);
    work(work_us / 2);
    if (++tries % 5 == 4)
        goto again;
    field[1] = largest_over_ranks(field[2]);
    if (++steps < n)
        goto again;
    truth("loop", "step", steps);
    truth("or", "try", tries);
}
