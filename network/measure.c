/* See measure.h. */
#include "network/measure.h"

#include "network/packets.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 4 << 20, /* bytes */
    ROUNDS = 200,      /* of short messages */
    BURST = 64,        /* messages one right after the other */
    TRIES = 3,
    LENGTHS = 128, /* of messages in several packets */
    LENGTHS_TO = 256 << 10,
    SENDS = 40 /* of each */
};

/* Until then a send that does not wait for its receive has ended; a receiver that is in MPI
 * takes what comes, and the sender has a processor. */
static const double patience_s = 20e-3;

/* The two ranks, as one of them sees it. */
struct pair {
    char *data;
    int peer;
    int is_first;
};

static void send_to(const struct pair *pair, uint64_t bytes)
{
    MPI_Send(pair->data, (int)bytes, MPI_BYTE, pair->peer, 0, MPI_COMM_WORLD);
}

static void receive_from(const struct pair *pair, uint64_t bytes)
{
    MPI_Recv(pair->data, (int)bytes, MPI_BYTE, pair->peer, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* Both are here. */
static void meet(const struct pair *pair)
{
    if (pair->is_first) {
        send_to(pair, 0);
        receive_from(pair, 0);
    } else {
        receive_from(pair, 0);
        send_to(pair, 0);
    }
}

static double least(double one, double other)
{
    return one < other ? one : other;
}

/* A message of BYTES there and back, half of it. */
static double one_way(const struct pair *pair, uint64_t bytes)
{
    const int rounds = bytes > 65536 ? ROUNDS / 10 : ROUNDS;
    double best = 1e9;
    meet(pair);
    for (int i = 0; i < rounds; i++) {
        const double begin = MPI_Wtime();
        if (pair->is_first)
            send_to(pair, bytes);
        receive_from(pair, bytes);
        if (!pair->is_first)
            send_to(pair, bytes);
        best = least(best, (MPI_Wtime() - begin) / 2);
    }
    return best;
}

/* Waits for a while without leaving the processor, which would make what follows slower. */
static void spin(void)
{
    const double end = MPI_Wtime() + 50e-6;
    while (MPI_Wtime() < end)
        ;
}

/* What a send of one byte takes, and a receive of one that has come already; the mean of both.
 */
static double overhead_of(const struct pair *pair)
{
    double send = 1e9, receive = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        meet(pair);
        double begin = MPI_Wtime();
        if (pair->is_first)
            send_to(pair, 1);
        send = least(send, MPI_Wtime() - begin);
        if (!pair->is_first) {
            receive_from(pair, 1);
            send_to(pair, 1);
            continue;
        }
        spin();
        begin = MPI_Wtime();
        receive_from(pair, 1);
        receive = least(receive, MPI_Wtime() - begin);
    }
    return (send + receive) / 2;
}

/* Messages of one byte one right after the other. */
static double gap_of(const struct pair *pair)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS / 10; i++) {
        meet(pair);
        const double begin = MPI_Wtime();
        for (int j = 0; j < BURST; j++) {
            if (pair->is_first)
                send_to(pair, 1);
            else
                receive_from(pair, 1);
        }
        best = least(best, (MPI_Wtime() - begin) / BURST);
    }
    return best;
}

/* Whether a send ends although nobody has posted its receive: the other one does that only when
 * it is told to. */
static int ends_alone(const struct pair *pair, uint64_t bytes)
{
    MPI_Request request;
    char told = 0;
    int done = 0;
    if (!pair->is_first) {
        MPI_Recv(&told, 1, MPI_BYTE, pair->peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive_from(pair, bytes);
        return 0;
    }
    MPI_Isend(pair->data, (int)bytes, MPI_BYTE, pair->peer, 0, MPI_COMM_WORLD, &request);
    const double end = MPI_Wtime() + patience_s;
    do
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done && MPI_Wtime() < end);
    MPI_Send(&told, 1, MPI_BYTE, pair->peer, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return done;
}

/* Whether the send of a message of BYTES waits for its receive; both get to know.  That it
 * ended once proves that it does not. */
static int waits(const struct pair *pair, uint64_t bytes)
{
    char answer = 1;
    for (int i = 0; i < TRIES; i++) {
        meet(pair);
        if (ends_alone(pair, bytes))
            answer = 0;
    }
    if (pair->is_first)
        MPI_Send(&answer, 1, MPI_BYTE, pair->peer, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(&answer, 1, MPI_BYTE, pair->peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return answer;
}

/* Halves what is between a message that does not wait and one that does. */
static uint64_t synchronous_of(const struct pair *pair)
{
    uint64_t low = 0, high = LONGEST;
    if (!waits(pair, high))
        return UINT64_MAX;
    while (low + 1 < high) {
        const uint64_t middle = (low + high) / 2;
        if (waits(pair, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The least that a send of BYTES takes its sender, whose receiver waits for it. */
static double send_of(const struct pair *pair, uint64_t bytes)
{
    double best = 1e9;
    for (int i = 0; i < SENDS; i++) {
        meet(pair);
        const double begin = MPI_Wtime();
        if (pair->is_first)
            send_to(pair, bytes);
        else
            receive_from(pair, bytes);
        best = least(best, MPI_Wtime() - begin);
    }
    return best;
}

/* From messages that do not wait: how long others take says when their receives were posted. */
static void find_packets(const struct pair *pair, struct network *network)
{
    const uint64_t longest =
        network->synchronous < LENGTHS_TO ? network->synchronous : LENGTHS_TO;
    const uint64_t step = longest / LENGTHS;
    double seconds[LENGTHS];
    network->packet = PACKETS_NONE;
    network->packets_to = step * LENGTHS;
    for (uint64_t i = 0; i < LENGTHS && step > 0; i++)
        seconds[i] = send_of(pair, (i + 1) * step);
    if (step > 0)
        network->packet = packets_find(seconds, LENGTHS, step);
}

static void measure(const struct pair *pair, struct network *network)
{
    const double shortest = one_way(pair, 1), longest = one_way(pair, LONGEST);
    /* A message takes both overheads and the latency. */
    network->overhead = least(overhead_of(pair), shortest / 2);
    network->gap = gap_of(pair);
    if (network->gap < network->overhead)
        network->gap = network->overhead;
    network->latency = shortest - 2 * network->overhead;
    if (network->latency < 0)
        network->latency = 0;
    network->per_byte = longest > shortest ? (longest - shortest) / (LONGEST - 1) : 0;
    network->synchronous = synchronous_of(pair);
    find_packets(pair, network);
}

void measure_network(int one, int other, struct network *network)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct pair pair = {malloc(LONGEST), rank == one ? other : one, rank == one};
    if (!pair.data)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(pair.data, 0, LONGEST);
    measure(&pair, network);
    free(pair.data);
}
