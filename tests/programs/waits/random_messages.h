/* Steps of waits_random.c: messages sent and received in every way that MPI has. */
#ifndef RANDOM_MESSAGES_H
#define RANDOM_MESSAGES_H

#include "random_plan.h"

typedef int blocking_send(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int starting_send(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

enum send_mode { STANDARD, SYNCHRONOUS, BUFFERED, READY, SEND_MODES };

static blocking_send *const blocking_sends[SEND_MODES] = {MPI_Send, MPI_Ssend, MPI_Bsend,
                                                          MPI_Rsend};
static starting_send *const starting_sends[SEND_MODES] = {MPI_Isend, MPI_Issend, MPI_Ibsend,
                                                          MPI_Irsend};
static starting_send *const persistent_sends[SEND_MODES] = {MPI_Send_init, MPI_Ssend_init,
                                                            MPI_Bsend_init, MPI_Rsend_init};

static char buffered[8 * (LARGE + MPI_BSEND_OVERHEAD)];

static void wait_for(MPI_Request *request, bool tests)
{
    int done = 0;
    compute();
    if (!tests)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    while (tests && !done) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        rest();
    }
}

struct way {
    enum send_mode mode;
    int sends, receives, bytes, tag;
    bool tests;
};

static void send_by(const struct way *way, int to)
{
    MPI_Request request;
    switch (way->sends) {
    case 0:
        blocking_sends[way->mode](outgoing[0], way->bytes, MPI_BYTE, to, way->tag, comms[0]);
        break;
    case 1:
        starting_sends[way->mode](outgoing[0], way->bytes, MPI_BYTE, to, way->tag, comms[0],
                                  &request);
        wait_for(&request, way->tests);
        break;
    default:
        persistent_sends[way->mode](outgoing[0], way->bytes, MPI_BYTE, to, way->tag, comms[0],
                                    &request);
        compute();
        MPI_Start(&request);
        wait_for(&request, way->tests);
        MPI_Request_free(&request);
        break;
    }
}

/* Whoever sends in ready mode must know that the receive is posted. */
static void receive_ready(const struct way *way, int from)
{
    MPI_Request request;
    MPI_Irecv(incoming[0], LARGE, MPI_BYTE, from, way->tag, comms[0], &request);
    compute();
    MPI_Send(NULL, 0, MPI_BYTE, from, way->tag + 1, comms[0]);
    wait_for(&request, way->tests);
}

static void receive_matched(const struct way *way, int from)
{
    MPI_Message message;
    MPI_Request request;
    int found = 0;
    if (!way->tests)
        MPI_Mprobe(from, way->tag, comms[0], &message, MPI_STATUS_IGNORE);
    while (way->tests && !found) {
        MPI_Improbe(from, way->tag, comms[0], &found, &message, MPI_STATUS_IGNORE);
        rest();
    }
    compute();
    if (way->receives % 2) {
        MPI_Mrecv(incoming[0], LARGE, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Imrecv(incoming[0], LARGE, MPI_BYTE, &message, &request);
        wait_for(&request, false);
    }
}

static void receive_probed(const struct way *way, int from)
{
    int found = 0;
    if (!way->tests)
        MPI_Probe(from, way->tag, comms[0], MPI_STATUS_IGNORE);
    while (way->tests && !found) {
        MPI_Iprobe(from, way->tag, comms[0], &found, MPI_STATUS_IGNORE);
        rest();
    }
    compute();
    MPI_Recv(incoming[0], LARGE, MPI_BYTE, from, way->tag, comms[0], MPI_STATUS_IGNORE);
}

static void receive_by(const struct way *way, int from)
{
    MPI_Request request;
    switch (way->receives) {
    case 0:
        MPI_Recv(incoming[0], LARGE, MPI_BYTE, from, way->tag, comms[0], MPI_STATUS_IGNORE);
        break;
    case 1:
    case 2:
        receive_matched(way, from);
        break;
    case 3:
        receive_probed(way, from);
        break;
    case 4:
        MPI_Irecv(incoming[0], LARGE, MPI_BYTE, from, way->tag, comms[0], &request);
        wait_for(&request, way->tests);
        break;
    default:
        MPI_Recv_init(incoming[0], LARGE, MPI_BYTE, from, way->tag, comms[0], &request);
        MPI_Start(&request);
        wait_for(&request, way->tests);
        MPI_Request_free(&request);
        break;
    }
}

/* From ranks that are even to those that are odd, or the other way round. */
static void in_all_modes(void)
{
    const struct way way = {.mode = (enum send_mode)draw(SEND_MODES),
                            .sends = draw(3),
                            .receives = draw(6),
                            .bytes = draw(2) ? SMALL : LARGE,
                            .tag = new_tags(),
                            .tests = draw(3) == 0};
    const int other = program_rank ^ 1, sender = draw(2);
    if (other >= program_ranks)
        return;
    compute();
    if (program_rank % 2 != sender && way.mode == READY) {
        receive_ready(&way, other);
    } else if (program_rank % 2 != sender) {
        receive_by(&way, other);
    } else {
        if (way.mode == READY)
            MPI_Recv(NULL, 0, MPI_BYTE, other, way.tag + 1, comms[0], MPI_STATUS_IGNORE);
        compute();
        send_by(&way, other);
    }
}

/* Two at once by one call. */
static void exchange(void)
{
    const int bytes = draw(2) ? SMALL : LARGE, way = draw(2), tag = new_tags();
    const int right = right_of(program_rank), left = left_of(program_rank);
    compute();
    if (way == 0)
        MPI_Sendrecv_replace(outgoing[0], bytes, MPI_BYTE, right, tag, left, tag, comms[0],
                             MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(outgoing[0], bytes, MPI_BYTE, right, tag, incoming[0], bytes, MPI_BYTE,
                     MPI_ANY_SOURCE, tag, comms[0], MPI_STATUS_IGNORE);
}

/* A receive that gets nothing, between two that do. */
static void cancel(void)
{
    const int right = right_of(program_rank), left = left_of(program_rank), tag = new_tags();
    MPI_Request requests[3];
    compute();
    MPI_Irecv(incoming[0], SMALL, MPI_BYTE, left, tag, comms[0], &requests[0]);
    MPI_Irecv(incoming[1], SMALL, MPI_BYTE, left, tag + 1, comms[0], &requests[1]);
    MPI_Irecv(incoming[2], SMALL, MPI_BYTE, left, tag, comms[0], &requests[2]);
    compute();
    MPI_Send(outgoing[0], SMALL, MPI_BYTE, right, tag, comms[0]);
    MPI_Cancel(&requests[1]);
    compute();
    MPI_Send(outgoing[0], SMALL, MPI_BYTE, right, tag, comms[0]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* What is started in one step, and perhaps in one iteration, and ends in another. */
static MPI_Request carried[3];
static int carried_sum[2];
static char carried_out[LARGE], carried_in[LARGE];
static bool carries;

static void carry(void)
{
    const int right = right_of(program_rank), left = left_of(program_rank);
    const int bytes = draw(2) ? SMALL : LARGE, first = draw(2), tag = new_tags();
    compute();
    if (carries) {
        /* By one call, or the operation of all before or after the messages. */
        if (first)
            MPI_Wait(&carried[2 * (first - 1)], MPI_STATUS_IGNORE);
        compute();
        MPI_Waitall(3, carried, MPI_STATUSES_IGNORE);
    } else {
        MPI_Irecv(carried_in, LARGE, MPI_BYTE, left, tag, comms[0], &carried[0]);
        MPI_Isend(carried_out, bytes, MPI_BYTE, right, tag, comms[0], &carried[1]);
        MPI_Iallreduce(&carried_sum[0], &carried_sum[1], 1, MPI_INT, MPI_SUM, comms[0],
                       &carried[2]);
    }
    carries = !carries;
}

#if MPI_VERSION >= 4
/* A message in two parts. */
static void by_parts(void)
{
    const int other = program_rank ^ 1, tag = new_tags();
    MPI_Request request;
    if (other >= program_ranks)
        return;
    compute();
    if (program_rank % 2) {
        MPI_Precv_init(incoming[0], 2, SMALL, MPI_BYTE, other, tag, comms[0], MPI_INFO_NULL,
                       &request);
        MPI_Start(&request);
    } else {
        MPI_Psend_init(outgoing[0], 2, SMALL, MPI_BYTE, other, tag, comms[0], MPI_INFO_NULL,
                       &request);
        MPI_Start(&request);
        MPI_Pready(1, request);
        compute();
        MPI_Pready(0, request);
    }
    wait_for(&request, false);
    MPI_Request_free(&request);
}
#else
#define by_parts in_all_modes
#endif

#endif
