/* Cases of loops with loops inside the main one. */
#include "loops.h"

static double field[FIELD];

/* Conjugate gradients: the norm first, then any number of iterations.  Returns how many. */
APART static int solve(int fewest, int most)
{
    const int needed = fewest + draw(most - fewest + 1);
    int iterations = 0;
    double rest = sum_over_ranks(field[1]);
    while (iterations < needed) {
        exchange_halo(field);
        work(work_us / 10);
        rest += sum_over_ranks(field[2]);
        rest += sum_over_ranks(field[3]);
        iterations++;
    }
    field[4] = rest;
    return iterations;
}

/* A time step is an exchange and a solver that converges after 3 to 30 iterations. */
void convergence(long n)
{
    long steps = 0, inner = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        shift_left(field);
        work(work_us);
        inner += solve(3, 30);
        field[5] = largest_over_ranks(field[4]);
    }
    truth("loop", "step", steps);
    truth("inner", "iteration", inner);
}

APART static int solve_momentum(void)
{
    int iterations = 0;
    for (int needed = 2 + draw(6); iterations < needed; iterations++) {
        exchange_halo(field);
        work(work_us / 10);
        field[2] = sum_over_ranks(field[1]);
    }
    return iterations;
}

APART static int solve_pressure(void)
{
    int iterations = 0;
    for (int needed = 5 + draw(40); iterations < needed; iterations++) {
        exchange_halo(field);
        work(work_us / 10);
        field[3] = sum_over_ranks(field[1]);
    }
    return iterations;
}

/* Nothing is called once in a step: the step is the change from one solver to the other. */
void two_solvers(long n)
{
    long steps = 0, inner = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        inner += solve_momentum();
        work(work_us / 2);
        inner += solve_pressure();
    }
    truth("loop", "step", steps);
    truth("inner", "iteration", inner);
}

/* No call path tells where a step begins; only time does. */
void solver_alone(long n)
{
    long steps = 0, inner = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        work(5 * work_us);
        inner += solve_pressure();
    }
    truth("loop", "step", steps);
    truth("visible", "iteration", inner);
}

/* Runge-Kutta: three equal stages, each exchanges four fields; the step's length before them.
 */
void stages_of_steps(long n)
{
    long steps = 0, stages = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        field[1] = largest_over_ranks(field[2]);
        for (int stage = 0; stage < 3; stage++, stages++) {
            for (int i = 0; i < 4; i++)
                exchange_halo(field);
            work(work_us / 3);
        }
    }
    truth("loop", "step", steps);
    truth("inner", "stage", stages);
}

APART static void smooth(int level)
{
    for (int sweep = 0; sweep < 2; sweep++) {
        exchange_halo(field);
        work(work_us >> level >> 2);
    }
    NO_JUMP();
}

APART static void cycle(int level, int coarsest, int times)
{
    smooth(level);
    if (level == coarsest) {
        for (int i = draw(4); i >= 0; i--)
            field[5] = sum_over_ranks(field[6]);
    } else {
        shift_left(field);
        for (int i = 0; i < times; i++)
            cycle(level + 1, coarsest, times);
        shift_right(field);
        smooth(level);
    }
    NO_JUMP();
}

/* Multigrid, recursively: down to the coarsest of six grids and up again. */
void v_cycles(long n)
{
    long cycles = 0;
    for (; cycles < n; cycles++) {
        begin_step("cycle");
        cycle(0, 5, 1);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "cycle", cycles);
}

/* Each grid visits the next coarser one twice: the same patterns at every level. */
void w_cycles(long n)
{
    long cycles = 0;
    for (; cycles < n; cycles++) {
        begin_step("cycle");
        cycle(0, 4, 2);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "cycle", cycles);
}

/* Refined meshes: the number of patches changes every ten steps, and regridding is rare. */
void changing_patches(long n)
{
    long steps = 0, updates = 0;
    int patches = 3;
    for (; steps < n; steps++) {
        begin_step("step");
        field[1] = largest_over_ranks(field[2]);
        if (steps % 10 == 9) {
            gather_on_first(field[1]);
            tell_all(&field[2]);
            patches = 1 + draw(9);
        }
        for (int patch = 0; patch < patches; patch++, updates++) {
            exchange_halo(field);
            work(work_us / 4);
        }
    }
    truth("loop", "step", steps);
    truth("inner", "patch", updates);
}

/* Every step has more inner iterations than the one before. */
void growing_steps(long n)
{
    long steps = 0, inner = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        tell_all(&field[1]);
        for (long i = 0; i <= steps / 2; i++, inner++) {
            shift_right(field);
            work(work_us / 20);
        }
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
    truth("inner", "iteration", inner);
}
