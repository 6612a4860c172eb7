/*
 * handover.c: threads that start operations, and others that complete them.
 *
 * On each process STARTERS threads start one operation after the other: a message comes from
 * the left neighbour and one goes to the right one, or all processes do something together.
 * COMPLETERS others take their requests, some at a time in any order, and complete them by a
 * call that is drawn for them.  So a handle is given out again in one thread while the call
 * that has completed its last request is on its way back in another.
 *
 * Operations are numbered alike on all processes (--iterations says how many), and none is
 * started that is AHEAD further than the oldest that has not completed: so what a process with
 * the oldest of all waits for has been, or can be, started everywhere.
 */
#include "program.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { STARTERS = 2, COMPLETERS = 3, AHEAD = 48, MOST_AT_ONCE = 9, CELLS = 256, LONG = 20000 };

enum part { INCOMING, OUTGOING, COLLECTIVE };

struct operation {
    int number, words, open; /* requests that have not completed */
    bool together;
    long long sum, own; /* of a collective */
    int *in, *out;
};

struct pending {
    MPI_Request request;
    struct operation *operation;
    enum part part;
    bool persistent;
    long long bytes; /* that a message or, each way, a collective moves */
    bool barrier;
};

/* What the threads share. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct operation operations[AHEAD];
static struct pending pool[2 * AHEAD];
static int pooled, oldest, total, size;
static MPI_Comm comms[STARTERS];
static uint64_t seed, checksum;

/* What a thread has done, to be added to the counts when it ends. */
static __thread struct counts_cell cells[CELLS];
static __thread int cells_used;

static void tally(const char *function, const char *call, const char *metric, long long value)
{
    int i = 0;
    while (i < cells_used && (strcmp(cells[i].call, call) || strcmp(cells[i].metric, metric) ||
                              strcmp(cells[i].function, function)))
        i++;
    if (i == cells_used) {
        if (cells_used == CELLS)
            abort();
        cells[cells_used++] = (struct counts_cell){-1, function, call, metric, 0};
    }
    cells[i].value += value;
}

#define VISITED(call) tally(__func__, #call, "visits", 1)

static void add_up(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < cells_used; i++)
        counts_add(cells[i].function, cells[i].call, cells[i].metric, cells[i].value);
    pthread_mutex_unlock(&lock);
}

static void sent(const char *function, const char *call, long long bytes)
{
    tally(function, call, "visits", 1);
    tally(function, call, bytes ? "comms_send" : "syncs_send", 1);
    tally(function, call, "bytes_sent", bytes);
}

/* Random numbers that are the same for an operation on all processes. */
static uint64_t drawn(int number, int what)
{
    uint64_t state = seed + 1000003 * (uint64_t)number + (uint64_t)what;
    return random_next(&state);
}

/* What process RANK sends in an operation. */
static int words_of(int rank, int number)
{
    uint64_t chance = drawn(number, 100 + rank);
    return chance % 7 == 0 ? 0 : chance % 50 == 1 ? LONG : (int)(chance / 64 % (uint64_t)size);
}

static int word_of(int rank, int number, int at)
{
    return rank * 1000003 + number * 1009 + at * 7;
}

static void add_pending(const struct pending *pending, int count)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++)
        pool[pooled++] = pending[i];
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

PATH_FUNCTION static void start_message(struct operation *operation)
{
    const int number = operation->number,
              left = (program_rank + program_ranks - 1) % program_ranks,
              right = (program_rank + 1) % program_ranks;
    const int coming = words_of(left, number), going = words_of(program_rank, number);
    struct pending both[2] = {{.operation = operation, .part = INCOMING, .bytes = coming * 4LL},
                              {.operation = operation, .part = OUTGOING, .bytes = going * 4LL}};
    operation->words = coming;
    operation->in = (int *)malloc(((size_t)coming + 1) * sizeof(int));
    operation->out = (int *)malloc(((size_t)going + 1) * sizeof(int));
    for (int i = 0; i < going; i++)
        operation->out[i] = word_of(program_rank, number, i);
    if (drawn(number, 1) % 4 == 0) {
        both[0].persistent = true;
        MPI_Recv_init(operation->in, coming, MPI_INT, left, number, MPI_COMM_WORLD,
                      &both[0].request);
        VISITED(MPI_Recv_init);
        MPI_Start(&both[0].request);
        VISITED(MPI_Start);
    } else {
        MPI_Irecv(operation->in, coming, MPI_INT, left, number, MPI_COMM_WORLD,
                  &both[0].request);
        VISITED(MPI_Irecv);
    }
    if (drawn(number, 2) % 2) {
        MPI_Issend(operation->out, going, MPI_INT, right, number, MPI_COMM_WORLD,
                   &both[1].request);
        sent(__func__, "MPI_Issend", both[1].bytes);
    } else {
        MPI_Isend(operation->out, going, MPI_INT, right, number, MPI_COMM_WORLD,
                  &both[1].request);
        sent(__func__, "MPI_Isend", both[1].bytes);
    }
    add_pending(both, 2);
}

PATH_FUNCTION static void start_together(struct operation *operation, MPI_Comm comm)
{
    struct pending one = {.operation = operation, .part = COLLECTIVE};
    operation->own = operation->number + 17LL * program_rank;
    if (drawn(operation->number, 3) % 2) {
        one.bytes = 8LL * program_ranks;
        MPI_Iallreduce(&operation->own, &operation->sum, 1, MPI_LONG_LONG, MPI_SUM, comm,
                       &one.request);
        VISITED(MPI_Iallreduce);
    } else {
        one.barrier = true;
        MPI_Ibarrier(comm, &one.request);
        VISITED(MPI_Ibarrier);
    }
    add_pending(&one, 1);
}

static void *start_all(void *argument)
{
    const int which = (int)(long)argument;
    for (int number = which; number < total; number += STARTERS) {
        struct operation *operation = &operations[number % AHEAD];
        pthread_mutex_lock(&lock);
        while (number >= oldest + AHEAD)
            pthread_cond_wait(&changed, &lock);
        const bool together = drawn(number, 0) % 3 == 0;
        *operation = (struct operation){
            .number = number, .open = together ? 1 : 2, .together = together};
        pthread_mutex_unlock(&lock);
        if (together)
            start_together(operation, comms[which]);
        else
            start_message(operation);
    }
    add_up();
    return NULL;
}

static void check(const struct operation *operation)
{
    const int left = (program_rank + program_ranks - 1) % program_ranks;
    bool right = true;
    for (int i = 0; !operation->together && i < operation->words; i++)
        right &= operation->in[i] == word_of(left, operation->number, i);
    if (operation->sum)
        right &= operation->sum == (long long)program_ranks * operation->number +
                                       17LL * program_ranks * (program_ranks - 1) / 2;
    if (!right) {
        fprintf(stderr, "handover: rank %d: operation %d: wrong\n", program_rank,
                operation->number);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

/* Its last request has completed. */
static void finish(struct operation *operation)
{
    check(operation);
    checksum += drawn(operation->number, operation->words);
    free(operation->in);
    free(operation->out);
    operation->in = operation->out = NULL;
}

static void move_on(struct operation *operation)
{
    pthread_mutex_lock(&lock);
    if (--operation->open == 0) {
        finish(operation);
        /* What has not been started yet is not complete, whoever was in its place. */
        while (oldest < total && operations[oldest % AHEAD].number == oldest &&
               operations[oldest % AHEAD].open == 0)
            oldest++;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
}

PATH_FUNCTION static void free_persistent(MPI_Request *request)
{
    MPI_Request_free(request);
    VISITED(MPI_Request_free);
}

/* The request has completed in CALL of FUNCTION. */
static void completed(struct pending *pending, MPI_Request *request, const char *function,
                      const char *call)
{
    if (pending->part == INCOMING) {
        tally(function, call, pending->bytes ? "comms_recv" : "syncs_recv", 1);
        tally(function, call, "bytes_rcvd", pending->bytes);
    } else if (pending->part == COLLECTIVE) {
        tally(function, call, pending->barrier ? "syncs_coll" : "comms_coll", 1);
        tally(function, call, "bytes_coll_out", pending->bytes);
        tally(function, call, "bytes_coll_in", pending->bytes);
    }
    if (pending->persistent)
        free_persistent(request);
    move_on(pending->operation);
}

/* Requests that one thread completes, with what they stand for. */
struct batch {
    int count;
    MPI_Request requests[MOST_AT_ONCE];
    struct pending pending[MOST_AT_ONCE];
};

#define COMPLETED(batch, at, call)                                                             \
    completed(&(batch)->pending[at], &(batch)->requests[at], __func__, #call)

PATH_FUNCTION static void by_wait(struct batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        MPI_Wait(&batch->requests[i], MPI_STATUS_IGNORE);
        VISITED(MPI_Wait);
        COMPLETED(batch, i, MPI_Wait);
    }
}

PATH_FUNCTION static void by_test(struct batch *batch)
{
    for (int i = 0; i < batch->count; i++)
        for (int done = 0; !done;) {
            MPI_Test(&batch->requests[i], &done, MPI_STATUS_IGNORE);
            VISITED(MPI_Test);
            if (done)
                COMPLETED(batch, i, MPI_Test);
            else
                sched_yield();
        }
}

PATH_FUNCTION static void by_waitany(struct batch *batch)
{
    for (int i = 0, index; i < batch->count; i++) {
        MPI_Waitany(batch->count, batch->requests, &index, MPI_STATUS_IGNORE);
        VISITED(MPI_Waitany);
        COMPLETED(batch, index, MPI_Waitany);
    }
}

PATH_FUNCTION static void by_testany(struct batch *batch)
{
    MPI_Status status;
    for (int i = 0, done, index; i < batch->count; i += done) {
        MPI_Testany(batch->count, batch->requests, &index, &done, &status);
        VISITED(MPI_Testany);
        if (done)
            COMPLETED(batch, index, MPI_Testany);
        else
            sched_yield();
    }
}

PATH_FUNCTION static void by_waitsome(struct batch *batch)
{
    int indices[MOST_AT_ONCE];
    for (int left = batch->count, done; left > 0; left -= done) {
        MPI_Waitsome(batch->count, batch->requests, &done, indices, MPI_STATUSES_IGNORE);
        VISITED(MPI_Waitsome);
        for (int i = 0; i < done; i++)
            COMPLETED(batch, indices[i], MPI_Waitsome);
    }
}

PATH_FUNCTION static void by_testsome(struct batch *batch)
{
    int indices[MOST_AT_ONCE];
    MPI_Status statuses[MOST_AT_ONCE];
    for (int left = batch->count, done; left > 0; left -= done) {
        MPI_Testsome(batch->count, batch->requests, &done, indices, statuses);
        VISITED(MPI_Testsome);
        for (int i = 0; i < done; i++)
            COMPLETED(batch, indices[i], MPI_Testsome);
        if (!done)
            sched_yield();
    }
}

PATH_FUNCTION static void by_waitall(struct batch *batch)
{
    MPI_Waitall(batch->count, batch->requests, MPI_STATUSES_IGNORE);
    VISITED(MPI_Waitall);
    for (int i = 0; i < batch->count; i++)
        COMPLETED(batch, i, MPI_Waitall);
}

PATH_FUNCTION static void by_testall(struct batch *batch)
{
    for (int done = 0; !done;) {
        MPI_Testall(batch->count, batch->requests, &done, MPI_STATUSES_IGNORE);
        VISITED(MPI_Testall);
        for (int i = 0; done && i < batch->count; i++)
            COMPLETED(batch, i, MPI_Testall);
        if (!done)
            sched_yield();
    }
}

static void (*const ways[])(struct batch *) = {
    by_wait, by_test, by_waitany, by_testany, by_waitsome, by_testsome, by_waitall, by_testall,
};

enum { WAYS = sizeof ways / sizeof ways[0] };

/* Takes some requests out of the pool; false when nothing will come any more. */
static bool take(struct batch *batch, uint64_t *random)
{
    pthread_mutex_lock(&lock);
    while (pooled == 0 && oldest < total)
        pthread_cond_wait(&changed, &lock);
    int count = 1 + (int)(random_next(random) % MOST_AT_ONCE);
    for (batch->count = 0; batch->count < count && pooled > 0; batch->count++) {
        int at = (int)(random_next(random) % (uint64_t)pooled);
        batch->pending[batch->count] = pool[at];
        batch->requests[batch->count] = pool[at].request;
        pool[at] = pool[--pooled];
    }
    pthread_mutex_unlock(&lock);
    return batch->count > 0;
}

static void *complete_all(void *argument)
{
    uint64_t random = seed + 7919 * (uint64_t)(long)argument + (uint64_t)program_rank;
    struct batch batch;
    while (take(&batch, &random))
        ways[random_next(&random) % WAYS](&batch);
    add_up();
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[STARTERS + COMPLETERS];
    for (long i = 0; i < STARTERS; i++)
        pthread_create(&threads[i], NULL, start_all, (void *)i);
    for (long i = 0; i < COMPLETERS; i++)
        pthread_create(&threads[STARTERS + i], NULL, complete_all, (void *)i);
    for (int i = 0; i < STARTERS + COMPLETERS; i++)
        pthread_join(threads[i], NULL);
}

PATH_FUNCTION static int set_up(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    COUNT_VISIT(MPI_Init_thread);
    MPI_Comm_rank(MPI_COMM_WORLD, &program_rank);
    COUNT_VISIT(MPI_Comm_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &program_ranks);
    COUNT_VISIT(MPI_Comm_size);
    for (int i = 0; i < STARTERS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        COUNT_VISIT(MPI_Comm_dup);
    }
    return provided;
}

PATH_FUNCTION static void release(void)
{
    for (int i = 0; i < STARTERS; i++) {
        MPI_Comm_free(&comms[i]);
        COUNT_VISIT(MPI_Comm_free);
    }
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {1500, 300, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    for (int i = 0; i < AHEAD; i++)
        operations[i].number = -1;
    total = options.iterations;
    size = options.size + 1;
    seed = (uint64_t)options.seed;
    if (set_up(&argc, &argv) < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "handover: one thread at a time\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    run_threads();
    release();
    program_end("handover", checksum, &options);
    return 0;
}
