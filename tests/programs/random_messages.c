/*
 * random_messages.c: messages of random sizes, tags, modes and ways to receive them, whose
 * content is checked, with collectives in between.
 *
 *     random_messages [--iterations ROUNDS] [--size MOST BYTES] [--seed N] [--counts FILE]
 *
 * All ranks draw the same plan of a round from the seed, so each knows what it must get.  A
 * message's content follows from the seed, the round, its source, its destination and its tag;
 * a receiver says what was wrong and ends the program with status 1.  FILE.<rank> states what
 * the rank sent and received in all, as `storm;all`.
 */
#include "program.h"

#include <stdbool.h>
#include <tsprof.h>

enum {
    MOST_MESSAGES = 4, /* from one rank to another in a round */
    MOST_RANKS = 8,
    MOST_INCOMING = MOST_MESSAGES * MOST_RANKS,
    BSEND_BYTES = 4096
};

/* How a message is received; each kind has a communicator of its own. */
enum kind { ANY, NAMED, PROBED, PERSISTENT, KINDS };

struct message {
    int source, dest, tag, bytes;
    enum kind kind;
    int mode; /* how it is sent */
    bool done;
    MPI_Request request;
    MPI_Datatype type;
    unsigned char *data;
};

static struct message incoming[MOST_INCOMING], outgoing[MOST_INCOMING];
static int incoming_count, outgoing_count;
static MPI_Comm comms[KINDS];
static MPI_Datatype triple; /* of bytes */
static uint64_t seed, chance, round_number, checksum = CHECKSUM_START;
static char bsend_buffer[MOST_INCOMING * (BSEND_BYTES + MPI_BSEND_OVERHEAD)];

/* A number below N that only this rank draws. */
static int draw(int n)
{
    return (int)(random_next(&chance) % (uint64_t)n);
}

static void fail(const char *what, const struct message *message)
{
    fprintf(stderr, "random_messages: rank %d, round %d: %s: source %d, tag %d, %d bytes\n",
            program_rank, (int)round_number, what, message->source, message->tag,
            message->bytes);
    exit(1);
}

static uint64_t key_of(const struct message *message)
{
    uint64_t state = seed * 1000003 + round_number;
    state = state * 1000003 + (uint64_t)(message->source * MOST_RANKS + message->dest);
    state = state * 1000003 + (uint64_t)message->tag;
    return random_next(&state);
}

static void fill(struct message *message)
{
    uint64_t key = key_of(message);
    for (int i = 0; i < message->bytes; i++)
        message->data[i] = (unsigned char)((key >> (8 * (i % 8))) + (uint64_t)i * 31);
}

static void check(struct message *message)
{
    uint64_t key = key_of(message);
    if (message->done)
        fail("came twice", message);
    message->done = true;
    for (int i = 0; i < message->bytes; i++)
        if (message->data[i] != (unsigned char)((key >> (8 * (i % 8))) + (uint64_t)i * 31))
            fail("wrong content", message);
    counts_received("storm", "all", message->source, message->bytes);
    checksum += checksum_add(key, message->data, (size_t)message->bytes);
}

/* The message that a status is about, which must tell the right size. */
static struct message *message_of(const MPI_Status *status, enum kind kind)
{
    int bytes = -1;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    for (int i = 0; i < incoming_count; i++) {
        struct message *message = &incoming[i];
        if (message->kind != kind || message->source != status->MPI_SOURCE ||
            message->tag != status->MPI_TAG)
            continue;
        if (message->bytes != bytes)
            fail("wrong size", message);
        return message;
    }
    fprintf(stderr, "random_messages: rank %d: nobody sent this: source %d, tag %d\n",
            program_rank, status->MPI_SOURCE, status->MPI_TAG);
    exit(1);
}

/* Sizes: many small, some empty, few large. */
static int random_bytes(uint64_t *state, int most)
{
    uint64_t way = random_next(state) % 10, value = random_next(state);
    if (way < 2)
        return 0;
    return (int)(value % (uint64_t)(way < 8 ? 256 : most));
}

static void add(struct message *list, int *count, struct message message)
{
    message.data = (unsigned char *)calloc((size_t)message.bytes + 1, 1);
    message.request = MPI_REQUEST_NULL;
    list[(*count)++] = message;
}

static void make_plan(int most)
{
    uint64_t state = seed ^ (round_number << 32);
    incoming_count = outgoing_count = 0;
    for (int source = 0; source < program_ranks; source++)
        for (int dest = 0; dest < program_ranks; dest++) {
            int messages = (int)(random_next(&state) % (MOST_MESSAGES + 1));
            for (int tag = 0; tag < messages; tag++) {
                struct message message = {.source = source, .dest = dest, .tag = tag};
                message.bytes = random_bytes(&state, most);
                message.kind = (enum kind)(random_next(&state) % KINDS);
                message.mode = (int)(random_next(&state) % 6);
                message.type =
                    random_next(&state) % 2 && message.bytes % 3 == 0 ? triple : MPI_BYTE;
                if (source == program_rank)
                    add(outgoing, &outgoing_count, message);
                if (dest == program_rank)
                    add(incoming, &incoming_count, message);
            }
        }
}

/* Where a request for the message looks for it. */
static void post(struct message *message)
{
    MPI_Comm comm = comms[message->kind];
    if (message->kind == NAMED)
        MPI_Irecv(message->data, message->bytes, MPI_BYTE, message->source, message->tag, comm,
                  &message->request);
    if (message->kind == PERSISTENT) {
        MPI_Recv_init(message->data, message->bytes, MPI_BYTE, message->source, message->tag,
                      comm, &message->request);
        MPI_Start(&message->request);
    }
}

static void send(struct message *message)
{
    int count = message->type == triple ? message->bytes / 3 : message->bytes;
    MPI_Comm comm = comms[message->kind];
    void *data = message->data;
    fill(message);
    counts_sent("storm", "all", message->dest, message->bytes);
    if (message->mode == 0) {
        MPI_Issend(data, count, message->type, message->dest, message->tag, comm,
                   &message->request);
    } else if (message->mode == 1 && message->bytes <= BSEND_BYTES) {
        MPI_Ibsend(data, count, message->type, message->dest, message->tag, comm,
                   &message->request);
    } else if (message->mode == 2 && message->bytes <= BSEND_BYTES) {
        MPI_Bsend(data, count, message->type, message->dest, message->tag, comm);
    } else if (message->mode == 3) {
        MPI_Send_init(data, count, message->type, message->dest, message->tag, comm,
                      &message->request);
        MPI_Start(&message->request);
    } else {
        MPI_Isend(data, count, message->type, message->dest, message->tag, comm,
                  &message->request);
        if (message->mode == 4)
            MPI_Request_free(&message->request);
    }
}

/*
 * Receives that take whatever comes.  The buffers are for the largest message; what came is
 * moved to the message that it is.
 */
static MPI_Request any_requests[MOST_INCOMING];
static unsigned char *any_data[MOST_INCOMING];
static int any_count, any_left;

static int count_kind(enum kind kind)
{
    int count = 0;
    for (int i = 0; i < incoming_count; i++)
        count += incoming[i].kind == kind && !incoming[i].done;
    return count;
}

static void post_any(int most)
{
    any_count = any_left = count_kind(ANY);
    for (int i = 0; i < any_count; i++) {
        any_data[i] = (unsigned char *)malloc((size_t)most + 256);
        MPI_Irecv(any_data[i], most + 256, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[ANY],
                  &any_requests[i]);
    }
}

static void take_any(int index, const MPI_Status *status)
{
    struct message *message = message_of(status, ANY);
    memcpy(message->data, any_data[index], (size_t)message->bytes);
    free(any_data[index]);
    any_left--;
    check(message);
}

static void progress_any(void)
{
    MPI_Status statuses[MOST_INCOMING];
    int indices[MOST_INCOMING], count = 0, flag = 0, way = draw(4);
    if (way == 0)
        MPI_Waitany(any_count, any_requests, &indices[0], &statuses[0]), count = 1;
    else if (way == 1)
        MPI_Testany(any_count, any_requests, &indices[0], &flag, &statuses[0]), count = flag;
    else if (way == 2)
        MPI_Waitsome(any_count, any_requests, &count, indices, statuses);
    else
        MPI_Testsome(any_count, any_requests, &count, indices, statuses);
    for (int i = 0; i < count; i++)
        take_any(indices[i], &statuses[i]);
}

/* Receives of one message each: one of them, or all that are left. */
static void progress_one(struct message *message)
{
    int flag = 1, way = draw(3);
    if (way == 0)
        MPI_Wait(&message->request, MPI_STATUS_IGNORE);
    else if (way == 1)
        MPI_Test(&message->request, &flag, MPI_STATUS_IGNORE);
    else {
        MPI_Request_get_status(message->request, &flag, MPI_STATUS_IGNORE);
        if (flag)
            MPI_Wait(&message->request, MPI_STATUS_IGNORE);
    }
    if (flag)
        check(message);
}

static void progress_rest(enum kind kind)
{
    MPI_Request requests[MOST_INCOMING];
    struct message *messages[MOST_INCOMING];
    int count = 0, flag = 1;
    for (int i = 0; i < incoming_count; i++)
        if (incoming[i].kind == kind && !incoming[i].done) {
            messages[count] = &incoming[i];
            requests[count++] = incoming[i].request;
        }
    if (draw(2))
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    else
        MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; flag && i < count; i++) {
        messages[i]->request = requests[i];
        check(messages[i]);
    }
}

static void progress_named(enum kind kind)
{
    int chosen = draw(incoming_count);
    if (draw(8) == 0)
        progress_rest(kind);
    else if (incoming[chosen].kind == kind && !incoming[chosen].done)
        progress_one(&incoming[chosen]);
}

/* Looks before it receives. */
static void progress_probed(void)
{
    MPI_Comm comm = comms[PROBED];
    MPI_Status status;
    MPI_Message note = MPI_MESSAGE_NULL;
    int flag = 1, way = draw(4);
    if (way == 0)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    else if (way == 1)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
    else if (way == 2)
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &note, &status);
    else
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &note, &status);
    if (!flag)
        return;
    struct message *message = message_of(&status, PROBED);
    if (note == MPI_MESSAGE_NULL) {
        MPI_Recv(message->data, message->bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                 comm, draw(2) ? MPI_STATUS_IGNORE : &status);
    } else if (draw(2)) {
        MPI_Mrecv(message->data, message->bytes, MPI_BYTE, &note, MPI_STATUS_IGNORE);
    } else {
        MPI_Imrecv(message->data, message->bytes, MPI_BYTE, &note, &message->request);
        MPI_Wait(&message->request, &status);
    }
    check(message);
}

static void receive_all(void)
{
    while (any_left || count_kind(NAMED) || count_kind(PROBED) || count_kind(PERSISTENT)) {
        int kind = draw(KINDS);
        if (kind == ANY && any_left)
            progress_any();
        else if (kind == PROBED && count_kind(PROBED))
            progress_probed();
        else if ((kind == NAMED || kind == PERSISTENT) && count_kind((enum kind)kind))
            progress_named((enum kind)kind);
    }
}

static void finish_sends(void)
{
    MPI_Request requests[MOST_INCOMING];
    int flag = 0;
    for (int i = 0; i < outgoing_count; i++)
        requests[i] = outgoing[i].request;
    if (draw(2))
        MPI_Waitall(outgoing_count, requests, MPI_STATUSES_IGNORE);
    else
        while (!flag)
            MPI_Testall(outgoing_count, requests, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < outgoing_count; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
}

/* Everyone has received everything, so also what freed requests sent. */
static void release(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < incoming_count; i++) {
        if (incoming[i].request != MPI_REQUEST_NULL)
            MPI_Request_free(&incoming[i].request);
        free(incoming[i].data);
    }
    for (int i = 0; i < outgoing_count; i++)
        free(outgoing[i].data);
}

/* Around the ring, both directions of a call in different sizes. */
static void exchange(int most)
{
    const int right = (program_rank + 1) % program_ranks;
    const int left = (program_rank + program_ranks - 1) % program_ranks;
    uint64_t state = seed + 77 * round_number;
    int bytes[MOST_RANKS];
    for (int r = 0; r < program_ranks; r++)
        bytes[r] = random_bytes(&state, most);
    struct message to = {
        .source = program_rank, .dest = right, .tag = 99, .bytes = bytes[program_rank]};
    struct message from = {
        .source = left, .dest = program_rank, .tag = 99, .bytes = bytes[left]};
    to.data = (unsigned char *)malloc((size_t)to.bytes + 1);
    from.data = (unsigned char *)malloc((size_t)most + 256);
    fill(&to);
    counts_sent("storm", "all", right, to.bytes);
    MPI_Sendrecv(to.data, to.bytes, MPI_BYTE, right, 99, from.data, most + 256, MPI_BYTE, left,
                 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(&from);
    free(to.data);
    free(from.data);
}

/* Some collectives, each with a result that all know. */
static void meet(void)
{
    int way = (int)((seed + round_number) % 3), value = program_rank + 1, sum = 0;
    MPI_Request request;
    if (way == 0)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (way == 1) {
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (sum != program_ranks * (program_ranks + 1) / 2) {
        fprintf(stderr, "random_messages: rank %d: wrong sum %d\n", program_rank, sum);
        exit(1);
    }
}

static void storm(int most)
{
    make_plan(most);
    for (int i = 0; i < incoming_count; i++)
        post(&incoming[i]);
    post_any(most);
    for (int i = 0; i < outgoing_count; i++)
        send(&outgoing[i]);
    receive_all();
    finish_sends();
    release();
    exchange(most);
    meet();
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {20, 70000, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    void *detached;
    int bytes;
    program_start(&argc, &argv);
    if (program_ranks > MOST_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    seed = (uint64_t)options.seed;
    chance = seed * 31 + (uint64_t)program_rank;
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[kind]);
    MPI_Type_contiguous(3, MPI_BYTE, &triple);
    MPI_Type_commit(&triple);
    MPI_Buffer_attach(bsend_buffer, sizeof bsend_buffer);
    for (int i = 0; i < options.iterations; i++) {
        TSPROF_ITERATION_BEGIN("round");
        round_number = (uint64_t)i;
        storm(options.size);
        TSPROF_ITERATION_END("round");
    }
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Type_free(&triple);
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Comm_free(&comms[kind]);
    program_end("random_messages", checksum, &options);
    return 0;
}
