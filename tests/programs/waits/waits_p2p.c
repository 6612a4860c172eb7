/*
 * waits_p2p.c: late senders, late receivers and messages in the wrong order, planted, the other
 * way round, and just not; see planted.h.
 */
#define PLANTED_THREADS MPI_THREAD_MULTIPLE
#include "planted.h"

#include <pthread.h>

static char buffer[4][LARGE];

static void send_to(int dest, int tag, int bytes)
{
    MPI_Send(buffer[tag], bytes, MPI_BYTE, dest, tag, MPI_COMM_WORLD);
}

static void receive_from(int source, int tag, int bytes)
{
    MPI_Recv(buffer[tag], bytes, MPI_BYTE, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Request post(int source, int tag, int bytes)
{
    MPI_Request request;
    MPI_Irecv(buffer[tag], bytes, MPI_BYTE, source, tag, MPI_COMM_WORLD, &request);
    return request;
}

static void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Rank 0 sends BYTES at SENT, rank 1 receives them from RECEIVED on; in steps. */
static void message(int bytes, double sent, double received)
{
    until(rank == 0 ? sent : received);
    mark(0);
    if (rank == 0)
        send_to(1, 0, bytes);
    else
        receive_from(0, 0, bytes);
}

static void late_sender(void)
{
    message(SMALL, 2, 0);
}

static void late_sender_large(void)
{
    message(LARGE, 2, 0);
}

static void early_sender(void)
{
    message(SMALL, 0, 2);
}

static void sender_in_time(void)
{
    message(SMALL, 1, 1);
}

static void late_receiver(void)
{
    message(LARGE, 0, 2);
}

static void synchronous(double sent, double received)
{
    until(rank == 0 ? sent : received);
    mark(0);
    if (rank == 0)
        MPI_Ssend(buffer[0], SMALL, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        receive_from(0, 0, SMALL);
}

static void late_receiver_ssend(void)
{
    synchronous(0, 2);
}

static void early_receiver_ssend(void)
{
    synchronous(2, 0);
}

/* A slave sends a result of BYTES at step WHEN, and wants a task from step NEXT on. */
static void slave(double when, int bytes, double next)
{
    until(when);
    mark(0);
    send_to(0, 0, bytes);
    until(next);
    mark(1);
    receive_from(0, 1, SMALL);
}

/* The master waits for results at once, and has nothing else to do. */
static void slow_slaves(void)
{
    if (rank > 0) {
        slave(2 * rank, SMALL, 8);
        return;
    }
    for (int i = 1; i < ranks; i++) {
        mark(i);
        receive_from(i, 0, SMALL);
    }
    mark(ranks);
    for (int i = 1; i < ranks; i++)
        send_to(i, 1, SMALL);
}

/* The master has all results soon, and works on each before it answers. */
static void overloaded_master(void)
{
    if (rank > 0) {
        slave(0, SMALL, 0);
        return;
    }
    until(1);
    for (int i = 1; i < ranks; i++)
        receive_from(i, 0, SMALL);
    for (int i = 1; i < ranks; i++) {
        until(1 + 2 * i);
        mark(i);
        send_to(i, 1, SMALL);
    }
}

/* It works before it receives. */
static void overloaded_receiver(void)
{
    if (rank > 0) {
        slave(0, LARGE, 0);
        return;
    }
    for (int i = 1; i < ranks; i++) {
        until(2 * i);
        mark(i);
        receive_from(i, 0, LARGE);
    }
    mark(ranks);
    for (int i = 1; i < ranks; i++)
        send_to(i, 1, SMALL);
}

/* Two ranks wait for two others: nobody is everybody's master. */
static void no_master(void)
{
    until(rank % 2 == 0 ? 2 : 0);
    mark(0);
    if (rank % 2 == 0) {
        send_to(rank + 1, 0, SMALL);
        until(4);
        receive_from(rank + 1, 1, SMALL);
    } else {
        receive_from(rank - 1, 0, SMALL);
        send_to(rank - 1, 1, SMALL);
    }
}

static void buffered(void)
{
    static char space[SMALL + MPI_BSEND_OVERHEAD];
    void *address;
    int size;
    until(2 * rank);
    if (rank == 1) {
        receive_from(0, 0, SMALL);
        return;
    }
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(buffer[0], SMALL, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    until(3);
    MPI_Buffer_detach(&address, &size);
}

static void any_source(void)
{
    until(rank == 0 ? 2 : 0);
    mark(0);
    if (rank == 0)
        send_to(1, 3, SMALL);
    else
        MPI_Recv(buffer[3], SMALL, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void late_in_sendrecv(void)
{
    MPI_Request request = rank == 0 ? post(1, 1, SMALL) : MPI_REQUEST_NULL;
    until(rank == 0 ? 2 : 0);
    mark(0);
    if (rank == 0) {
        send_to(1, 0, SMALL);
        wait_for(&request);
    } else {
        MPI_Sendrecv(buffer[1], SMALL, MPI_BYTE, 0, 1, buffer[0], SMALL, MPI_BYTE, 0, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void late_in_mprobe(void)
{
    MPI_Message found;
    until(rank == 0 ? 2 : 0);
    mark(0);
    if (rank == 0) {
        send_to(1, 0, SMALL);
        return;
    }
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    MPI_Mrecv(buffer[0], SMALL, MPI_BYTE, &found, MPI_STATUS_IGNORE);
}

/* The receive is posted at 0 and waited for at WAITED; the message is sent at SENT. */
static void posted(double sent, double waited)
{
    MPI_Request request;
    if (rank == 0) {
        until(sent);
        mark(0);
        send_to(1, 0, SMALL);
        return;
    }
    request = post(0, 0, SMALL);
    until(waited);
    mark(0);
    wait_for(&request);
}

static void late_in_wait(void)
{
    posted(2, 1);
}

static void early_for_wait(void)
{
    posted(1, 2);
}

static void late_persistent(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Send_init(buffer[0], SMALL, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        until(2);
        mark(0);
    } else {
        MPI_Recv_init(buffer[0], SMALL, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Start(&request);
    if (rank == 1) {
        until(1);
        mark(0);
    }
    wait_for(&request);
    MPI_Request_free(&request);
}

/* Rank 0 sends two messages, one step apart; rank 1 completes them in the given way.  Where
 * they come one by one its mark 1 is between them. */
static void two_messages(void (*complete)(MPI_Request *))
{
    MPI_Request requests[2];
    if (rank == 0) {
        for (int tag = 0; tag < 2; tag++) {
            until(1 + tag);
            mark(tag);
            send_to(1, tag, SMALL);
        }
        return;
    }
    for (int tag = 0; tag < 2; tag++)
        requests[tag] = post(0, tag, SMALL);
    mark(0);
    complete(requests);
}

static void by_waitall(MPI_Request *requests)
{
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void by_waitany(MPI_Request *requests)
{
    int index;
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    mark(1);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

static void by_waitsome(MPI_Request *requests)
{
    int indices[2], count;
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
    mark(1);
    MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
}

static void by_test(MPI_Request *requests)
{
    for (int flag = 0; !flag;)
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
}

static void late_in_waitall(void)
{
    two_messages(by_waitall);
}

static void late_in_waitany(void)
{
    two_messages(by_waitany);
}

static void late_in_waitsome(void)
{
    two_messages(by_waitsome);
}

static void late_for_test(void)
{
    two_messages(by_test);
}

/* Tag 1 is sent first, FIRST is received first. */
static void two_tags(int first)
{
    if (rank == 0) {
        send_to(1, 1, SMALL);
        until(2);
        mark(0);
        send_to(1, 2, SMALL);
        return;
    }
    if (first == 1)
        receive_from(0, 1, SMALL);
    until(1);
    mark(0);
    receive_from(0, 2, SMALL);
    if (first == 2)
        receive_from(0, 1, SMALL);
}

static void wrong_order_same(void)
{
    two_tags(2);
}

static void right_order(void)
{
    two_tags(1);
}

/* Rank 2 sends before rank 0 if EARLY, else after it; rank 1 receives from 0 first. */
static void two_senders(bool early)
{
    if (rank == 2) {
        until(early ? 0 : 3);
        mark(0);
        send_to(1, 2, SMALL);
    } else if (rank == 0) {
        until(2);
        mark(0);
        send_to(1, 1, SMALL);
    } else {
        mark(0);
        receive_from(0, 1, SMALL);
        mark(1);
        receive_from(2, 2, SMALL);
    }
}

static void wrong_order_different(void)
{
    two_senders(true);
}

static void order_as_sent(void)
{
    two_senders(false);
}

/* Sent at 0, completed from WAITED on, received from RECEIVED on. */
static void started(double waited, double received)
{
    MPI_Request request;
    if (rank == 1) {
        until(received);
        mark(0);
        receive_from(0, 0, LARGE);
        return;
    }
    MPI_Isend(buffer[0], LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    until(waited);
    mark(0);
    wait_for(&request);
}

static void late_receiver_wait(void)
{
    started(1, 2);
}

/* The receive is there before the message, and both compute until it has come. */
static void receiver_in_time(void)
{
    MPI_Request request;
    if (rank == 1) {
        request = post(0, 0, LARGE);
        until(2);
        wait_for(&request);
        return;
    }
    until(1);
    MPI_Isend(buffer[0], LARGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    until(2);
    wait_for(&request);
}

static void late_receivers_waitall(void)
{
    MPI_Request requests[2];
    if (rank == 1) {
        for (int tag = 0; tag < 2; tag++) {
            until(1 + tag);
            mark(tag);
            receive_from(0, tag, LARGE);
        }
        return;
    }
    for (int tag = 0; tag < 2; tag++)
        MPI_Isend(buffer[tag], LARGE, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &requests[tag]);
    mark(0);
    by_waitall(requests);
}

/* A thread of its own receives. */
static void receive_at_once(void)
{
    mark(0);
    receive_from(0, 0, SMALL);
}

static void *receive_in_thread(void *unused)
{
    planted(receive_at_once);
    return unused;
}

static void run_thread(void)
{
    pthread_t thread;
    if (rank == 0) {
        until(2);
        mark(0);
        send_to(1, 0, SMALL);
        return;
    }
    pthread_create(&thread, NULL, receive_in_thread, NULL);
    pthread_join(thread, NULL);
}

/* Rank 0 is late because of assemble; rank 1 is late for rank 2 because it waits. */
static void chain(void)
{
    if (rank == 0) {
        mark(1);
        assemble(2);
        mark(0);
        send_to(1, 0, SMALL);
    } else if (rank == 1) {
        mark(0);
        receive_from(0, 0, SMALL);
        mark(1);
        send_to(2, 1, SMALL);
    } else {
        mark(0);
        receive_from(1, 1, SMALL);
    }
}

/* The sender waits for a receiver that assembles. */
static void assembling_receiver(void)
{
    mark(1);
    if (rank == 1)
        assemble(2);
    mark(0);
    if (rank == 0)
        send_to(1, 0, LARGE);
    else
        receive_from(0, 0, LARGE);
}

/* Both assemble, one for longer: only that is the cause. */
static void both_assemble(void)
{
    mark(1);
    assemble(rank == 0 ? 3 : 1);
    mark(0);
    if (rank == 0)
        send_to(1, 0, SMALL);
    else
        receive_from(0, 0, SMALL);
}

__attribute__((noinline)) static void prepare(double steps)
{
    int flag;
    MPI_Initialized(&flag);
    until(steps);
    MPI_Initialized(&flag);
    __asm__ volatile("");
}

/* Each does something else, one for longer. */
static void partitions(void)
{
    mark(1);
    if (rank == 0)
        assemble(3);
    else
        prepare(1);
    mark(0);
    if (rank == 0)
        send_to(1, 0, SMALL);
    else
        receive_from(0, 0, SMALL);
}

#define LATE_SENDER   "mpi_latesender"
#define LATE_RECEIVER "mpi_latereceiver"
#define SLOW_SLAVES   "mpi_slow_slaves"
#define LATE_TASK     "mpi_overloaded_master_send"
#define LATE_RESULT   "mpi_overloaded_master_recv"

static const struct planted_case cases[] = {
    {"late_sender", 2, late_sender, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"late_sender_large", 2, late_sender_large, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"early_sender", 2, early_sender, {{0}}},
    {"sender_in_time", 2, sender_in_time, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"any_source", 2, any_source, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    /* The receive is posted as late as the message is sent: either may be the later. */
    {"late_in_sendrecv",
     2,
     late_in_sendrecv,
     {WAITS(LATE_SENDER "|mpi_latereceiver", 1, 0, 0, 0)}},
    {"late_in_mprobe", 2, late_in_mprobe, {WAITS(LATE_SENDER "@MPI_Mprobe", 1, 0, 0, 0)}},
    {"late_in_wait", 2, late_in_wait, {WAITS(LATE_SENDER "@MPI_Wait", 1, 0, 0, 0)}},
    {"early_for_wait", 2, early_for_wait, {{0}}},
    {"late_persistent", 2, late_persistent, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"late_in_waitall", 2, late_in_waitall, {WAITS(LATE_SENDER, 1, 0, 0, 1)}},
    {"late_in_waitany",
     2,
     late_in_waitany,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS(LATE_SENDER, 1, 1, 0, 1)}},
    {"late_in_waitsome",
     2,
     late_in_waitsome,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS(LATE_SENDER, 1, 1, 0, 1)}},
    {"late_for_test", 2, late_for_test, {{0}}},
    {"wrong_order_same",
     2,
     wrong_order_same,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS("mpi_latesender_wo", 1, 0, 0, 0),
      WAITS("mpi_lswo_same", 1, 0, 0, 0)}},
    {"right_order", 2, right_order, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"wrong_order_different",
     3,
     wrong_order_different,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS("mpi_latesender_wo", 1, 0, 0, 0),
      WAITS("mpi_lswo_different", 1, 0, 0, 0)}},
    {"order_as_sent",
     3,
     order_as_sent,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS(LATE_SENDER, 1, 1, 2, 0)}},
    {"late_receiver", 2, late_receiver, {WAITS(LATE_RECEIVER, 0, 0, 1, 0)}},
    {"late_receiver_ssend", 2, late_receiver_ssend, {WAITS(LATE_RECEIVER, 0, 0, 1, 0)}},
    {"early_receiver_ssend", 2, early_receiver_ssend, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"buffered", 2, buffered, {{0}}},
    {"slow_slaves",
     4,
     slow_slaves,
     {WAITS(LATE_SENDER, 0, 1, 1, 0), WAITS(LATE_SENDER, 0, 2, 2, 0),
      WAITS(LATE_SENDER, 0, 3, 3, 0), WAITS(SLOW_SLAVES, 0, 1, 1, 0),
      WAITS(SLOW_SLAVES, 0, 2, 2, 0), WAITS(SLOW_SLAVES, 0, 3, 3, 0)}},
    {"overloaded_master",
     4,
     overloaded_master,
     {WAITS(LATE_SENDER, 1, 1, 0, 1), WAITS(LATE_SENDER, 2, 1, 0, 2),
      WAITS(LATE_SENDER, 3, 1, 0, 3), WAITS(LATE_TASK, 1, 1, 0, 1),
      WAITS(LATE_TASK, 2, 1, 0, 2), WAITS(LATE_TASK, 3, 1, 0, 3)}},
    {"overloaded_receiver",
     4,
     overloaded_receiver,
     {WAITS(LATE_RECEIVER, 1, 0, 0, 1), WAITS(LATE_RECEIVER, 2, 0, 0, 2),
      WAITS(LATE_RECEIVER, 3, 0, 0, 3), WAITS(LATE_RESULT, 1, 0, 0, 1),
      WAITS(LATE_RESULT, 2, 0, 0, 2), WAITS(LATE_RESULT, 3, 0, 0, 3),
      WAITS(LATE_SENDER, 1, 1, 0, 4), WAITS(LATE_SENDER, 2, 1, 0, 4),
      WAITS(LATE_TASK, 1, 1, 0, 4), WAITS(LATE_TASK, 2, 1, 0, 4)}},
    {"no_master",
     4,
     no_master,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS(LATE_SENDER, 3, 0, 2, 0)}},
    {"late_receiver_wait", 2, late_receiver_wait, {WAITS(LATE_RECEIVER, 0, 0, 1, 0)}},
    {"receiver_in_time", 2, receiver_in_time, {{0}}},
    {"late_receivers_waitall", 2, late_receivers_waitall, {WAITS(LATE_RECEIVER, 0, 0, 1, 1)}},
    {"thread", 2, run_thread, {WAITS(LATE_SENDER, 1, 0, 0, 0)}},
    {"chain",
     3,
     chain,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS("wait_direct", 1, 0, 0, 0),
      WAITS("wait_propagating", 1, 0, 0, 0), WAITS(LATE_SENDER, 2, 0, 1, 1),
      WAITS("wait_indirect", 2, 0, 1, 1), WAITS("wait_terminal", 2, 0, 1, 1),
      WAITS("delay_latesender@assemble", 0, 1, 0, 0),
      WAITS("delay_latesender_longterm@assemble", 0, 1, 0, 0),
      WAITS("delay_latesender_longterm@assemble", 0, 1, 0, 0),
      WAITS("critical_path@assemble", 0, 1, 0, 0),
      WAITS("critical_path_activities@assemble", 0, 1, 0, 0)}},
    {"assembling_receiver",
     2,
     assembling_receiver,
     {WAITS(LATE_RECEIVER, 0, 0, 1, 0), WAITS("delay_latereceiver@assemble", 1, 1, 1, 0),
      WAITS("critical_path@assemble", 1, 1, 1, 0)}},
    {"both_assemble",
     2,
     both_assemble,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), CAUSED("delay_latesender@assemble", 0, 0, 1, 0),
      WAITS("critical_path_activities@assemble", 1, 1, 1, 0),
      CAUSED("intra_partition_imbalance@assemble", 0, 0, 1, 0)}},
    {"partitions",
     2,
     partitions,
     {WAITS(LATE_SENDER, 1, 0, 0, 0), WAITS("critical_path_activities@assemble", 0, 1, 0, 0),
      WAITS("non_critical_path_activities@prepare", 1, 1, 1, 0),
      CAUSED("inter_partition_imbalance@assemble", 0, 0, 1, 0)}},
};

int main(int argc, char **argv)
{
    return planted_main(argc, argv, cases, sizeof cases / sizeof *cases);
}
