/*
 * random_traces.c: random programs of sends, receives and collectives whose matching is known.
 *
 *     random_traces [--seed FIRST] [--programs COUNT] [--log PREFIX]
 *
 * Each program is an iteration of `program`, drawn from its seed: FIRST, FIRST + 1 and so on.
 * All ranks draw the same steps: a message from one rank to another, a collective of a
 * communicator, or one rank that waits for all its requests; each rank does its part of each
 * step, so that nobody waits for ever.  PREFIX.<rank> states what the rank did, in the order in
 * which it began it:
 *
 *     program SEED
 *     send COMM DEST TAG BYTES
 *     receive COMM SOURCE TAG BYTES
 *     collective COMM OPERATION ROOT
 *
 * with ranks in the communicator, -1 for no root.
 */
#include "program.h"

#include <stdbool.h>
#include <tsprof.h>
#include <unistd.h>

enum { COMMS = 4, STEPS_MOST = 24, REQUESTS_MOST = 64, BYTES_MOST = 5000, RANKS_MOST = 8 };

struct step {
    int kind, comm, source, dest, tag, bytes, send_way, receive_way, operation, root, rank;
    bool nonblocking;
};

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

static struct step draw_step(uint64_t *state)
{
    static const int sizes[] = {0, 1, 8, 100, BYTES_MOST};
    struct step step = {.kind = below(state, 10), .comm = below(state, COMMS)};
    draw_pair(state, &step);
    step.tag = below(state, 3);
    step.bytes = below(state, 1 + sizes[below(state, 5)]);
    step.send_way = below(state, 5);
    step.receive_way = below(state, 4);
    step.operation = below(state, OPERATIONS);
    step.root = below(state, program_ranks);
    step.nonblocking = below(state, 3) == 0;
    step.rank = below(state, program_ranks);
    /* A message to itself must not block. */
    if (step.source == step.dest)
        step.send_way = step.receive_way = 3;
    return step;
}

static char *new_buffer(int bytes)
{
    char *buffer = calloc((size_t)bytes + 1, 1);
    buffers[request_count] = buffer;
    return buffer;
}

static void wait_for_all(void)
{
    const int way = below(&own_state, 4);
    int done = 0, indices[REQUESTS_MOST], count = 0;
    if (way == 0)
        MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE);
    while (way == 1 && count != MPI_UNDEFINED)
        MPI_Waitsome(request_count, requests, &count, indices, MPI_STATUSES_IGNORE);
    while (way == 2 && !done) {
        MPI_Testall(request_count, requests, &done, MPI_STATUSES_IGNORE);
        usleep(100);
    }
    for (int i = request_count; way == 3 && i-- > 0;)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < request_count; i++)
        free(buffers[i]);
    request_count = 0;
}

static void send(const struct step *step, MPI_Comm comm, int dest)
{
    static char bytes[BYTES_MOST];
    MPI_Request *request = &requests[request_count];
    fprintf(log_file, "send %d %d %d %d\n", step->comm, dest, step->tag, step->bytes);
    switch (step->send_way) {
    case 0:
        MPI_Send(bytes, step->bytes, MPI_BYTE, dest, step->tag, comm);
        return;
    case 1:
        MPI_Ssend(bytes, step->bytes, MPI_BYTE, dest, step->tag, comm);
        return;
    case 2:
        MPI_Issend(new_buffer(step->bytes), step->bytes, MPI_BYTE, dest, step->tag, comm,
                   request);
        break;
    default:
        MPI_Isend(new_buffer(step->bytes), step->bytes, MPI_BYTE, dest, step->tag, comm,
                  request);
    }
    request_count++;
}

static void receive(const struct step *step, MPI_Comm comm, int source)
{
    static char bytes[BYTES_MOST];
    MPI_Message message;
    MPI_Status status;
    fprintf(log_file, "receive %d %d %d %d\n", step->comm, source, step->tag, step->bytes);
    switch (step->receive_way) {
    case 0:
        MPI_Recv(bytes, BYTES_MOST, MPI_BYTE, source, step->tag, comm, MPI_STATUS_IGNORE);
        return;
    case 1:
        MPI_Mprobe(source, step->tag, comm, &message, &status);
        MPI_Mrecv(bytes, BYTES_MOST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        return;
    default:
        MPI_Irecv(new_buffer(BYTES_MOST), BYTES_MOST, MPI_BYTE, source, step->tag, comm,
                  &requests[request_count]);
        request_count++;
    }
}

static void collective(const struct step *step, MPI_Comm comm, int root)
{
    static int in[RANKS_MOST], out[RANKS_MOST];
    fprintf(log_file, "collective %d %s %d\n", step->comm, operations[step->operation],
            has_root(step->operation) ? root : -1);
    switch (step->operation) {
    case BARRIER:
        MPI_Barrier(comm);
        break;
    case BCAST:
        MPI_Bcast(in, 2, MPI_INT, root, comm);
        break;
    case REDUCE:
        MPI_Reduce(in, out, 2, MPI_INT, MPI_SUM, root, comm);
        break;
    case ALLREDUCE:
        MPI_Allreduce(in, out, 2, MPI_INT, MPI_SUM, comm);
        break;
    case GATHER:
        MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
        break;
    case SCATTER:
        MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, root, comm);
        break;
    case ALLGATHER:
        MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, comm);
        break;
    case ALLTOALL:
        MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm);
        break;
    case SCAN:
        MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, comm);
        break;
    case EXSCAN:
        MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, comm);
        break;
    default:
        MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, comm);
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
        MPI_Ibarrier(comm, request);
        break;
    case BCAST:
        MPI_Ibcast(in, 2, MPI_INT, root, comm, request);
        break;
    case REDUCE:
        MPI_Ireduce(in, out, 2, MPI_INT, MPI_SUM, root, comm, request);
        break;
    case ALLREDUCE:
        MPI_Iallreduce(in, out, 2, MPI_INT, MPI_SUM, comm, request);
        break;
    case GATHER:
        MPI_Igather(in, 1, MPI_INT, out, 1, MPI_INT, root, comm, request);
        break;
    case SCATTER:
        MPI_Iscatter(in, 1, MPI_INT, out, 1, MPI_INT, root, comm, request);
        break;
    case ALLGATHER:
        MPI_Iallgather(in, 1, MPI_INT, out, 1, MPI_INT, comm, request);
        break;
    case ALLTOALL:
        MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, comm, request);
        break;
    case SCAN:
        MPI_Iscan(in, out, 2, MPI_INT, MPI_SUM, comm, request);
        break;
    case EXSCAN:
        MPI_Iexscan(in, out, 2, MPI_INT, MPI_SUM, comm, request);
        break;
    default:
        MPI_Ireduce_scatter_block(in, out, 1, MPI_INT, MPI_SUM, comm, request);
    }
}

/* This rank's part of STEP. */
static void take_part(const struct step *step)
{
    const struct comm *comm = &comms[step->comm];
    if (step->kind < 6) {
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
        const struct step step = draw_step(&state);
        take_part(&step);
    }
    wait_for_all();
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
    for (int i = 0; i < count; i++) {
        TSPROF_ITERATION_BEGIN("program");
        run((uint64_t)(first + i));
        TSPROF_ITERATION_END("program");
    }
    fclose(log_file);
    MPI_Finalize();
    return 0;
}
