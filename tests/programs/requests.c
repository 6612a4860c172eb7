/*
 * requests.c: everything that completes through a request, each kind in a function of its own.
 *
 *     requests [--funneled] [FILE]
 *
 * Processes work in pairs, the last one alone if their number is odd: what one function moves
 * is the same on every process, and stands in e2e/requests.py.  What arrives is checked here.
 * FILE is for files; without it there are none.  With --funneled MPI is told that only one
 * thread calls it.  Rank 0 prints what send_ints has sent on all ranks.
 */
#include <mpi.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_FUNCTION __attribute__((noinline, noclone))

enum { MANY = 3000, ROOM = 64 };

static int rank, ranks, peer;
static MPI_Comm pair; /* the two, errors return */
static bool threads;
static const char *file_name;

/* What is on its way from here. */
static int outgoing[MANY + 100][ROOM];
static MPI_Request sends[MANY + 100];
static int send_count;
static long sent_messages, sent_syncs, sent_bytes;

static void fail(const char *what)
{
    fprintf(stderr, "requests: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void check(const int *got, int count, int tag, const char *where)
{
    for (int i = 0; i < count; i++)
        if (got[i] != tag * 1000 + i)
            fail(where);
}

/* COUNT integers for the peer, to be finished later. */
PATH_FUNCTION static void send_ints(int count, int tag)
{
    int *from = outgoing[send_count];
    for (int i = 0; i < count; i++)
        from[i] = tag * 1000 + i;
    MPI_Isend(from, count, MPI_INT, peer, tag, pair, &sends[send_count++]);
    sent_messages += count > 0;
    sent_syncs += count == 0;
    sent_bytes += 4 * count;
}

PATH_FUNCTION static void finish_sends(void)
{
    MPI_Waitall(send_count, sends, MPI_STATUSES_IGNORE);
    send_count = 0;
}

PATH_FUNCTION static void wait_one(void)
{
    int in[10];
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in, 10, MPI_INT, peer, 1, pair, &request);
    send_ints(3, 1);
    MPI_Wait(&request, &status);
    check(in, 3, 1, __func__);
    if (status.MPI_TAG != 1 || request != MPI_REQUEST_NULL)
        fail(__func__);
}

PATH_FUNCTION static void wait_ignoring(void)
{
    int in[10];
    MPI_Request request;
    MPI_Irecv(in, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, &request);
    send_ints(4, 2);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in, 4, 2, __func__);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

PATH_FUNCTION static void wait_for_nothing(void)
{
    MPI_Request requests[3];
    MPI_Irecv(NULL, 0, MPI_INT, peer, 3, pair, &requests[0]);
    send_ints(0, 3);
    MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 3, pair, &requests[1]);
    MPI_Isend(NULL, 0, MPI_INT, MPI_PROC_NULL, 3, pair, &requests[2]);
    for (int i = 0; i < 3; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* All that sends; three of them with buffers that must stay. */
PATH_FUNCTION static void send_kinds(void)
{
    static int out[8], in[4][8];
    static char buffer[4096];
    MPI_Request requests[8];
    for (int i = 0; i < 4; i++)
        MPI_Irecv(in[i], 8, MPI_INT, peer, 10 + i, pair, &requests[4 + i]);
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 14, NULL, 0, MPI_INT, peer, 14, pair,
                 MPI_STATUS_IGNORE);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Isend(out, 1, MPI_INT, peer, 10, pair, &requests[0]);
    MPI_Ibsend(out, 2, MPI_INT, peer, 11, pair, &requests[1]);
    MPI_Issend(out, 3, MPI_INT, peer, 12, pair, &requests[2]);
    MPI_Irsend(out, 4, MPI_INT, peer, 13, pair, &requests[3]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
}

static void receive_three(int in[3][10], MPI_Request *requests, int tag)
{
    for (int i = 0; i < 3; i++)
        MPI_Irecv(in[i], 10, MPI_INT, peer, tag + i, pair, &requests[i]);
    for (int i = 0; i < 3; i++)
        send_ints(i + 1, tag + i);
}

static void check_three(int in[3][10], int tag, const char *where)
{
    for (int i = 0; i < 3; i++)
        check(in[i], i + 1, tag + i, where);
}

PATH_FUNCTION static void wait_any(void)
{
    int in[3][10], index;
    MPI_Request requests[3];
    receive_three(in, requests, 20);
    for (int i = 0; i < 3; i++)
        MPI_Waitany(3, requests, &index, i ? MPI_STATUS_IGNORE : &(MPI_Status){0});
    check_three(in, 20, __func__);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    if (index != MPI_UNDEFINED)
        fail(__func__);
}

PATH_FUNCTION static void wait_some(void)
{
    int in[3][10], indices[3], count;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    receive_three(in, requests, 30);
    for (int done = 0; done < 3; done += count)
        MPI_Waitsome(3, requests, &count, indices, done ? MPI_STATUSES_IGNORE : statuses);
    check_three(in, 30, __func__);
    MPI_Waitsome(3, requests, &count, indices, statuses);
    if (count != MPI_UNDEFINED)
        fail(__func__);
}

/* More than ever fit a buffer of usual size, and with holes. */
PATH_FUNCTION static void wait_all(MPI_Status *statuses)
{
    static int in[MANY][2];
    static MPI_Request requests[MANY];
    for (int i = 0; i < MANY; i++)
        if (i % 3 == 0)
            requests[i] = MPI_REQUEST_NULL;
        else
            MPI_Irecv(in[i], 2, MPI_INT, peer, 1000 + i, pair, &requests[i]);
    for (int i = 0; i < MANY; i++)
        if (i % 3)
            send_ints(i % 3, 1000 + i);
    MPI_Waitall(MANY, requests, statuses);
    for (int i = 0; i < MANY; i++)
        if (i % 3)
            check(in[i], i % 3, 1000 + i, __func__);
    finish_sends();
}

PATH_FUNCTION static void wait_all_with_statuses(void)
{
    static MPI_Status statuses[MANY];
    wait_all(statuses);
    for (int i = 0; i < MANY; i++) {
        int count;
        PMPI_Get_count(&statuses[i], MPI_INT, &count);
        if (count != i % 3)
            fail(__func__);
    }
}

PATH_FUNCTION static void test_one(void)
{
    int in[10], flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(in, 10, MPI_INT, peer, 40, pair, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (flag)
        fail(__func__);
    /* Not before both have seen that nothing was there. */
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 41, NULL, 0, MPI_INT, peer, 41, pair,
                 MPI_STATUS_IGNORE);
    send_ints(5, 40);
    while (!flag)
        MPI_Test(&request, &flag, &status);
    check(in, 5, 40, __func__);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

PATH_FUNCTION static void test_any(void)
{
    int in[3][10], index, flag;
    MPI_Request requests[3];
    receive_three(in, requests, 50);
    for (int done = 0; done < 3; done += flag)
        MPI_Testany(3, requests, &index, &flag, done ? MPI_STATUS_IGNORE : &(MPI_Status){0});
    check_three(in, 50, __func__);
    MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
}

PATH_FUNCTION static void test_some(void)
{
    int in[3][10], indices[3], count;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    receive_three(in, requests, 60);
    for (int done = 0; done < 3; done += count)
        MPI_Testsome(3, requests, &count, indices, done ? MPI_STATUSES_IGNORE : statuses);
    check_three(in, 60, __func__);
    MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
}

PATH_FUNCTION static void test_all(void)
{
    int in[3][10], flag = 0;
    MPI_Request requests[3];
    receive_three(in, requests, 70);
    while (!flag)
        MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    check_three(in, 70, __func__);
    MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
}

/* The first call that tells counts; one request is waited for after it, the other freed. */
PATH_FUNCTION static void get_status(void)
{
    int in[2][10];
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++) {
        int flag = 0;
        MPI_Irecv(in[i], 10, MPI_INT, peer, 80 + i, pair, &requests[i]);
        send_ints(6 + i, 80 + i);
        while (!flag)
            MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        MPI_Request_get_status(requests[i], &flag, &(MPI_Status){0});
        check(in[i], 6 + i, 80 + i, __func__);
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[1]);
}

PATH_FUNCTION static void persistent(void)
{
    int out[8] = {0}, in[8];
    MPI_Request requests[4];
    MPI_Recv_init(in, 8, MPI_INT, peer, 90, pair, &requests[0]);
    MPI_Send_init(out, 7, MPI_INT, peer, 90, pair, &requests[1]);
    MPI_Ssend_init(out, 7, MPI_INT, MPI_PROC_NULL, 90, pair, &requests[2]);
    MPI_Recv_init(in, 8, MPI_INT, MPI_PROC_NULL, 90, pair, &requests[3]);
    /* Nothing is under way. */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&requests[0]);
        MPI_Start(&requests[1]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Startall(4, requests);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
}

PATH_FUNCTION static void persistent_kinds(void)
{
    static int out[8], in[3][8];
    static char buffer[4096];
    MPI_Request requests[6];
    for (int i = 0; i < 3; i++)
        MPI_Recv_init(in[i], 8, MPI_INT, peer, 95 + i, pair, &requests[i]);
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend_init(out, 1, MPI_INT, peer, 95, pair, &requests[3]);
    MPI_Ssend_init(out, 2, MPI_INT, peer, 96, pair, &requests[4]);
    MPI_Rsend_init(out, 0, MPI_INT, peer, 97, pair, &requests[5]);
    MPI_Startall(3, requests);
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 98, NULL, 0, MPI_INT, peer, 98, pair,
                 MPI_STATUS_IGNORE);
    MPI_Startall(3, requests + 3);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; i++)
        MPI_Request_free(&requests[i]);
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
}

PATH_FUNCTION static void cancelled(void)
{
    int in[10], flag;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Irecv(in, 10, MPI_INT, peer, 100, pair, &requests[0]);
    MPI_Recv_init(in, 10, MPI_INT, peer, 101, pair, &requests[1]);
    MPI_Start(&requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Cancel(&requests[i]);
        MPI_Wait(&requests[i], i ? &status : MPI_STATUS_IGNORE);
    }
    MPI_Test_cancelled(&status, &flag);
    if (!flag)
        fail(__func__);
    MPI_Request_free(&requests[1]);
}

/* Nobody hears of the receive; the send was one. Then their handles come back. */
PATH_FUNCTION static void freed(void)
{
    static int in[10], out[10], more[10];
    MPI_Request request;
    MPI_Irecv(in, 10, MPI_INT, peer, 110, pair, &request);
    MPI_Request_free(&request);
    MPI_Isend(out, 10, MPI_INT, peer, 110, pair, &request);
    MPI_Request_free(&request);
    /* Messages do not overtake: after this one the other has come. */
    MPI_Irecv(more, 10, MPI_INT, peer, 110, pair, &request);
    send_ints(8, 110);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(more, 8, 110, __func__);
    for (int i = 0; i < 20; i++) {
        MPI_Issend(out, 0, MPI_INT, MPI_PROC_NULL, 0, pair, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

PATH_FUNCTION static void truncated(void)
{
    int in[1], class, index;
    MPI_Request request;
    MPI_Irecv(in, 1, MPI_INT, peer, 120, pair, &request);
    send_ints(5, 120);
    int outcome = MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Error_class(outcome, &class);
    if (class != MPI_ERR_TRUNCATE)
        fail(__func__);
    /* The same in a request that stays, and then has nothing under way. */
    MPI_Recv_init(in, 1, MPI_INT, peer, 124, pair, &request);
    MPI_Start(&request);
    send_ints(5, 124);
    outcome = MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    MPI_Error_class(outcome, &class);
    if (class != MPI_ERR_TRUNCATE)
        fail(__func__);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    finish_sends();
}

/*
 * What did not fit has failed; what else was waited for has not.  (Open MPI waits for ever
 * where one of several requests has failed.)
 */
#ifndef OPEN_MPI
PATH_FUNCTION static void truncated_among_others(void)
{
    int in[3][10], class;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    for (int i = 0; i < 3; i++)
        MPI_Irecv(in[i], i == 1 ? 1 : 10, MPI_INT, peer, 120 + i, pair, &requests[i]);
    for (int i = 0; i < 3; i++)
        send_ints(5 + i, 120 + i);
    /* Messages do not overtake: all have come. */
    MPI_Sendrecv(NULL, 0, MPI_INT, peer, 123, NULL, 0, MPI_INT, peer, 123, pair,
                 MPI_STATUS_IGNORE);
    int outcome = MPI_Waitall(3, requests, statuses);
    MPI_Error_class(outcome, &class);
    if (class != MPI_ERR_IN_STATUS)
        fail(__func__);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    check(in[0], 5, 120, __func__);
    check(in[2], 7, 122, __func__);
    finish_sends();
}
#endif

PATH_FUNCTION static void matched(void)
{
    int in[10], flag = 0;
    MPI_Message message;
    MPI_Request request;
    send_ints(2, 130);
    MPI_Mprobe(peer, 130, pair, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 10, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in, 2, 130, __func__);
    send_ints(3, 131);
    while (!flag)
        MPI_Improbe(peer, 131, pair, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 10, MPI_INT, &message, MPI_STATUS_IGNORE);
    check(in, 3, 131, __func__);
    MPI_Mprobe(MPI_PROC_NULL, 132, pair, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 10, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 132, pair, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 10, MPI_INT, &message, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
PATH_FUNCTION static void send_and_receive(void)
{
    int out[6] = {0}, in[6];
    MPI_Request request;
    MPI_Isendrecv(out, 5, MPI_INT, peer, 140, in, 5, MPI_INT, peer, 140, pair, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(in, 6, MPI_INT, peer, 141, peer, 141, pair, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Isendrecv(out, 5, MPI_INT, MPI_PROC_NULL, 142, in, 6, MPI_INT, peer, 142, pair,
                  &request);
    send_ints(1, 142);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 6, MPI_INT, peer, 143, pair, &sends[send_count++]);
    MPI_Isendrecv(out, 2, MPI_INT, peer, 143, in, 6, MPI_INT, MPI_PROC_NULL, 143, pair,
                  &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Waitall(send_count, sends, MPI_STATUSES_IGNORE);
    send_count = 0;
}

PATH_FUNCTION static void partitioned(void)
{
    enum { PARTS = 4, EACH = 5 };
    static int out[PARTS * EACH], in[PARTS * EACH];
    int list[] = {3}, flag;
    MPI_Request requests[2];
    MPI_Psend_init(out, PARTS, EACH, MPI_INT, peer, 150, pair, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, PARTS, EACH, MPI_INT, peer, 150, pair, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < PARTS * EACH; i++)
            out[i] = (150 + round) * 1000 + i;
        MPI_Startall(2, requests);
        MPI_Pready(0, requests[0]);
        MPI_Pready_range(1, 2, requests[0]);
        MPI_Pready_list(1, list, requests[0]);
        MPI_Parrived(requests[1], 0, &flag);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(in, PARTS * EACH, 150 + round, __func__);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}

PATH_FUNCTION static void persistent_collectives(void)
{
    int out[4] = {1, 2, 3, 4}, in[4];
    MPI_Request requests[2];
    MPI_Allreduce_init(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Start(&requests[1]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    if (in[3] != 4 * ranks)
        fail(__func__);
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&requests[i]);
}
#endif

#define COLLECTIVE(name, ...)                                                                  \
    PATH_FUNCTION static void name(int *out, int *in, const int *counts, const int *at)        \
    {                                                                                          \
        MPI_Request request;                                                                   \
        (void)out, (void)in, (void)counts, (void)at;                                           \
        __VA_ARGS__;                                                                           \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                 \
        __asm__ volatile("");                                                                  \
    }

#define WORLD MPI_COMM_WORLD, &request
COLLECTIVE(ibarrier, MPI_Ibarrier(WORLD))
COLLECTIVE(ibcast, MPI_Ibcast(out, 3, MPI_INT, 0, WORLD))
COLLECTIVE(igather, MPI_Igather(out, 3, MPI_INT, in, 3, MPI_INT, 0, WORLD))
COLLECTIVE(igatherv, MPI_Igatherv(out, rank + 1, MPI_INT, in, counts, at, MPI_INT, 0, WORLD))
COLLECTIVE(iscatter, MPI_Iscatter(out, 3, MPI_INT, in, 3, MPI_INT, 0, WORLD))
COLLECTIVE(iscatterv, MPI_Iscatterv(out, counts, at, MPI_INT, in, rank + 1, MPI_INT, 0, WORLD))
COLLECTIVE(iallgather, MPI_Iallgather(out, 3, MPI_INT, in, 3, MPI_INT, WORLD))
COLLECTIVE(iallgatherv, MPI_Iallgatherv(out, rank + 1, MPI_INT, in, counts, at, MPI_INT, WORLD))
COLLECTIVE(ialltoall, MPI_Ialltoall(out, 3, MPI_INT, in, 3, MPI_INT, WORLD))
COLLECTIVE(ireduce, MPI_Ireduce(out, in, 3, MPI_INT, MPI_SUM, 0, WORLD))
COLLECTIVE(iallreduce, MPI_Iallreduce(out, in, 3, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(iallreduce_in_place, MPI_Iallreduce(MPI_IN_PLACE, in, 3, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(ireduce_scatter, MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(ireduce_scatter_block,
           MPI_Ireduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(iscan, MPI_Iscan(out, in, 3, MPI_INT, MPI_SUM, WORLD))
COLLECTIVE(iexscan, MPI_Iexscan(out, in, 3, MPI_INT, MPI_SUM, WORLD))

static void (*const collectives[])(int *, int *, const int *, const int *) = {
    ibarrier,  ibcast,    igather,         igatherv,
    iscatter,  iscatterv, iallgather,      iallgatherv,
    ialltoall, ireduce,   iallreduce,      iallreduce_in_place,
    iscan,     iexscan,   ireduce_scatter, ireduce_scatter_block,
};

static void non_blocking_collectives(void)
{
    int out[ROOM * 4] = {0}, in[ROOM * 4], counts[8], at[8];
    for (int i = 0, next = 0; i < ranks; next += ++i)
        counts[i] = i + 1, at[i] = next;
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        collectives[i](out, in, counts, at);
}

/* With nobody else they are complete at once, and have the same request. */
PATH_FUNCTION static void collectives_alone(void)
{
    int out[5] = {0}, in[3][5];
    MPI_Comm copy;
    MPI_Request requests[5];
    MPI_Ibarrier(MPI_COMM_SELF, &requests[0]);
    MPI_Iallreduce(out, in[0], 5, MPI_INT, MPI_SUM, MPI_COMM_SELF, &requests[1]);
    MPI_Iallreduce(out, in[1], 2, MPI_INT, MPI_SUM, MPI_COMM_SELF, &requests[2]);
    MPI_Ibarrier(MPI_COMM_SELF, &requests[3]);
    MPI_Comm_idup(MPI_COMM_SELF, &copy, &requests[4]);
    for (int i = 0; i < 5; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
}

PATH_FUNCTION static void files(void)
{
    int out[10], in[2][20];
    char name[4096];
    MPI_File file;
    MPI_Request requests[2];
    MPI_Status status;
    for (int i = 0; i < 10; i++)
        out[i] = 160000 + i;
    snprintf(name, sizeof name, "%s.%d", file_name, rank);
    if (MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS)
        fail("file");
    MPI_File_iwrite(file, out, 4, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(file, 16, out + 4, 6, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], &status);
#ifdef OPEN_MPI
    /* Its reads beyond the end never complete. */
    const int wanted[] = {10, 5};
#else
    /* More than there is. */
    const int wanted[] = {20, 20};
#endif
    MPI_File_iread_at(file, 0, in[0], wanted[0], MPI_INT, &requests[0]);
    MPI_File_iread_at(file, 20, in[1], wanted[1], MPI_INT, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(in[0], 10, 160, __func__);
    MPI_File_close(&file);
    remove(name);
}

PATH_FUNCTION static void one_sided(void)
{
    int *memory, out[4] = {0}, in[4];
    MPI_Win window;
    MPI_Request requests[3];
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, pair, &memory, &window);
    MPI_Win_lock_all(0, window);
    MPI_Rput(out, 4, MPI_INT, peer, 0, 4, MPI_INT, window, &requests[0]);
    MPI_Raccumulate(out, 3, MPI_INT, peer, 4, 3, MPI_INT, MPI_SUM, window, &requests[1]);
    MPI_Rget(in, 2, MPI_INT, peer, 8, 2, MPI_INT, window, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Functions of the program that MPI calls: their calls of MPI are part of the one around. */
PATH_FUNCTION static int query(void *state, MPI_Status *status)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Status_set_elements(status, MPI_INT, 11);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 0;
    status->MPI_TAG = 0;
    return *(int *)state;
}

static int release(void *state)
{
    return *(int *)state;
}

static int cancel(void *state, int complete)
{
    (void)complete;
    return *(int *)state;
}

PATH_FUNCTION static void generalized(void)
{
    int state = MPI_SUCCESS;
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, &state, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static MPI_Request lost;
static int lost_in[10];

/* Completes a request that was started outside, unseen. */
PATH_FUNCTION static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in,
                                        void *out, int *flag)
{
    int me;
    (void)key, (void)extra, (void)in, (void)out;
    MPI_Comm_rank(comm, &me);
    MPI_Wait(&lost, MPI_STATUS_IGNORE);
    *flag = 0;
    return MPI_SUCCESS;
}

PATH_FUNCTION static void attribute(void)
{
    static int in[10], out[10];
    int key;
    MPI_Comm copy;
    MPI_Request requests[8];
    MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(pair, key, &key);
    MPI_Irecv(lost_in, 10, MPI_INT, peer, 170, pair, &lost);
    send_ints(2, 170);
    finish_sends();
    MPI_Comm_dup(pair, &copy);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(pair, key);
    MPI_Comm_free_keyval(&key);
    /* The handle of the lost one, and others, for sends that have nothing to receive. */
    for (int i = 0; i < 8; i++)
        MPI_Issend(out, 10, MPI_INT, peer, 171, pair, &requests[i]);
    for (int i = 0; i < 8; i++)
        MPI_Recv(in, 10, MPI_INT, peer, 171, pair, MPI_STATUS_IGNORE);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

PATH_FUNCTION static void *wait_in_thread(void *argument)
{
    MPI_Wait(argument, MPI_STATUS_IGNORE);
    __asm__ volatile("");
    return NULL;
}

PATH_FUNCTION static void another_thread(void)
{
    int in[10];
    pthread_t thread;
    MPI_Request request;
    MPI_Irecv(in, 10, MPI_INT, peer, 180, pair, &request);
    pthread_create(&thread, NULL, wait_in_thread, &request);
    send_ints(7, 180);
    pthread_join(thread, NULL);
    check(in, 7, 180, __func__);
}

static void point_to_point(void)
{
    wait_one();
    wait_ignoring();
    wait_for_nothing();
    send_kinds();
    wait_any();
    wait_some();
    finish_sends();
    wait_all(MPI_STATUSES_IGNORE);
    wait_all_with_statuses();
    test_one();
    test_any();
    test_some();
    test_all();
    get_status();
    finish_sends();
    persistent();
    persistent_kinds();
    cancelled();
    freed();
    finish_sends();
    if ((rank ^ 1) < ranks) {
        truncated();
#ifndef OPEN_MPI
        truncated_among_others();
#endif
    }
    matched();
    finish_sends();
#if MPI_VERSION >= 4
    send_and_receive();
    partitioned();
#endif
}

int main(int argc, char **argv)
{
    bool funneled = argc > 1 && !strcmp(argv[1], "--funneled");
    int provided, wanted = funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
    file_name = argc > 1 + funneled ? argv[1 + funneled] : NULL;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    threads = provided == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    /* MPICH hands errors of requests that are gone to this one. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    peer = (rank ^ 1) < ranks ? 1 - rank % 2 : 0;
    point_to_point();
    non_blocking_collectives();
    collectives_alone();
#if MPI_VERSION >= 4
    persistent_collectives();
#endif
    if (file_name)
        files();
    one_sided();
    generalized();
    attribute();
    if (threads && !funneled)
        another_thread();
    finish_sends();
    long mine[3] = {sent_messages, sent_syncs, sent_bytes}, all[3];
    MPI_Reduce(mine, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("send_ints: %ld messages, %ld empty ones, %ld bytes; threads %d\n", all[0],
               all[1], all[2], threads && !funneled);
    MPI_Comm_free(&pair);
    MPI_Finalize();
    return 0;
}
