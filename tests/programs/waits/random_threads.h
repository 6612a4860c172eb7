/* A step of waits_random.c: threads that communicate, each with those of its number. */
#ifndef RANDOM_THREADS_H
#define RANDOM_THREADS_H

#include "random_plan.h"

#include <pthread.h>

enum { WORKERS = 2, ACTIONS = 3 };

struct worker {
    MPI_Comm comm;
    int number, actions[ACTIONS], tag;
    uint64_t chance;
    pthread_t thread;
};

static MPI_Comm worker_comms[WORKERS], between_workers;

/* A message around the ring. */
static void pass_on(struct worker *worker)
{
    const int right = right_of(program_rank), left = left_of(program_rank);
    MPI_Request requests[2];
    int sent = 1, received;
    MPI_Irecv(&received, 1, MPI_INT, left, worker->tag, worker->comm, &requests[0]);
    compute_by(&worker->chance);
    MPI_Issend(&sent, 1, MPI_INT, right, worker->tag, worker->comm, &requests[1]);
    compute_by(&worker->chance);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* From one thread of a process to another. */
static void pass_across(struct worker *worker)
{
    int number = 0;
    if (worker->number == 0)
        MPI_Ssend(&number, 1, MPI_INT, program_rank, worker->tag, between_workers);
    else
        MPI_Recv(&number, 1, MPI_INT, program_rank, worker->tag, between_workers,
                 MPI_STATUS_IGNORE);
}

static void meet(struct worker *worker)
{
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, worker->comm);
}

static void *work(void *argument)
{
    static void (*const actions[])(struct worker *) = {pass_on, pass_across, meet};
    struct worker *worker = argument;
    for (int i = 0; i < ACTIONS; i++) {
        compute_by(&worker->chance);
        actions[worker->actions[i]](worker);
        worker->tag++;
    }
    return NULL;
}

static void with_threads(void)
{
    struct worker workers[WORKERS];
    int actions[ACTIONS];
    const int tag = new_tags();
    for (int i = 0; i < ACTIONS; i++)
        actions[i] = draw(3);
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){
            .comm = worker_comms[i], .number = i, .tag = tag, .chance = random_next(&chance)};
        memcpy(workers[i].actions, actions, sizeof actions);
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i].thread, NULL);
}

static void open_threads(void)
{
    for (int i = 0; i < WORKERS; i++)
        MPI_Comm_dup(comms[0], &worker_comms[i]);
    MPI_Comm_dup(comms[0], &between_workers);
}

static void close_threads(void)
{
    for (int i = 0; i < WORKERS; i++)
        MPI_Comm_free(&worker_comms[i]);
    MPI_Comm_free(&between_workers);
}

#endif
