/*
 * random_traces.c: random programs of sends, receives and collectives whose matching is known.
 *
 *     random_traces [--seed FIRST] [--programs COUNT] [--log PREFIX]
 *
 * Each program is an iteration of `program`, drawn from its seed: FIRST, FIRST + 1 and so on.
 * All ranks draw the same steps: a message from one rank to another, an exchange of two, a
 * collective of a communicator, or one rank that waits for all its requests; each rank does its
 * part of each step, so that nobody waits for ever.  PREFIX.<rank> states what the rank did, in
 * the order in which it began it, and between which readings of the system's clock each call
 * was:
 *
 *     program SEED
 *     send COMM DEST TAG BYTES
 *     receive COMM SOURCE TAG BYTES
 *     collective COMM OPERATION ROOT
 *     call FUNCTION NANOSECONDS NANOSECONDS
 *
 * with ranks in the communicator, -1 for no root.
 */
#include "program.h"

#include <stdbool.h>
#include <time.h>
#include <tsprof.h>
#include <unistd.h>

enum {
    COMMS = 4,
    STEPS_MOST = 24,
    REQUESTS_MOST = 64,
    BYTES_MOST = 5000,
    RANKS_MOST = 8,
    TAGS = 30000, /* of messages that no other can be taken for; MPI allows 32767 */
    FIRST_TAG = 100,
    BUFFER_BYTES = STEPS_MOST * (BYTES_MOST + MPI_BSEND_OVERHEAD)
};

struct step {
    int kind, comm, source, dest, tag, bytes, send_way, receive_way, operation, root, rank;
    bool nonblocking, any_source, any_tag;
};

enum send_way {
    SEND,
    SSEND,
    BSEND,
    ISEND,
    ISSEND,
    IBSEND,
    SEND_INIT,
    SSEND_INIT,
    BSEND_INIT,
    SEND_WAYS,
    /* Only where the receive is known to have begun. */
    RSEND = SEND_WAYS,
    IRSEND,
    RSEND_INIT
};
enum receive_way { RECV, MRECV, IMRECV, IRECV, RECV_INIT, RECEIVE_WAYS };

struct comm {
    MPI_Comm handle; /* of this process */
    int rank, size;
};

static struct comm comms[COMMS];
static FILE *log_file;
static MPI_Request requests[REQUESTS_MOST];
static char *buffers[REQUESTS_MOST];
static int request_count;
static uint64_t own_state; /* what only this rank draws */
static char bsend_buffer[BUFFER_BYTES];

static long long now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* A call of MPI, and between which readings of the clock it was. */
#define TIMED(function, ...)                                                                   \
    do {                                                                                       \
        const long long before = now_ns();                                                     \
        function(__VA_ARGS__);                                                                 \
        fprintf(log_file, "call " #function " %lld %lld\n", before, now_ns());                 \
    } while (0)

static const char *const operations[] = {
    "BARRIER",  "BCAST", "REDUCE", "ALLREDUCE",           "GATHER", "SCATTER", "ALLGATHER",
    "ALLTOALL", "SCAN",  "EXSCAN", "REDUCE_SCATTER_BLOCK"};
enum {
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER_BLOCK,
    OPERATIONS
};

static bool has_root(int operation)
{
    return operation == BCAST || operation == REDUCE || operation == GATHER ||
           operation == SCATTER;
}

static int below(uint64_t *state, int n)
{
    return (int)(random_next(state) % (uint64_t)n);
}

static void make_comms(void)
{
    const int half = program_rank % 2;
    comms[0].handle = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1].handle);
    MPI_Comm_split(MPI_COMM_WORLD, half, program_rank, &comms[2].handle);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -program_rank, &comms[3].handle);
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_rank(comms[i].handle, &comms[i].rank);
        MPI_Comm_size(comms[i].handle, &comms[i].size);
    }
}

/* The rank in communicator COMM of RANK in the world, if both are in one group. */
static int rank_in(int comm, int rank)
{
    return comm == 2 ? rank / 2 : comm == 3 ? program_ranks - 1 - rank : rank;
}

/* Two ranks of the world that are in one group of COMM. */
static void draw_pair(uint64_t *state, struct step *step)
{
    step->source = below(state, program_ranks);
    step->dest = below(state, program_ranks);
    if (step->comm == 2 && (step->source + step->dest) % 2)
        step->dest = step->source;
}

/* A message to itself must not block, and its receive has begun. */
static void draw_ways(uint64_t *state, struct step *step)
{
    static const int to_itself[] = {ISEND,      ISSEND, IBSEND, SEND_INIT, BSEND,
                                    BSEND_INIT, RSEND,  IRSEND, RSEND_INIT};
    step->send_way = below(state, SEND_WAYS);
    step->receive_way = below(state, RECEIVE_WAYS);
    if (step->source == step->dest) {
        step->send_way = to_itself[below(state, 9)];
        step->receive_way = IRECV + below(state, 2);
    }
}

/*
 * Of messages from one process those with other tags come in the order in which they were sent,
 * so that one with any tag is the next; from any process only one can come with a tag of its
 * own.
 */
static struct step draw_step(uint64_t *state, uint64_t number)
{
    static const int sizes[] = {0, 1, 8, 100, BYTES_MOST};
    struct step step;
    memset(&step, 0, sizeof step);
    step.kind = below(state, 11);
    step.comm = below(state, COMMS);
    draw_pair(state, &step);
    step.tag = below(state, 3);
    step.bytes = below(state, 1 + sizes[below(state, 5)]);
    draw_ways(state, &step);
    step.operation = below(state, OPERATIONS);
    step.root = below(state, program_ranks);
    step.nonblocking = below(state, 3) == 0;
    step.rank = below(state, program_ranks);
    step.any_tag = below(state, 4) == 0;
    step.any_source = below(state, 4) == 0;
    if (step.any_source)
        step.tag = FIRST_TAG + (int)(number % TAGS);
    return step;
}

static char *new_buffer(int bytes)
{
    char *buffer = (char *)calloc((size_t)bytes + 1, 1);
    buffers[request_count] = buffer;
    return buffer;
}

/* Those that are persistent are still there. */
static void forget_requests(void)
{
    for (int i = 0; i < request_count; i++) {
        if (requests[i] != MPI_REQUEST_NULL)
            TIMED(MPI_Request_free, &requests[i]);
        free(buffers[i]);
    }
    request_count = 0;
}

static void wait_for_all(void)
{
    const int way = below(&own_state, 4);
    int done = 0, indices[REQUESTS_MOST], count = 0;
    if (way == 0)
        TIMED(MPI_Waitall, request_count, requests, MPI_STATUSES_IGNORE);
    while (way == 1 && count != MPI_UNDEFINED)
        TIMED(MPI_Waitsome, request_count, requests, &count, indices, MPI_STATUSES_IGNORE);
    while (way == 2 && !done) {
        TIMED(MPI_Testall, request_count, requests, &done, MPI_STATUSES_IGNORE);
        usleep(100);
    }
    for (int i = request_count; way == 3 && i-- > 0;)
        TIMED(MPI_Wait, &requests[i], MPI_STATUS_IGNORE);
    forget_requests();
}

#define ENVELOPE buffer, step->bytes, MPI_BYTE, dest, step->tag, comm

/* True if STEP is a send without a request. */
static bool send_and_wait(const struct step *step, MPI_Comm comm, int dest)
{
    static char buffer[BYTES_MOST];
    switch (step->send_way) {
    case SEND:
        TIMED(MPI_Send, ENVELOPE);
        return true;
    case SSEND:
        TIMED(MPI_Ssend, ENVELOPE);
        return true;
    case BSEND:
        TIMED(MPI_Bsend, ENVELOPE);
        return true;
    case RSEND:
        TIMED(MPI_Rsend, ENVELOPE);
        return true;
    default:
        return false;
    }
}

/* True if STEP is a send with a persistent request, which has been started. */
static bool start_send(const struct step *step, MPI_Comm comm, int dest, char *buffer)
{
    MPI_Request *request = &requests[request_count];
    switch (step->send_way) {
    case SEND_INIT:
        TIMED(MPI_Send_init, ENVELOPE, request);
        break;
    case SSEND_INIT:
        TIMED(MPI_Ssend_init, ENVELOPE, request);
        break;
    case BSEND_INIT:
        TIMED(MPI_Bsend_init, ENVELOPE, request);
        break;
    case RSEND_INIT:
        TIMED(MPI_Rsend_init, ENVELOPE, request);
        break;
    default:
        return false;
    }
    TIMED(MPI_Start, request);
    return true;
}

static void send(const struct step *step, MPI_Comm comm, int dest)
{
    MPI_Request *request = &requests[request_count];
    char *buffer;
    fprintf(log_file, "send %d %d %d %d\n", step->comm, dest, step->tag, step->bytes);
    if (send_and_wait(step, comm, dest))
        return;
    buffer = new_buffer(step->bytes);
    if (!start_send(step, comm, dest, buffer)) {
        if (step->send_way == ISSEND)
            TIMED(MPI_Issend, ENVELOPE, request);
        else if (step->send_way == IBSEND)
            TIMED(MPI_Ibsend, ENVELOPE, request);
        else if (step->send_way == IRSEND)
            TIMED(MPI_Irsend, ENVELOPE, request);
        else
            TIMED(MPI_Isend, ENVELOPE, request);
    }
    request_count++;
}

static void receive(const struct step *step, MPI_Comm comm, int source)
{
    static char bytes[BYTES_MOST];
    MPI_Request *request = &requests[request_count];
    MPI_Message message;
    MPI_Status status;
    const int from = step->any_source ? MPI_ANY_SOURCE : source;
    const int tag = step->any_tag && !step->any_source ? MPI_ANY_TAG : step->tag;
    char *buffer = bytes;
    fprintf(log_file, "receive %d %d %d %d\n", step->comm, source, step->tag, step->bytes);
    if (step->receive_way >= IMRECV)
        buffer = new_buffer(BYTES_MOST);
    if (step->receive_way == MRECV || step->receive_way == IMRECV)
        TIMED(MPI_Mprobe, from, tag, comm, &message, &status);
    switch (step->receive_way) {
    case RECV:
        TIMED(MPI_Recv, buffer, BYTES_MOST, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
        return;
    case MRECV:
        TIMED(MPI_Mrecv, buffer, BYTES_MOST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return;
    case IMRECV:
        TIMED(MPI_Imrecv, buffer, BYTES_MOST, MPI_BYTE, &message, request);
        break;
    case IRECV:
        TIMED(MPI_Irecv, buffer, BYTES_MOST, MPI_BYTE, from, tag, comm, request);
        break;
    default:
        TIMED(MPI_Recv_init, buffer, BYTES_MOST, MPI_BYTE, from, tag, comm, request);
        TIMED(MPI_Start, request);
    }
    request_count++;
}

/* Both send, and receive what the other sends. */
static void exchange(const struct step *step, MPI_Comm comm, int other)
{
    static char out[BYTES_MOST], in[BYTES_MOST];
    fprintf(log_file, "send %d %d %d %d\n", step->comm, other, step->tag, step->bytes);
    fprintf(log_file, "receive %d %d %d %d\n", step->comm, other, step->tag, step->bytes);
    if (step->nonblocking)
        TIMED(MPI_Sendrecv_replace, out, step->bytes, MPI_BYTE, other, step->tag, other,
              step->tag, comm, MPI_STATUS_IGNORE);
    else
        TIMED(MPI_Sendrecv, out, step->bytes, MPI_BYTE, other, step->tag, in, BYTES_MOST,
              MPI_BYTE, other, step->any_tag ? MPI_ANY_TAG : step->tag, comm,
              MPI_STATUS_IGNORE);
}

static void collective(const struct step *step, MPI_Comm comm, int root)
{
    static int in[RANKS_MOST], out[RANKS_MOST];
    fprintf(log_file, "collective %d %s %d\n", step->comm, operations[step->operation],
            has_root(step->operation) ? root : -1);
    switch (step->operation) {
    case BARRIER:
        TIMED(MPI_Barrier, comm);
        break;
    case BCAST:
        TIMED(MPI_Bcast, in, 2, MPI_INT, root, comm);
        break;
    case REDUCE:
        TIMED(MPI_Reduce, in, out, 2, MPI_INT, MPI_SUM, root, comm);
        break;
    case ALLREDUCE:
        TIMED(MPI_Allreduce, in, out, 2, MPI_INT, MPI_SUM, comm);
        break;
    case GATHER:
        TIMED(MPI_Gather, in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
        break;
    case SCATTER:
        TIMED(MPI_Scatter, in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
        break;
    case ALLGATHER:
        TIMED(MPI_Allgather, in, 1, MPI_INT, out, 1, MPI_INT, comm);
        break;
    case ALLTOALL:
        TIMED(MPI_Alltoall, in, 1, MPI_INT, out, 1, MPI_INT, comm);
        break;
    case SCAN:
        TIMED(MPI_Scan, in, out, 2, MPI_INT, MPI_SUM, comm);
        break;
    case EXSCAN:
        TIMED(MPI_Exscan, in, out, 2, MPI_INT, MPI_SUM, comm);
        break;
    default:
        TIMED(MPI_Reduce_scatter_block, in, out, 1, MPI_INT, MPI_SUM, comm);
    }
}

/* The same without waiting. */
static void start_collective(const struct step *step, MPI_Comm comm, int root)
{
    MPI_Request *request = &requests[request_count];
    int *in = (int *)(void *)new_buffer(2 * RANKS_MOST * (int)sizeof(int)),
        *out = in + RANKS_MOST;
    fprintf(log_file, "collective %d %s %d\n", step->comm, operations[step->operation],
            has_root(step->operation) ? root : -1);
    request_count++;
    switch (step->operation) {
    case BARRIER:
        TIMED(MPI_Ibarrier, comm, request);
        break;
    case BCAST:
        TIMED(MPI_Ibcast, in, 2, MPI_INT, root, comm, request);
        break;
    case REDUCE:
        TIMED(MPI_Ireduce, in, out, 2, MPI_INT, MPI_SUM, root, comm, request);
        break;
    case ALLREDUCE:
        TIMED(MPI_Iallreduce, in, out, 2, MPI_INT, MPI_SUM, comm, request);
        break;
    case GATHER:
        TIMED(MPI_Igather, in, 1, MPI_INT, out, 1, MPI_INT, root, comm, request);
        break;
    case SCATTER:
        TIMED(MPI_Iscatter, in, 1, MPI_INT, out, 1, MPI_INT, root, comm, request);
        break;
    case ALLGATHER:
        TIMED(MPI_Iallgather, in, 1, MPI_INT, out, 1, MPI_INT, comm, request);
        break;
    case ALLTOALL:
        TIMED(MPI_Ialltoall, in, 1, MPI_INT, out, 1, MPI_INT, comm, request);
        break;
    case SCAN:
        TIMED(MPI_Iscan, in, out, 2, MPI_INT, MPI_SUM, comm, request);
        break;
    case EXSCAN:
        TIMED(MPI_Iexscan, in, out, 2, MPI_INT, MPI_SUM, comm, request);
        break;
    default:
        TIMED(MPI_Ireduce_scatter_block, in, out, 1, MPI_INT, MPI_SUM, comm, request);
    }
}

/* This rank's part of STEP. */
static void take_part(const struct step *step)
{
    const struct comm *comm = &comms[step->comm];
    if (step->kind == 10) {
        const int own = program_rank == step->source, other = own ? step->dest : step->source;
        if (own || program_rank == step->dest)
            exchange(step, comm->handle, rank_in(step->comm, other));
    } else if (step->kind < 6) {
        if (step->dest == program_rank)
            receive(step, comm->handle, rank_in(step->comm, step->source));
        if (step->source == program_rank)
            send(step, comm->handle, rank_in(step->comm, step->dest));
    } else if (step->kind < 9) {
        const int root = step->root % comm->size;
        if (step->nonblocking)
            start_collective(step, comm->handle, root);
        else
            collective(step, comm->handle, root);
    } else if (step->rank == program_rank) {
        wait_for_all();
    }
}

/* What MPI_Bsend has put into the buffer has left it when it is taken away. */
static void empty_buffer(void)
{
    void *buffer;
    int bytes;
    TIMED(MPI_Buffer_detach, &buffer, &bytes);
    TIMED(MPI_Buffer_attach, bsend_buffer, BUFFER_BYTES);
}

/*
 * Nobody waits for ever: what a rank waits for, others begin in the same step or have begun in
 * an earlier one, and to get there they need nothing of a later one.
 */
static void run(uint64_t seed)
{
    uint64_t state = seed;
    const int steps = 4 + below(&state, STEPS_MOST - 4);
    own_state = seed * 31 + (uint64_t)program_rank;
    fprintf(log_file, "program %d\n", (int)seed);
    for (int i = 0; i < steps; i++) {
        const struct step step = draw_step(&state, seed * STEPS_MOST + (uint64_t)i);
        take_part(&step);
    }
    wait_for_all();
    empty_buffer();
}

int main(int argc, char **argv)
{
    int first = 1, count = 1;
    const char *log = "log";
    char name[4096];
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed"))
            first = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "--programs"))
            count = atoi(argv[i + 1]);
        else
            log = argv[i + 1];
    }
    program_start(&argc, &argv);
    snprintf(name, sizeof name, "%s.%d", log, program_rank);
    log_file = fopen(name, "w");
    if (!log_file || program_ranks > RANKS_MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    make_comms();
    MPI_Buffer_attach(bsend_buffer, BUFFER_BYTES);
    for (int i = 0; i < count; i++) {
        TSPROF_ITERATION_BEGIN("program");
        run((uint64_t)(first + i));
        TSPROF_ITERATION_END("program");
    }
    fclose(log_file);
    MPI_Finalize();
    return 0;
}
