/* See measure.h. */
#include "network/measure.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LONGEST = 4 << 20, /* bytes */
    ROUNDS = 200,      /* of short messages */
    BURST = 64,        /* messages one right after the other */
    TRIES = 3,
    LATE_MS = 4 /* so much later the receiver comes */
};

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

static void sleep_ms(int ms)
{
    const struct timespec rest = {0, ms * 1000000L};
    nanosleep(&rest, NULL);
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

/* Whether the send of a message of BYTES waits for its receive; both get to know. */
static int waits(const struct pair *pair, uint64_t bytes)
{
    double best = 1e9;
    for (int i = 0; i < TRIES; i++) {
        meet(pair);
        const double begin = MPI_Wtime();
        if (pair->is_first) {
            send_to(pair, bytes);
            best = least(best, MPI_Wtime() - begin);
        } else {
            sleep_ms(LATE_MS);
            receive_from(pair, bytes);
        }
    }
    char answer = best > LATE_MS * 0.5e-3;
    if (pair->is_first) {
        MPI_Send(&answer, 1, MPI_BYTE, pair->peer, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&answer, 1, MPI_BYTE, pair->peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
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

static void measure(const struct pair *pair, struct network *network)
{
    const double shortest = one_way(pair, 1), longest = one_way(pair, LONGEST);
    network->overhead = overhead_of(pair);
    network->gap = gap_of(pair);
    if (network->gap < network->overhead)
        network->gap = network->overhead;
    network->latency = shortest - 2 * network->overhead;
    if (network->latency < 0)
        network->latency = 0;
    network->per_byte = longest > shortest ? (longest - shortest) / (LONGEST - 1) : 0;
    network->synchronous = synchronous_of(pair);
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
