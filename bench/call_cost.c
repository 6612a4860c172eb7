/*
 * What one MPI call costs: calls of one function in a loop at a given depth of the stack.
 *
 *     call_cost FUNCTION DEPTH CALLS     prints nanoseconds per call, the median of 11 rounds
 *
 * FUNCTION is one of the table below.  Run with and without the runtime preloaded; the
 * difference is what measuring adds (bench.py does both, alternating).
 */
#include <mpi.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void call_iprobe(long calls)
{
    int flag;
    MPI_Status status;
    for (long i = 0; i < calls; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, &status);
}

static void call_comm_rank(long calls)
{
    int rank;
    for (long i = 0; i < calls; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void call_allreduce(long calls)
{
    double in = 1, out;
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void call_wtime(long calls)
{
    volatile double sink;
    for (long i = 0; i < calls; i++)
        sink = MPI_Wtime();
    (void)sink;
}

/* Two call sites in turn: the call path is never that of the call before. */
static void call_alternating(long calls)
{
    int flag;
    MPI_Status status;
    for (long i = 0; i < calls / 2; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, &status);
        MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_SELF, &flag, &status);
    }
}

/* DEPTH frames of real recursion: the barrier keeps it from becoming a loop. */
__attribute__((noinline)) static void descend(int depth, void (*call)(long), long calls)
{
    if (depth > 0)
        descend(depth - 1, call, calls);
    else
        call(calls);
    __asm__ volatile("" ::: "memory");
}

/* Calls from two depths in turn, 16 frames apart: half of the walk is new each time. */
static void call_two_depths(long calls)
{
    double in = 1, out;
    for (long i = 0; i < calls / 2; i++) {
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        descend(14, call_allreduce, 1);
    }
}

static void call_cart_shift(long calls)
{
    MPI_Comm ring;
    int size = 1, periodic = 1, source, target;
    MPI_Cart_create(MPI_COMM_SELF, 1, &size, &periodic, 0, &ring);
    for (long i = 0; i < calls; i++)
        MPI_Cart_shift(ring, 0, 1, &source, &target);
    MPI_Comm_free(&ring);
}

/* What one-sided codes do most: complete operations on a window that stays locked. */
static void call_flush(long calls)
{
    double *memory;
    MPI_Win window;
    MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
    MPI_Win_lock_all(0, window);
    for (long i = 0; i < calls; i++)
        MPI_Win_flush_local_all(window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Thirty-two messages to oneself at a time: 65 calls. */
static void call_exchange_32(long calls)
{
    enum { MESSAGES = 32 };
    static int in[MESSAGES], out[MESSAGES];
    MPI_Request requests[2 * MESSAGES];
    for (long done = 0; done < calls; done += 2 * MESSAGES + 1) {
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Isend(&out[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[MESSAGES + i]);
        MPI_Waitall(2 * MESSAGES, requests, MPI_STATUSES_IGNORE);
    }
}

/* Asking again and again for what does not come. */
static void receive_nothing(MPI_Request *requests, int count)
{
    static int in;
    for (int i = 0; i < count; i++)
        MPI_Irecv(&in, 1, MPI_INT, 0, 100 + i, MPI_COMM_SELF, &requests[i]);
}

static void give_up(MPI_Request *requests, int count)
{
    for (int i = 0; i < count; i++)
        MPI_Cancel(&requests[i]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void call_test(long calls)
{
    int flag;
    MPI_Request request;
    receive_nothing(&request, 1);
    for (long i = 0; i < calls; i++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    give_up(&request, 1);
}

static void call_testsome_32(long calls)
{
    int count, indices[32];
    MPI_Request requests[32];
    receive_nothing(requests, 32);
    for (long i = 0; i < calls; i++)
        MPI_Testsome(32, requests, &count, indices, MPI_STATUSES_IGNORE);
    give_up(requests, 32);
}

/* A non-blocking collective and its completion: two calls. */
static void call_iallreduce(long calls)
{
    double in = 1, out;
    MPI_Request request;
    for (long i = 0; i < calls; i += 2) {
        MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* A persistent receive and send, started and waited for: two calls. */
static void call_startall(long calls)
{
    static int in, out;
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
    for (long i = 0; i < calls; i += 2) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* An operation and the fence that completes it, in turn. */
static void call_put_fence(long calls)
{
    double *memory, value = 1;
    MPI_Win window;
    MPI_Win_allocate(4096, 8, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
    MPI_Win_fence(0, window);
    for (long i = 0; i < calls / 2; i++) {
        MPI_Put(&value, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
}

/* Four neighbours to be counted, two of them beyond a border. */
static void call_neighbors(long calls)
{
    MPI_Comm plate;
    const int sizes[2] = {1, 1}, periods[2] = {1, 0};
    double out[4] = {0}, in[4];
    MPI_Cart_create(MPI_COMM_SELF, 2, sizes, periods, 0, &plate);
    for (long i = 0; i < calls; i++)
        MPI_Neighbor_alltoall(out, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, plate);
    MPI_Comm_free(&plate);
}

static atomic_bool go_on;

static void *call_beside(void *argument)
{
    while (go_on)
        call_wtime(1000);
    return argument;
}

/* While another thread does the same: what the two share would show. */
static void call_wtime_beside(long calls)
{
    pthread_t other;
    go_on = true;
    bool beside = pthread_create(&other, NULL, call_beside, NULL) == 0;
    call_wtime(calls);
    go_on = false;
    if (beside)
        pthread_join(other, NULL);
}

static const struct {
    const char *name;
    void (*call)(long calls);
} functions[] = {
    {"iprobe", call_iprobe},
    {"comm_rank", call_comm_rank},
    {"allreduce", call_allreduce},
    {"wtime", call_wtime},
    {"alternating", call_alternating},
    {"two_depths", call_two_depths},
    {"cart_shift", call_cart_shift},
    {"flush", call_flush},
    {"put_fence", call_put_fence},
    {"neighbors", call_neighbors},
    {"wtime_beside", call_wtime_beside},
    {"exchange_32", call_exchange_32},
    {"test", call_test},
    {"testsome_32", call_testsome_32},
    {"iallreduce", call_iallreduce},
    {"startall", call_startall},
};

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    long calls = argc > 3 ? atol(argv[3]) : 0;
    size_t which = 0, known = sizeof functions / sizeof functions[0];
    while (argc > 3 && which < known && strcmp(functions[which].name, argv[1]) != 0)
        which++;
    if (calls < 2 || which == known) {
        fprintf(stderr, "usage: call_cost FUNCTION DEPTH CALLS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double rounds[ROUNDS];
    /* main, descend (at least once) and the calling function are frames too. */
    int depth = atoi(argv[2]) - 3;
    descend(depth, functions[which].call, calls);
    for (int i = 0; i < ROUNDS; i++) {
        double begin = now_ns();
        descend(depth, functions[which].call, calls);
        rounds[i] = (now_ns() - begin) / (double)calls;
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], compare);
    printf("%.2f\n", rounds[ROUNDS / 2]);
    MPI_Finalize();
    return 0;
}
