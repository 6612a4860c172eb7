/*
 * Cases of loops whose ranks do different things.  `ocean` and `air` are for one job of two
 * executables: mpirun -n 1 loops ocean : -n 2 loops_other air.
 */
#include "loops.h"

#include <string.h>

static double field[FIELD], received[FIELD];

enum { TAG_ASK = 11, TAG_TASK, TAG_OVER };

static long give_tasks(long tasks)
{
    const long messages = tasks + ranks - 1;
    long given = 0;
    for (long i = 0; i < messages; i++) {
        MPI_Status status;
        int task = (int)given;
        MPI_Recv(&field[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_ASK, MPI_COMM_WORLD, &status);
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, given < tasks ? TAG_TASK : TAG_OVER,
                 MPI_COMM_WORLD);
        given += given < tasks;
    }
    return messages;
}

static long take_tasks(void)
{
    long taken = 0;
    for (;;) {
        MPI_Status status;
        int task;
        MPI_Send(&field[1], 1, MPI_DOUBLE, 0, TAG_ASK, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_OVER)
            return taken;
        work(work_us * (1 + task % 5));
        taken++;
    }
}

/* Rank 0 hands out tasks; nothing is common to the ranks, and each has iterations of its own.
 */
void task_farm(long n)
{
    if (rank == 0)
        truth_of_rank("message", give_tasks(n));
    else
        truth_of_rank("task", take_tasks());
}

/* The same in rounds that all ranks take part in. */
void rounds_of_tasks(long n)
{
    long rounds = 0, inner = 0;
    for (; rounds < n; rounds++) {
        begin_step("round");
        tell_all(&field[1]);
        inner += rank == 0 ? give_tasks(8 + rounds % 5) : take_tasks();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    truth("loop", "round", rounds);
    truth("inner", "message", inner);
}

APART static void move_particles(MPI_Comm group)
{
    work(work_us);
    MPI_Allreduce(field, received, step_count, MPI_DOUBLE, MPI_MAX, group);
    work(work_us / 2);
    MPI_Barrier(group);
    NO_JUMP();
}

APART static void solve_field(MPI_Comm group)
{
    for (int i = 0; i < 6; i++) {
        MPI_Bcast(field, step_count, MPI_DOUBLE, 0, group);
        work(work_us / 4);
    }
    NO_JUMP();
}

/* Two groups of ranks with other code, which meet once a step, at different places of it. */
void two_groups(long n)
{
    long steps = 0;
    MPI_Comm group;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &group);
    tell_members(group, rank % 2 ? ranks / 2 : ranks - ranks / 2);
    for (; steps < n; steps++) {
        begin_step("step");
        if (rank % 2) {
            solve_field(group);
            field[1] = sum_over_ranks(field[2]);
        } else {
            move_particles(group);
            field[3] = sum_over_ranks(field[2]);
        }
    }
    MPI_Comm_free(&group);
    truth("loop", "step", steps);
}

/* The last rank has no part in the loop. */
void idle_rank(long n)
{
    const int idle = rank == ranks - 1 && ranks > 1;
    long steps = 0;
    MPI_Comm busy;
    MPI_Comm_split(MPI_COMM_WORLD, idle ? MPI_UNDEFINED : 0, rank, &busy);
    for (; !idle && steps < n; steps++) {
        double mine = 1, all;
        MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, busy);
        work(work_us);
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, busy);
    }
    if (!idle)
        MPI_Comm_free(&busy);
    MPI_Barrier(MPI_COMM_WORLD);
    truth_of_rank("step", steps);
}

APART static void receive_item(void)
{
    MPI_Recv(field, FIELD, MPI_DOUBLE, rank - 1, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    NO_JUMP();
}

APART static void send_item(void)
{
    MPI_Send(field, step_count, MPI_DOUBLE, rank + 1, 15, MPI_COMM_WORLD);
    NO_JUMP();
}

/* Each rank is another stage: the first only sends, the last only receives. */
void pipeline(long n)
{
    long items = 0;
    for (; items < n; items++) {
        begin_step("item");
        if (rank > 0)
            receive_item();
        work(work_us);
        if (rank < ranks - 1)
            send_item();
    }
    truth("loop", "item", items);
}

/* The ranks of this executable; the others run the other one. */
static MPI_Comm own_half(int color)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &half);
    return half;
}

/* Coupled through rank 0 and the last rank, which are in different executables. */
static void swap_with(int peer, int number)
{
    MPI_Sendrecv(field, step_count, MPI_DOUBLE, peer, number, received, FIELD, MPI_DOUBLE, peer,
                 number, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Four small steps for each time that both swap what they have. */
void ocean(long n)
{
    MPI_Comm half = own_half(0);
    long couplings = 0, steps = 0;
    for (; couplings < n; couplings++) {
        begin_step("coupling");
        for (int i = 0; i < 4; i++, steps++) {
            work(work_us / 4);
            MPI_Allreduce(field, received, step_count, MPI_DOUBLE, MPI_SUM, half);
        }
        if (rank == 0)
            swap_with(ranks - 1, 21);
        MPI_Bcast(field, step_count, MPI_DOUBLE, 0, half);
    }
    MPI_Comm_free(&half);
    truth("loop", "coupling", couplings);
    truth("inner", "small-step", steps);
}

void air(long n)
{
    MPI_Comm half = own_half(1);
    int size;
    MPI_Comm_size(half, &size);
    for (long couplings = 0; couplings < n; couplings++) {
        begin_step("coupling");
        work(work_us);
        MPI_Barrier(half);
        if (rank == ranks - 1)
            swap_with(0, 21);
        MPI_Bcast(field, step_count, MPI_DOUBLE, size - 1, half);
    }
    end_steps();
    MPI_Comm_free(&half);
}
