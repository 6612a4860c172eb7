/*
 * workers.c: rank 0 hands out tasks, the others ask for them.
 *
 * Which worker gets which task depends on who is first, and so do the counts of every rank; the
 * result does not.  Tasks of later rounds are longer, and a few are far longer than the others.
 * A worker that is to rest gets an empty message.
 */
#include "program.h"

#include <tsprof.h>

#define TAG_ASK        1
#define TAG_TASK       2
#define TAG_REST       3
#define TAG_RESULT     4
#define LONGEST_RESULT 64

struct task {
    int number;
    int round;
    int steps;
    int values; /* how many values the result has */
};

struct result {
    int number;
    int values;
    double value[LONGEST_RESULT];
};

static struct task make_task(int number, int round, int seed)
{
    uint64_t random = (uint64_t)seed * 31u + (uint64_t)round * 1009u + (uint64_t)number;
    struct task task = {number, round, 0, 0};
    task.steps = 200 + 20 * round + (random_next(&random) % 16 == 0 ? 20000 : 0);
    task.values = 1 + (int)(random_next(&random) % LONGEST_RESULT);
    return task;
}

__attribute__((noinline)) static void solve(const struct task *task, struct result *result)
{
    result->number = task->number;
    result->values = task->values;
    for (int i = 0; i < task->values; i++) {
        double x = 1.0 / (task->number + i + 2);
        for (int step = 0; step < task->steps; step++)
            x = 3.7 * x * (1 - x);
        result->value[i] = x;
    }
}

/* The bytes of a result that are sent. */
static int result_bytes(const struct result *result)
{
    return (int)(sizeof *result - sizeof result->value) +
           result->values * (int)sizeof result->value[0];
}

PATH_FUNCTION static void announce_round(int *tasks)
{
    MPI_Bcast(tasks, 1, MPI_INT, 0, MPI_COMM_WORLD);
    COUNT_COLL(MPI_Bcast, program_rank ? 0 : program_ranks * 4, 4);
}

PATH_FUNCTION static void end_round(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    COUNT_BARRIER(MPI_Barrier);
}

PATH_FUNCTION static void give_task(int worker, const struct task *task)
{
    MPI_Send(task, sizeof *task, MPI_BYTE, worker, TAG_TASK, MPI_COMM_WORLD);
    COUNT_SEND(MPI_Send, worker, sizeof *task);
}

PATH_FUNCTION static void give_rest(int worker)
{
    MPI_Send(NULL, 0, MPI_BYTE, worker, TAG_REST, MPI_COMM_WORLD);
    COUNT_SEND(MPI_Send, worker, 0);
}

/* Takes the message of any worker, a result or a mere question; returns the worker. */
PATH_FUNCTION static int take_message(double *sums)
{
    struct result result;
    MPI_Status status;
    int bytes;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    COUNT_VISIT(MPI_Probe);
    const int worker = status.MPI_SOURCE;
    if (status.MPI_TAG == TAG_ASK) {
        MPI_Recv(NULL, 0, MPI_BYTE, worker, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        COUNT_RECV(MPI_Recv, worker, 0);
        return worker;
    }
    MPI_Recv(&result, sizeof result, MPI_BYTE, MPI_ANY_SOURCE, TAG_RESULT, MPI_COMM_WORLD,
             &status);
    bytes = received_bytes(&status);
    COUNT_RECV(MPI_Recv, status.MPI_SOURCE, bytes);
    sums[result.number] = 0;
    for (int i = 0; i < result.values; i++)
        sums[result.number] += result.value[i];
    return status.MPI_SOURCE;
}

/* Every worker asks first and rests last, so there are tasks + workers messages. */
static void run_master(int round, int tasks, int seed, double *sums)
{
    const int messages = tasks + program_ranks - 1;
    int next = 0;
    for (int i = 0; i < messages; i++) {
        const int worker = take_message(sums);
        if (next < tasks) {
            const struct task task = make_task(next++, round, seed);
            give_task(worker, &task);
        } else {
            give_rest(worker);
        }
    }
}

PATH_FUNCTION static void ask(void)
{
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_ASK, MPI_COMM_WORLD);
    COUNT_SEND(MPI_Send, 0, 0);
}

/* Returns 0 when there is nothing left to do. */
PATH_FUNCTION static int take_task(struct task *task)
{
    MPI_Status status;
    MPI_Recv(task, sizeof *task, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    COUNT_RECV(MPI_Recv, 0, status.MPI_TAG == TAG_TASK ? (int)sizeof *task : 0);
    return status.MPI_TAG == TAG_TASK;
}

PATH_FUNCTION static void hand_in(struct result *result)
{
    MPI_Ssend(result, result_bytes(result), MPI_BYTE, 0, TAG_RESULT, MPI_COMM_WORLD);
    COUNT_SEND(MPI_Ssend, 0, result_bytes(result));
}

static void run_worker(void)
{
    struct task task;
    struct result result;
    ask();
    while (take_task(&task)) {
        solve(&task, &result);
        hand_in(&result);
    }
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {12, 12, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    double *sums;
    uint64_t sum = CHECKSUM_START;

    program_start(&argc, &argv);
    TSPROF_PHASE_BEGIN("setup");
    sums = (double *)calloc((size_t)(options.size + options.iterations), sizeof(double));
    TSPROF_PHASE_END("setup");
    if (program_ranks < 2) {
        fprintf(stderr, "workers: needs a worker, so at least 2 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }

    for (int round = 0; round < options.iterations; round++) {
        int tasks = options.size + round / 2;
        TSPROF_ITERATION_BEGIN("round");
        counts_iteration(round);
        announce_round(&tasks);
        if (program_rank)
            run_worker();
        else
            run_master(round, tasks, options.seed, sums);
        sum = checksum_add(sum, sums, (size_t)tasks * sizeof *sums);
        end_round();
        TSPROF_ITERATION_END("round");
    }
    counts_iteration(-1);

    free(sums);
    program_end("workers", sum, &options);
    return 0;
}
