/* Cases with the shapes of real codes whose main loops were not found rightly. */
#include "loops.h"

static double field[FIELD], received[4][FIELD];

/* A number of rounds of messages around the ring, and how much has come. */
APART static void exchange_rounds(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        MPI_Request requests[2];
        MPI_Status states[2];
        int count;
        MPI_Irecv(received[0], FIELD, MPI_DOUBLE, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD,
                  &requests[0]);
        MPI_Isend(field, step_count, MPI_DOUBLE, (rank + 1) % ranks, 1, MPI_COMM_WORLD,
                  &requests[1]);
        MPI_Waitall(2, requests, states);
        MPI_Get_count(&states[0], MPI_DOUBLE, &count);
    }
}

APART static void write_checkpoint(void)
{
    MPI_Allreduce(field, received[2], step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    NO_JUMP();
}

/* More rounds in the step before each checkpoint. */
void rounds_before_checkpoints(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        const int last = steps % 20 == 19;
        exchange_rounds(last ? 4 : 1);
        work(work_us / 2);
        MPI_Allreduce(field, received[3], step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        field[2] = received[3][0];
        if (last)
            write_checkpoint();
        steps++;
    }
    truth("loop", "step", steps);
}

/* More rounds in the step after each checkpoint. */
void rounds_after_checkpoints(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        exchange_rounds(steps % 20 == 0 ? 4 : 1);
        work(work_us / 2);
        MPI_Allreduce(field, received[3], step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        field[2] = received[3][0];
        steps++;
        if (steps % 20 == 0)
            write_checkpoint();
    }
    truth("loop", "step", steps);
}

/* The same without checkpoints. */
void rounds_alone(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        exchange_rounds(steps % 20 == 0 ? 4 : 1);
        work(work_us / 2);
        MPI_Allreduce(field, received[3], step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        field[2] = received[3][0];
        steps++;
    }
    truth("loop", "step", steps);
}

/* The same with checkpoints and always one round. */
void checkpoints_alone(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        exchange_rounds(1);
        work(work_us / 2);
        MPI_Allreduce(field, received[3], step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        field[2] = received[3][0];
        steps++;
        if (steps % 20 == 0)
            write_checkpoint();
    }
    truth("loop", "step", steps);
}

/* Messages in three directions, each with loops of its own over those that are sent. */
APART static void exchange_directions(int blocks)
{
    for (int direction = 0; direction < 3; direction++) {
        MPI_Request requests[8];
        int done;
        for (int i = 0; i < blocks; i++)
            MPI_Irecv(received[i], FIELD, MPI_DOUBLE, (rank + 1) % ranks, direction * 4 + i,
                      MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < blocks; i++)
            MPI_Isend(field, step_count, MPI_DOUBLE, (rank + ranks - 1) % ranks,
                      direction * 4 + i, MPI_COMM_WORLD, &requests[blocks + i]);
        for (int i = 0; i < 2 * blocks; i++)
            MPI_Waitany(2 * blocks, requests, &done, MPI_STATUS_IGNORE);
    }
}

APART static void refine(void)
{
    int mine = rank, most;
    for (int level = 0; level < 3; level++) {
        MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        exchange_directions(1);
    }
}

/*
 * Adaptive refinement: time steps of ten stages, in each of which two groups of variables are
 * exchanged; checksums and refinement every so many.
 */
void stages_and_checksums(long n)
{
    long steps = 0, stages = 0;
    while (steps < n) {
        begin_step("step");
        for (int stage = 0; stage < 10; stage++, stages++) {
            begin_step("stage");
            for (int group = 0; group < 2; group++) {
                exchange_directions(1 + (int)(steps % 3));
                work(work_us / 4);
            }
            if (stages % 5 == 4)
                field[3] = sum_over_ranks(field[2]);
        }
        steps++;
        if (steps % 5 == 0)
            refine();
    }
    truth("loop", "step", steps);
    truth("or", "stage", stages);
}

APART static void relax(int sweeps)
{
    for (int i = 0; i < sweeps; i++) {
        exchange_halo(field);
        work(work_us / 8);
    }
}

APART static void set_up_level(int level)
{
    exchange_halo(field);
    field[5] = largest_over_ranks((double)level);
    exchange_rounds(level + 1);
    work(work_us / 4);
}

APART static int set_up(void)
{
    int levels = 0;
    while (levels < 5) {
        set_up_level(levels);
        field[6] = sum_over_ranks(field[5]);
        levels++;
    }
    return levels;
}

APART static void cycle(int levels)
{
    for (int level = 0; level < levels; level++)
        relax(2);
    tell_all(&field[4]);
    for (int level = levels; level-- > 0;)
        relax(1);
}

APART static int solve(int levels, int most)
{
    int cycles = 0;
    while (cycles < most) {
        cycle(levels);
        field[7] = sum_over_ranks(field[6]);
        cycles++;
    }
    return cycles;
}

/* Algebraic multigrid: in each time step a setup over levels, then a solve by cycles. */
void setup_and_solve(long n)
{
    long steps = 0, cycles = 0;
    while (steps < n) {
        begin_step("step");
        const int levels = set_up();
        cycles += solve(levels, 8 + (int)(steps % 3));
        steps++;
    }
    truth("loop", "step", steps);
    truth("inner", "cycle", cycles);
}

APART static void time_steps(int count)
{
    for (int i = 0; i < count; i++) {
        begin_step("step");
        work(work_us);
        shift_left(field);
        shift_right(field);
        shift_left(field);
    }
    end_steps();
    field[8] = sum_over_ranks(field[7]);
}

/* Molecular dynamics that prints every ten steps: nearly all time is in the inner loop. */
void printed_every_ten(long n)
{
    long steps = 0;
    for (; steps < n; steps += 10) {
        field[4] = sum_over_ranks(field[3]);
        time_steps(10);
    }
    truth("loop", "step", steps);
}

APART static void sweep(void)
{
    for (int octant = 0; octant < 4; octant++) {
        shift_left(field);
        work(work_us / 16);
        shift_right(field);
    }
}

/* Transport: time steps of outer iterations, each of several inner ones, until they converge.
 */
void outers_and_inners(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        const int outers = 3 + (int)(steps % 3);
        tell_all(&field[11]);
        for (int outer = 0; outer < outers; outer++) {
            for (int inner = 0; inner < 4; inner++) {
                sweep();
                field[9] = largest_over_ranks(field[8]);
            }
            field[10] = largest_over_ranks(field[9]);
        }
        work(work_us / 4);
        steps++;
    }
    truth("loop", "step", steps);
}

APART static void multiply(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    field[0] = size;
    exchange_halo(field);
    work(work_us);
}

APART static double product(const double *a, const double *b)
{
    static double mine[FIELD], all[FIELD];
    mine[0] = a[0] * b[0];
    MPI_Allreduce(mine, all, step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all[0];
}

/* Conjugate gradients: the first pass starts with another product than the others. */
void conjugate_gradients(long n)
{
    double *const direction = received[1];
    long steps = 0;
    multiply();
    double residual = product(field, field);
    while (steps < n) {
        begin_step("step");
        multiply();
        if (steps == 0) {
            residual = product(field, received[0]);
        } else {
            const double before = residual;
            residual = product(received[0], field);
            direction[1] = residual / (before + 1);
        }
        multiply();
        direction[2] = residual / (1 + product(direction, field));
        direction[3] = product(field, direction);
        steps++;
    }
    truth("loop", "step", steps);
}

/*
 * Likewise, but the first pass starts with something else: as if that came before a loop whose
 * passes end with the start of the next one.
 */
void gradients_otherwise(long n)
{
    double *const direction = received[1];
    long steps = 0;
    multiply();
    double residual = product(field, field);
    while (steps < n) {
        begin_step("step");
        if (steps == 0) {
            tell_all(&field[12]);
        } else {
            const double before = residual;
            multiply();
            residual = product(received[0], field);
            direction[1] = residual / (before + 1);
        }
        multiply();
        direction[2] = residual / (1 + product(direction, field));
        direction[3] = product(field, direction);
        steps++;
    }
    truth("loop", "step", steps);
}

/* Five sums in each step, and one more, in a function of its own, every fifty. */
void five_sums(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        work(work_us / 4);
        for (int i = 0; i < 5; i++)
            field[i] = product(&field[i], &field[i]);
        steps++;
        if (steps % 50 == 0)
            write_checkpoint();
    }
    truth("loop", "step", steps);
}

/* The same, written out. */
void five_sums_apart(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        work(work_us / 4);
        field[0] = product(&field[0], &field[1]);
        field[1] = product(&field[1], &field[2]);
        field[2] = product(&field[2], &field[3]);
        field[3] = product(&field[3], &field[4]);
        field[4] = product(&field[4], &field[5]);
        steps++;
        if (steps % 50 == 0)
            write_checkpoint();
    }
    truth("loop", "step", steps);
}

/* Calls from a place in a tree of calls: LEVEL bits of PATH say which. */
APART static void turn(unsigned path, int level)
{
    int size;
    if (level == 0) {
        MPI_Type_size(MPI_DOUBLE, &size);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    } else if (path >> (level - 1) & 1) {
        turn(path, level - 1);
        NO_JUMP();
    } else {
        turn(path, level - 1);
        __asm__ volatile("# another place");
    }
}

/* Calls from ever other places, in no order. */
APART static void wander(int times, int levels)
{
    for (int i = 0; i < times; i++)
        turn((unsigned)draw(1 << levels), levels);
    NO_JUMP();
}

APART static void run_cycles(long n)
{
    long cycles = 0;
    for (; cycles < n; cycles++) {
        begin_step("cycle");
        field[4] = product(field, field);
        wander(1000, 6);
        work(50 * work_us);
        shift_left(field);
    }
    truth("loop", "cycle", cycles);
}

APART static void solve_task(long n)
{
    field[5] += product(field, field);
    run_cycles(n);
    NO_JUMP();
}

APART static void do_task(long n)
{
    tell_all(&field[6]);
    solve_task(n);
    NO_JUMP();
}

/*
 * A long set-up without any order, which takes more than looking for loops may; then few long
 * cycles, further down in the program than the set-up is.
 */
void cycles_after_setup(long n)
{
    const int set_up = 60000;
    wander(set_up, 8);
    do_task(n);
    truth("also", "set-up", set_up);
    field[7] += product(field, field);
}
