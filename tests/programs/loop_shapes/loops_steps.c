/* Cases of loops with one main loop, each with something that misleads. */
#include "loops.h"
#include "loops_library.h"

static double field[FIELD], other[FIELD], another[FIELD];

/* The ordinary one: exchange, work, sum. */
void plain_loop(long n)
{
    long steps = 0;
    while (steps < n) {
        begin_step("step");
        exchange_halo(field);
        work(work_us);
        field[3] += sum_over_ranks(field[2]);
        steps++;
    }
    truth("loop", "step", steps);
}

/* No collective call: nothing but neighbours keeps the ranks together. */
void neighbours_only(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        shift_left(field);
        shift_right(field);
        work(work_us);
    }
    truth("loop", "step", steps);
}

/* A single call of MPI in an iteration. */
void one_call(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        work(work_us);
        field[1] += sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}

APART static void sweep_along_x(void)
{
    shift_left(field);
    work(work_us / 2);
    shift_right(field);
    NO_JUMP();
}

APART static void sweep_along_y(void)
{
    exchange_halo(field);
    work(3 * work_us / 2);
    exchange_halo(other);
    tell_all(&field[4]);
    NO_JUMP();
}

/* Even and odd steps differ in call paths and length; each ends in the same sum. */
void alternating_steps(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        if (steps % 2)
            sweep_along_x();
        else
            sweep_along_y();
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}

/* The same without anything in common: by its calls this is a loop of half as many steps. */
void alternating_apart(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        if (steps % 2)
            sweep_along_x();
        else
            sweep_along_y();
    }
    truth("loop", "step", steps);
    truth("visible", "pair", steps / 2);
}

APART static void write_checkpoint(void)
{
    gather_on_first(field[1]);
    work(10 * work_us);
    gather_on_first(field[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    NO_JUMP();
}

/* The checkpoint looks like the end of an outer loop, of 20 inner iterations. */
void periodic_checkpoint(long n)
{
    long steps = 0, checkpoints = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        exchange_halo(field);
        work(work_us);
        field[3] = sum_over_ranks(field[2]);
        if (steps % 20 == 19) {
            write_checkpoint();
            checkpoints++;
        }
    }
    truth("loop", "step", steps);
    truth("decoy", "checkpoint", checkpoints);
}

/* Diagnostics, balancing and output in periods that share no divisor. */
void many_cadences(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        shift_right(field);
        work(work_us);
        if (steps % 3 == 0)
            field[5] = largest_over_ranks(field[1]);
        if (steps % 7 == 0)
            shift_left(other);
        if (steps % 20 == 0)
            write_checkpoint();
    }
    truth("loop", "step", steps);
}

APART static void radiation(void)
{
    tell_all(&other[1]);
    exchange_halo(other);
    work(work_us / 2);
    other[2] = largest_over_ranks(other[3]);
    NO_JUMP();
}

/* From a third of the steps on there is more in each, and later on less. */
void other_physics_later(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        if (steps < 2 * n / 3)
            exchange_halo(field);
        work(work_us);
        if (steps >= n / 3)
            radiation();
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}

APART static void wait_by_testing(MPI_Request *request)
{
    int done = 0;
    for (int tries = 1 + draw(30); !done || tries > 0; tries--)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

/* A message is waited for by testing, any number of times. */
void polling_inside(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        MPI_Request request;
        MPI_Irecv(other, FIELD, MPI_DOUBLE, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD,
                  &request);
        MPI_Send(field, step_count, MPI_DOUBLE, (rank + 1) % ranks, 5, MPI_COMM_WORLD);
        work(work_us + work_us * (rank == steps % ranks));
        wait_by_testing(&request);
        if (steps % 4 == 0)
            field[6] = sum_over_ranks(1);
    }
    truth("loop", "step", steps);
}

/* Any number of probes until the message is there, which another number of probes follows. */
void probing_for_messages(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        int there = 0;
        MPI_Request request;
        work(work_us + work_us / 2 * (rank == steps % ranks));
        MPI_Isend(field, step_count, MPI_DOUBLE, (rank + 1) % ranks, 6, MPI_COMM_WORLD,
                  &request);
        while (!there)
            MPI_Iprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        MPI_Recv(other, FIELD, MPI_DOUBLE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        for (int probes = draw(20); probes > 0; probes--)
            MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    truth("loop", "step", steps);
}

APART static void unpack_left(void)
{
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    work(work_us / 4);
    NO_JUMP();
}

APART static void unpack_right(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    work(work_us / 4);
    NO_JUMP();
}

/* What has arrived is handled at once, in whatever order. */
void any_order(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
        MPI_Request requests[4];
        MPI_Irecv(other, FIELD, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(another, FIELD, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(field, step_count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(field, step_count, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
        work(work_us / 2);
        for (int i = 0; i < 4; i++) {
            int which;
            MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
            if (which == 0)
                unpack_left();
            else if (which == 1)
                unpack_right();
        }
    }
    truth("loop", "step", steps);
}

enum operation { SHIFT, SUM, TELL };

/* All communication of the program; as calls of MPI only three places. */
APART static double communicate(enum operation operation, double *values)
{
    if (operation == SHIFT)
        MPI_Sendrecv(values, step_count, MPI_DOUBLE, (rank + 1) % ranks, 8, another, FIELD,
                     MPI_DOUBLE, (rank + ranks - 1) % ranks, 8, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    else if (operation == SUM)
        MPI_Allreduce(values, another, step_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Bcast(another, step_count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return another[1];
}

void one_helper(long n)
{
    long steps = 0;
    communicate(TELL, field);
    communicate(SUM, field);
    for (; steps < n; steps++) {
        begin_step("step");
        communicate(SHIFT, field);
        communicate(SHIFT, other);
        work(work_us);
        field[3] = communicate(SUM, field);
        if (steps % 5 == 0)
            communicate(TELL, field);
        communicate(SHIFT, field);
    }
    truth("loop", "step", steps);
}

/* All calls are the same call path: only time tells where five of them begin. */
void one_path(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        for (int i = 0; i < 5; i++)
            communicate(SHIFT, i % 2 ? field : other);
        work(work_us);
    }
    truth("loop", "step", steps);
    truth("visible", "call", 5 * steps);
}

/* Nine of ten iterations never call MPI. */
void rare_calls(long n)
{
    long steps = 0, seen = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        work(work_us / 4);
        if (steps % 10 == 9) {
            exchange_halo(field);
            field[3] = sum_over_ranks(field[2]);
            seen++;
        }
    }
    truth("loop", "step", steps);
    truth("visible", "exchange", seen);
}

APART static double solve_below(int depth)
{
    double result;
    if (depth > 0) {
        result = solve_below(depth - 1);
    } else {
        exchange_halo(field);
        work(work_us);
        result = sum_over_ranks(field[2]);
    }
    NO_JUMP();
    return result;
}

APART static long steps_below(int depth, long n)
{
    long steps = 0;
    if (depth > 0)
        steps = steps_below(depth - 1, n);
    else
        for (; steps < n; steps++) {
            begin_step("step");
            field[3] += solve_below(12);
        }
    NO_JUMP();
    return steps;
}

/* The loop is 25 calls below main, and MPI 12 calls below the loop. */
void deep_loop(long n)
{
    truth("loop", "step", steps_below(25, n));
}

/* MPI is called by a library only. */
void library_calls(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        note_call("MPI_Sendrecv", step_count, MPI_DOUBLE);
        library_exchange(field, other, step_count);
        work(work_us);
        note_call("MPI_Allreduce", step_count, MPI_DOUBLE);
        library_sum(field, other, step_count);
    }
    truth("loop", "step", steps);
}

/* Iterations of ten microseconds. */
void short_steps(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        shift_right(field);
        work(6);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}

/* As many as there may be, with nothing between the calls. */
void many_steps(long n)
{
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        shift_right(field);
        field[3] = sum_over_ranks(field[2]);
    }
    truth("loop", "step", steps);
}

/* A few long ones. */
void three_steps(long n)
{
    long steps = 0;
    tell_all(&field[1]);
    for (; steps < n; steps++) {
        begin_step("step");
        exchange_halo(field);
        work(500 * work_us);
        shift_left(other);
        work(500 * work_us);
        field[3] = sum_over_ranks(field[2]);
    }
    end_steps();
    gather_on_first(field[3]);
    truth("loop", "step", steps);
}

/* The loop is left in its middle, long before its bound. */
void early_exit(long n)
{
    const long last = n / 7;
    long steps = 0;
    for (; steps < n; steps++) {
        begin_step("step");
        exchange_halo(field);
        work(work_us);
        if (largest_over_ranks(steps == last))
            break;
        shift_left(field);
        tell_all(&field[1]);
    }
    end_steps();
    gather_on_first(field[3]);
    truth("loop", "step", steps + 1);
}
