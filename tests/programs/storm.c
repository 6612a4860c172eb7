/*
 * storm.c: messages between all processes, started and completed in whatever way chance has it.
 *
 * In each iteration every process sends some messages to every other and to itself, of lengths
 * that all know from the same random numbers; each is received by one of several kinds of
 * request, before or after it is sent, and requests of both directions complete in a random
 * order by a call that is drawn for each group of them.  What arrives is checked word by word.
 */
#include "program.h"

#include <tsprof.h>

enum { MOST_PER_PAIR = 4, LONG_WORDS = 30000, KINDS_OF_COMPLETION = 9 };

struct message {
    int source, dest, tag;
    int words;
    int incoming; /* else it goes out */
    int persistent;
    int known; /* what it brought has been stated */
    int *buffer;
};

/* Requests and what they stand for, in the same order. */
struct storm {
    int count;
    MPI_Request *requests;
    struct message **messages;
    MPI_Status *statuses;
    int *indices;
    struct message *list; /* all of this process in this iteration */
    int list_count;
    uint64_t random; /* of this process alone */
    uint64_t sum;
};

static int chance(struct storm *storm, int of)
{
    return (int)(random_next(&storm->random) % (uint64_t)of);
}

static int word_of(const struct message *message, int at)
{
    return message->source * 1000003 + message->tag * 1009 + at * 7 + message->words;
}

/* The messages of this process, from random numbers that all processes draw alike. */
static void draw_messages(struct storm *storm, uint64_t *random, int size)
{
    storm->list_count = 0;
    for (int source = 0; source < program_ranks; source++)
        for (int dest = 0; dest < program_ranks; dest++) {
            int count = (int)(random_next(random) % (MOST_PER_PAIR + 1));
            for (int tag = 0; tag < count; tag++) {
                uint64_t drawn = random_next(random);
                int words = drawn % 5 == 0 ? 0 : (int)(drawn / 5 % (uint64_t)(size + 1));
                if (drawn % 97 == 0)
                    words = LONG_WORDS;
                struct message message = {source, dest, tag, words, 0, 0, 0, NULL};
                for (int incoming = 0; incoming < 2; incoming++)
                    if (program_rank == (incoming ? dest : source)) {
                        message.incoming = incoming;
                        storm->list[storm->list_count++] = message;
                    }
            }
        }
}

static void get_buffers(struct storm *storm)
{
    for (int i = 0; i < storm->list_count; i++) {
        struct message *message = &storm->list[i];
        /* Room for more than will come. */
        message->buffer = (int *)malloc(((size_t)message->words + 9) * sizeof(int));
        for (int w = 0; w < message->words + 9; w++)
            message->buffer[w] = message->incoming ? -1 : word_of(message, w);
    }
}

static MPI_Request *add(struct storm *storm, struct message *message)
{
    storm->messages[storm->count] = message;
    return &storm->requests[storm->count++];
}

PATH_FUNCTION static void send_one(struct storm *storm, struct message *message)
{
    MPI_Request *request = add(storm, message);
    const int bytes = message->words * 4, dest = message->dest, tag = message->tag;
    switch (chance(storm, 4)) {
    case 0:
        MPI_Issend(message->buffer, message->words, MPI_INT, dest, tag, MPI_COMM_WORLD,
                   request);
        COUNT_SEND(MPI_Issend, dest, bytes);
        break;
    case 1:
        message->persistent = 1;
        MPI_Send_init(message->buffer, message->words, MPI_INT, dest, tag, MPI_COMM_WORLD,
                      request);
        COUNT_VISIT(MPI_Send_init);
        MPI_Start(request);
        COUNT_SEND(MPI_Start, dest, bytes);
        break;
    default:
        MPI_Isend(message->buffer, message->words, MPI_INT, dest, tag, MPI_COMM_WORLD, request);
        COUNT_SEND(MPI_Isend, dest, bytes);
    }
}

PATH_FUNCTION static void receive_one(struct storm *storm, struct message *message)
{
    MPI_Request *request = add(storm, message);
    const int room = message->words + 9, source = message->source, tag = message->tag;
    if (chance(storm, 3)) {
        MPI_Irecv(message->buffer, room, MPI_INT, source, tag, MPI_COMM_WORLD, request);
        COUNT_VISIT(MPI_Irecv);
        return;
    }
    message->persistent = 1;
    MPI_Recv_init(message->buffer, room, MPI_INT, source, tag, MPI_COMM_WORLD, request);
    COUNT_VISIT(MPI_Recv_init);
    MPI_Startall(1, request);
    COUNT_VISIT(MPI_Startall);
}

/* Once everything has been sent. */
PATH_FUNCTION static void match_one(struct storm *storm, struct message *message)
{
    MPI_Message matched;
    MPI_Mprobe(message->source, message->tag, MPI_COMM_WORLD, &matched, MPI_STATUS_IGNORE);
    COUNT_VISIT(MPI_Mprobe);
    MPI_Imrecv(message->buffer, message->words + 9, MPI_INT, &matched, add(storm, message));
    COUNT_VISIT(MPI_Imrecv);
}

/* A third of the receives wait for their messages, another third for all to be sent. */
static void start_all(struct storm *storm)
{
    int when[2 * MOST_PER_PAIR * 64];
    for (int i = 0; i < storm->list_count; i++) {
        when[i] = storm->list[i].incoming ? chance(storm, 3) : -1;
        if (when[i] == 0)
            receive_one(storm, &storm->list[i]);
    }
    for (int i = 0; i < storm->list_count; i++)
        if (when[i] == -1)
            send_one(storm, &storm->list[i]);
    for (int i = 0; i < storm->list_count; i++)
        if (when[i] == 1)
            receive_one(storm, &storm->list[i]);
        else if (when[i] == 2)
            match_one(storm, &storm->list[i]);
}

static void shuffle(struct storm *storm)
{
    for (int i = storm->count - 1; i > 0; i--) {
        int other = chance(storm, i + 1);
        MPI_Request request = storm->requests[i];
        struct message *message = storm->messages[i];
        storm->requests[i] = storm->requests[other];
        storm->messages[i] = storm->messages[other];
        storm->requests[other] = request;
        storm->messages[other] = message;
    }
}

/* A request has completed in CALL of FUNCTION. */
static void completed(struct message *message, const char *function, const char *call)
{
    if (message->incoming && !message->known)
        counts_received(function, call, message->source, message->words * 4);
    message->known = 1;
}

#define COMPLETED(storm, at, call) completed((storm)->messages[at], __func__, #call)

PATH_FUNCTION static void wait_each(struct storm *storm, int first, int count)
{
    for (int i = first; i < first + count; i++) {
        MPI_Wait(&storm->requests[i], chance(storm, 2) ? MPI_STATUS_IGNORE : storm->statuses);
        COUNT_VISIT(MPI_Wait);
        COMPLETED(storm, i, MPI_Wait);
    }
}

PATH_FUNCTION static void wait_any(struct storm *storm, int first, int count)
{
    for (;;) {
        int index;
        MPI_Waitany(count, storm->requests + first, &index,
                    chance(storm, 2) ? MPI_STATUS_IGNORE : storm->statuses);
        COUNT_VISIT(MPI_Waitany);
        if (index == MPI_UNDEFINED)
            return;
        COMPLETED(storm, first + index, MPI_Waitany);
    }
}

PATH_FUNCTION static void wait_some(struct storm *storm, int first, int count)
{
    for (;;) {
        int done;
        MPI_Waitsome(count, storm->requests + first, &done, storm->indices,
                     chance(storm, 2) ? MPI_STATUSES_IGNORE : storm->statuses);
        COUNT_VISIT(MPI_Waitsome);
        if (done == MPI_UNDEFINED)
            return;
        for (int i = 0; i < done; i++)
            COMPLETED(storm, first + storm->indices[i], MPI_Waitsome);
    }
}

PATH_FUNCTION static void wait_all(struct storm *storm, int first, int count)
{
    MPI_Waitall(count, storm->requests + first,
                chance(storm, 2) ? MPI_STATUSES_IGNORE : storm->statuses);
    COUNT_VISIT(MPI_Waitall);
    for (int i = first; i < first + count; i++)
        COMPLETED(storm, i, MPI_Waitall);
}

PATH_FUNCTION static void test_each(struct storm *storm, int first, int count)
{
    for (int i = first; i < first + count; i++)
        for (int done = 0; !done;) {
            MPI_Test(&storm->requests[i], &done, MPI_STATUS_IGNORE);
            COUNT_VISIT(MPI_Test);
            if (done)
                COMPLETED(storm, i, MPI_Test);
        }
}

PATH_FUNCTION static void test_any(struct storm *storm, int first, int count)
{
    for (int index = 0; index != MPI_UNDEFINED;) {
        int done;
        MPI_Testany(count, storm->requests + first, &index, &done, storm->statuses);
        COUNT_VISIT(MPI_Testany);
        if (done && index != MPI_UNDEFINED)
            COMPLETED(storm, first + index, MPI_Testany);
        else if (!done)
            index = 0;
    }
}

PATH_FUNCTION static void test_some(struct storm *storm, int first, int count)
{
    for (int done = 0; done != MPI_UNDEFINED;) {
        MPI_Testsome(count, storm->requests + first, &done, storm->indices,
                     MPI_STATUSES_IGNORE);
        COUNT_VISIT(MPI_Testsome);
        for (int i = 0; i < done; i++)
            COMPLETED(storm, first + storm->indices[i], MPI_Testsome);
    }
}

PATH_FUNCTION static void test_all(struct storm *storm, int first, int count)
{
    for (int done = 0; !done;) {
        MPI_Testall(count, storm->requests + first, &done, storm->statuses);
        COUNT_VISIT(MPI_Testall);
        for (int i = first; done && i < first + count; i++)
            COMPLETED(storm, i, MPI_Testall);
    }
}

/* The first call that tells counts, whoever else waits. */
PATH_FUNCTION static void ask_each(struct storm *storm, int first, int count)
{
    for (int i = first; i < first + count; i++)
        for (int done = 0; !done;) {
            MPI_Request_get_status(storm->requests[i], &done, MPI_STATUS_IGNORE);
            COUNT_VISIT(MPI_Request_get_status);
            if (done)
                COMPLETED(storm, i, MPI_Request_get_status);
        }
    wait_all(storm, first, count);
}

static void (*const completions[KINDS_OF_COMPLETION])(struct storm *, int, int) = {
    wait_each, wait_any,  wait_some, wait_all, test_each,
    test_any,  test_some, test_all,  ask_each,
};

/* All has been started, so nobody waits for what is done later. */
static void complete_all(struct storm *storm)
{
    for (int first = 0, count; first < storm->count; first += count) {
        count = 1 + chance(storm, storm->count - first);
        completions[chance(storm, KINDS_OF_COMPLETION)](storm, first, count);
    }
}

PATH_FUNCTION static void check_and_release(struct storm *storm)
{
    for (int i = 0; i < storm->count; i++) {
        struct message *message = storm->messages[i];
        for (int w = 0; message->incoming && w < message->words + 9; w++)
            if (message->buffer[w] != (w < message->words ? word_of(message, w) : -1)) {
                fprintf(stderr, "storm: rank %d: wrong word\n", program_rank);
                MPI_Abort(MPI_COMM_WORLD, 3);
            }
        if (message->incoming)
            storm->sum += checksum_add(CHECKSUM_START, message->buffer,
                                       (size_t)message->words * sizeof(int));
        if (message->persistent) {
            MPI_Request_free(&storm->requests[i]);
            COUNT_VISIT(MPI_Request_free);
        }
        free(message->buffer);
    }
}

int main(int argc, char **argv)
{
    const struct program_options defaults = {30, 300, 1, NULL};
    const struct program_options options = program_parse(argc, argv, defaults);
    struct storm storm = {.sum = 0};
    uint64_t random = (uint64_t)options.seed;

    program_start(&argc, &argv);
    const size_t most = 2 * MOST_PER_PAIR * (size_t)program_ranks;
    storm.requests = (MPI_Request *)calloc(most, sizeof *storm.requests);
    storm.messages = (struct message **)calloc(most, sizeof *storm.messages);
    storm.statuses = (MPI_Status *)calloc(most, sizeof *storm.statuses);
    storm.indices = (int *)calloc(most, sizeof *storm.indices);
    storm.list = (struct message *)calloc(most, sizeof *storm.list);
    storm.random = random + 1000 * (uint64_t)program_rank;
    if (program_ranks > 64)
        return 2;

    for (int i = 0; i < options.iterations; i++) {
        TSPROF_ITERATION_BEGIN("gust");
        counts_iteration(i);
        storm.count = 0;
        draw_messages(&storm, &random, options.size);
        get_buffers(&storm);
        start_all(&storm);
        shuffle(&storm);
        complete_all(&storm);
        check_and_release(&storm);
        TSPROF_ITERATION_END("gust");
    }
    counts_iteration(-1);

    free(storm.requests);
    free(storm.messages);
    free(storm.statuses);
    free(storm.indices);
    free(storm.list);
    program_end("storm", storm.sum, &options);
    return 0;
}
