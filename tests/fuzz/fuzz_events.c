/*
 * Fuzz target: the events that processes leave (common/event_format.h), read as
 * `tsprof merge` does and written as an archive.
 *
 * The input is a list of chunks of one process's file: stream, how much the sequence and the
 * bytes used are off, the time that it begins with, how long its records are, and these.  The
 * header is right, since whatever else it says is refused.  Whatever the records are, what is
 * counted as written was there, and there is an archive, or a message that says why not.
 */
#include "common/crc32.h"
#include "common/event_short.h"
#include "common/format.h"
#include "events/events.h"

#include "archive/writing.h"
#include "fuzz.h"
#include "whole_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK_HEADER = 6,
    LOSSES = 255, /* what such a block begins with */
    CHUNKS_MOST = 64,
    THREADS = 2,
    NODES = 64,
    PROCESS = 4000,
    SEED_BYTES = 4096
};

static const struct event_owner owner = {PROCESS, 1};

/* The functions of the program; node N of its call tree is number N of them, and so on. */
static const struct {
    const char *name;
    enum format_region_kind kind;
} functions[] = {
    {"main", REGION_FUNCTION},        {"MPI_Send", REGION_MPI},
    {"MPI_Irecv", REGION_MPI},        {"MPI_Waitall", REGION_MPI},
    {"MPI_Allreduce", REGION_MPI},    {"MPI_Put", REGION_MPI},
    {"MPI_Win_fence", REGION_MPI},    {"MPI_File_write_all", REGION_MPI},
    {"MPI_Comm_split", REGION_MPI},   {"step", REGION_PHASE},
    {"MPI_Win_lock", REGION_MPI},     {"MPI_Neighbor_alltoall", REGION_MPI},
    {"MPI_Win_complete", REGION_MPI}, {"work", REGION_FUNCTION},
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0], PHASE = 9 };

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_events: %s\n", what);
    abort();
}

/* The sections that the summary of the program has. */
static void describe(struct encoder *regions, struct encoder *calltree, struct encoder *phases)
{
    encode_varint(regions, FUNCTIONS);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        encode_string(regions, functions[i].name);
        encode_varint(regions, functions[i].kind);
        encode_string(regions, "program.c");
        for (int number = 0; number < 3; number++)
            encode_varint(regions, 1);
        encode_string(regions, "");
    }
    encode_varint(calltree, NODES);
    for (unsigned i = 0; i < NODES; i++) {
        encode_varint(calltree, i == 0 ? 0 : 1 + i / 16);
        encode_varint(calltree, i % FUNCTIONS);
        encode_varint(calltree, 0);
    }
    encode_varint(phases, 1);
    encode_string(phases, "step");
    encode_varint(phases, PHASE);
    encode_varint(phases, 0);
}

static uint32_t *all_nodes(void *context, size_t location, uint32_t *count)
{
    uint32_t *nodes = malloc(NODES * sizeof *nodes);
    (void)context, (void)location;
    for (uint32_t i = 0; nodes && i < NODES; i++)
        nodes[i] = i;
    *count = nodes ? NODES : 0;
    return nodes;
}

/* Takes the chunk that DATA begins with, SIZE bytes, to CHUNK; returns how many bytes it is. */
static size_t take_chunk(unsigned char *chunk, uint32_t sequences[], const uint8_t *data,
                         size_t size)
{
    const size_t wanted = data[4] | (size_t)(data[5] & 15) << 8;
    const size_t room = EVENT_CHUNK_BYTES - EVENT_CHUNK_HEADER, rest = size - BLOCK_HEADER;
    size_t bytes = wanted < room ? wanted : room;
    bytes = bytes < rest ? bytes : rest;
    const unsigned stream = data[0] % (EVENT_STREAM_THREADS + THREADS);
    sequences[stream] += data[1] & 3;
    const struct event_chunk header = {.owner = stream,
                                       .sequence = sequences[stream]++,
                                       .used = (uint32_t)(EVENT_CHUNK_HEADER + bytes) +
                                               (uint32_t)(int8_t)data[2],
                                       .base_ns = (int64_t)data[3] << 20};
    memset(chunk, 0, EVENT_CHUNK_BYTES);
    memcpy(chunk, &header, sizeof header);
    memcpy(chunk + EVENT_CHUNK_HEADER, data + BLOCK_HEADER, bytes);
    return BLOCK_HEADER + bytes;
}

/* Notes in FILE the losses, and the end of recording, that the BLOCK_HEADER bytes DATA say. */
static void take_losses(unsigned char *file, const uint8_t *data)
{
    const unsigned thread = data[1] % THREADS, series = data[1] / THREADS % EVENT_FILE_SERIES;
    const struct event_lost lost = {data[2], data[3], (uint64_t)(int8_t)data[4], data[5],
                                    data[2]};
    const int64_t ended_ns = (int8_t)data[2];
    memcpy(file + EVENT_FILE_LOST_AT +
               (thread * EVENT_FILE_SERIES + series) * sizeof(struct event_lost),
           &lost, sizeof lost);
    memcpy(file + EVENT_FILE_ENDED_AT + thread * sizeof ended_ns, &ended_ns, sizeof ended_ns);
}

/* The file that DATA, SIZE bytes, stands for; returns its path. */
static const char *make_file(const uint8_t *data, size_t size)
{
    static unsigned char file[EVENT_FILE_CHUNKS_AT + CHUNKS_MOST * EVENT_CHUNK_BYTES];
    struct encoder header = {0};
    uint32_t sequences[EVENT_STREAM_THREADS + THREADS] = {0};
    size_t chunks = 0;
    encode_bytes(&header, EVENT_FILE_MAGIC, EVENT_FILE_MAGIC_BYTES);
    encode_u32(&header, EVENT_FILE_VERSION);
    encode_u32(&header, owner.process);
    encode_u64(&header, owner.started);
    encode_u32(&header, EVENT_FILE_CHUNKS_AT);
    encode_u32(&header, crc32_update(0, header.bytes, EVENT_FILE_HEADER_CRC_AT));
    memset(file, 0, EVENT_FILE_CHUNKS_AT);
    memcpy(file, header.bytes, header.size);
    encoder_free(&header);
    for (; size > BLOCK_HEADER && data[0] == LOSSES; data += BLOCK_HEADER, size -= BLOCK_HEADER)
        take_losses(file, data);
    while (size > BLOCK_HEADER && chunks < CHUNKS_MOST) {
        unsigned char *chunk = file + EVENT_FILE_CHUNKS_AT + chunks++ * EVENT_CHUNK_BYTES;
        const size_t taken = take_chunk(chunk, sequences, data, size);
        data += taken;
        size -= taken;
    }
    return memory_file(0, file, EVENT_FILE_CHUNKS_AT + chunks * EVENT_CHUNK_BYTES);
}

/* How many calls the threads' events have, and whether reading what they refer to ends. */
static uint64_t count_calls(const struct event_file *file)
{
    uint64_t calls = 0;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        bool used[NODES] = {false};
        struct record record;
        struct stream_reader reader =
            recording_stream(&file->recording, EVENT_STREAM_THREADS + thread);
        event_file_mark(file, thread, used, NODES);
        while (recording_next(&reader, &record)) {
            calls += record.tag == EVENT_CALL;
            if (record.leave_ns < record.ns && record.tag != EVENT_CALL)
                fail("a record without times has two");
        }
    }
    return calls;
}

static void write_archive(const char *path, const char *choice, uint64_t calls)
{
    static char directory[64];
    struct encoder sections[3] = {{0}, {0}, {0}};
    struct job_trace trace = {.count = 0};
    struct job_trace_written written;
    struct error error = {""};
    struct stat status;
    const char *const hosts[] = {"node01"};
    snprintf(directory, sizeof directory, "/tmp/tsprof-fuzz-%d.otf2", (int)getpid());
    describe(&sections[0], &sections[1], &sections[2]);
    struct eventful_process process = {.path = strdup(path),
                                       .owner = owner,
                                       .clock = {1000, UINT64_C(1) << 32, 0},
                                       .threads = calloc(THREADS, sizeof *process.threads),
                                       .thread_count = THREADS,
                                       .thread_room = THREADS};
    for (uint32_t i = 0; i < THREADS; i++)
        process.threads[i].thread = i;
    job_trace_add(&trace, &process);
    const struct job_facts facts = {.regions = &sections[0],
                                    .calltree = &sections[1],
                                    .phases = &sections[2],
                                    .hosts = hosts,
                                    .host_count = 1,
                                    .ranks = 2,
                                    .choice = choice,
                                    .program = "program",
                                    .nodes = all_nodes};
    const bool good = job_trace_write(&trace, &facts, directory, true, &written, &error);
    if (good && (stat(directory, &status) != 0 || !S_ISDIR(status.st_mode)))
        fail("there is no archive");
    if (!good && !error.text[0])
        fail("no message");
    if (written.calls > calls)
        fail("more calls than there were");
    archive_remove(directory);
    job_trace_free(&trace);
    for (int i = 0; i < 3; i++)
        encoder_free(&sections[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct event_file file;
    const char *path = make_file(data, size);
    if (!event_file_open(&file, path, &owner))
        fail("a file with a good header is refused");
    const uint64_t calls = count_calls(&file);
    event_file_close(&file);
    static const char *const choices[] = {"slowest:2", "all", "2-5", "new:1"};
    write_archive(path, choices[size % 4], calls);
    return 0;
}

static size_t block(uint8_t *data, size_t at, unsigned stream, const struct encoder *records)
{
    const uint8_t header[BLOCK_HEADER] = {
        (uint8_t)stream, 0, 0, 1, (uint8_t)records->size, (uint8_t)(records->size >> 8)};
    memcpy(data + at, header, BLOCK_HEADER);
    memcpy(data + at + BLOCK_HEADER, records->bytes, records->size);
    return at + BLOCK_HEADER + records->size;
}

/* Numbers of a record of every kind, as a process would have them. */
static const struct {
    uint8_t tag, count, numbers[6];
} examples[] = {
    {EVENT_BEGIN, 6, {9, 0, 0, 3, 9, EVENT_CHOSEN}},
    {EVENT_CALL, 3, {20, 30, 1}},
    {EVENT_SEND, 4, {OBJECT_WORLD, 2, 14, 100}},
    {EVENT_START_SEND, 5, {1, OBJECT_WORLD, 2, 14, 100}},
    {EVENT_CALL, 3, {20, 30, 2}},
    {EVENT_START_RECEIVE, 1, {2}},
    {EVENT_CALL, 3, {20, 30, 3}},
    {EVENT_DONE_RECEIVE, 5, {2, OBJECT_WORLD, 2, 14, 100}},
    {EVENT_DONE_SEND, 1, {1}},
    {EVENT_RECEIVE, 4, {OBJECT_FIRST, 0, 14, 100}},
    {EVENT_CANCELLED, 1, {2}},
    {EVENT_COUNTS, 3, {2, 10, 12}},
    {EVENT_CALL, 3, {20, 30, 4}},
    {EVENT_COLLECTIVE, 4, {OBJECT_WORLD, EVENT_NO_ROOT, 8, 8}},
    {EVENT_START_COLLECTIVE, 1, {5}},
    {EVENT_DONE_COLLECTIVE, 6, {5, OBJECT_FIRST, EVENT_FIRST_ROOT, 8, 8, 4}},
    {EVENT_SAMPLE, 2, {100, 13}},
    {EVENT_CALL, 3, {20, 30, 5}},
    {EVENT_PUT, 3, {OBJECT_FIRST + 1, 2, 8}},
    {EVENT_GET, 3, {OBJECT_FIRST + 1, 2, 8}},
    {EVENT_ATOMIC, 4, {OBJECT_FIRST + 1, 2, 8, 8}},
    {EVENT_CALL, 3, {20, 30, 6}},
    {EVENT_WINDOW, 3, {OBJECT_FIRST + 1, 1, 0}},
    {EVENT_CALL, 3, {20, 30, 10}},
    {EVENT_WINDOW, 3, {OBJECT_FIRST + 1, 2, 1}},
    {EVENT_CALL, 3, {20, 30, 12}},
    {EVENT_PARTNER, 2, {OBJECT_FIRST + 1, 2}},
    {EVENT_CALL, 3, {20, 30, 7}},
    {EVENT_NEW_FILE, 1, {OBJECT_FIRST + 2}},
    {EVENT_FILE, 3, {OBJECT_FIRST + 2, 0, 100}},
    {EVENT_START_FILE, 3, {7, OBJECT_FIRST + 2, 1}},
    {EVENT_DONE_FILE, 3, {7, OBJECT_FIRST + 2, 100}},
    {EVENT_FREE_FILE, 1, {OBJECT_FIRST + 2}},
    {EVENT_CALL, 3, {20, 30, 8}},
    {EVENT_NEW_COMM, 1, {OBJECT_FIRST}},
    {EVENT_FREE_COMM, 1, {OBJECT_FIRST}},
    {EVENT_NEW_WINDOW, 1, {OBJECT_FIRST + 1}},
    {EVENT_FREE_WINDOW, 1, {OBJECT_FIRST + 1}},
    {EVENT_ENTER, 2, {10, 3}},
    {EVENT_VISIT, 2, {10, 4}},
    {EVENT_SAMPLE, 2, {10, 3}},
    {EVENT_LEAVE, 2, {10, 3}},
    {EVENT_LEAVE, 2, {10, 5}},
    {EVENT_UNDO, 2, {1, 0}},
    {EVENT_END, 4, {40, 0, 0, 90}},
};

static const struct {
    uint8_t tag, count, numbers[6];
} object_examples[] = {
    {OBJECT_GROUP, 2, {0, 2}},
    {OBJECT_RANKS, 3, {0, 2, 2}},
    {OBJECT_GRID, 1, {1}},
    {OBJECT_DIMENSION, 2, {2, 1}},
    {OBJECT_COMM, 4, {OBJECT_FIRST, 0, 0, 0}},
    {OBJECT_SOURCES, 2, {OBJECT_FIRST, 0}},
    {OBJECT_WINDOW, 3, {OBJECT_FIRST + 1, 0, 0}},
    {OBJECT_LETTERS, 1, {'f'}},
    {OBJECT_FILE, 3, {OBJECT_FIRST + 2, 0, 0}},
    {OBJECT_GROUP, 2, {1, 2}},
    {OBJECT_RANKS, 3, {1, 0, 2}},
    {OBJECT_COMM, 4, {OBJECT_FIRST + 3, 0, 2, 0}},
};

/* The record of example I, in its short form if it has one and SHORT_FORM. */
static void encode_example(struct encoder *out, size_t i, bool short_form)
{
    const unsigned tag = examples[i].tag;
    uint64_t words[2] = {tag | EVENT_SHORT, 0};
    unsigned bits[2] = {8, 0}, word = 0;
    if (!short_form || event_short[tag][0] == 0) {
        encode_bytes(out, &examples[i].tag, 1);
        for (unsigned n = 0; n < examples[i].count; n++)
            encode_varint(out, examples[i].numbers[n]);
        return;
    }
    for (unsigned n = 0; n < examples[i].count; n++) {
        word = bits[word] + event_short[tag][n] > 64 ? 1 : word;
        words[word] |= (uint64_t)examples[i].numbers[n] << bits[word];
        bits[word] += event_short[tag][n];
    }
    encode_bytes(out, &words[0], bits[0] / 8);
    encode_bytes(out, &words[1], bits[1] / 8);
}

static void encode_objects(struct encoder *out)
{
    for (size_t i = 0; i < sizeof object_examples / sizeof object_examples[0]; i++) {
        encode_bytes(out, &object_examples[i].tag, 1);
        for (unsigned n = 0; n < object_examples[i].count; n++)
            encode_varint(out, object_examples[i].numbers[n]);
    }
}

/*
 * Two iterations on one thread, in the long or the short form; the last seeds have two threads,
 * one of which has let go of others.
 */
size_t fuzz_seed(size_t number, uint8_t *data, size_t most)
{
    struct encoder objects = {0}, records = {0};
    size_t size = 0;
    if (number > 3 || most < SEED_BYTES)
        return 0;
    encode_objects(&objects);
    for (int iteration = 0; iteration < 2; iteration++)
        for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
            encode_example(&records, i, number % 2);
    if (number > 1) {
        const uint8_t losses[BLOCK_HEADER] = {LOSSES, 1, 2, 2, 5, 3};
        memcpy(data, losses, sizeof losses);
        size = sizeof losses;
    }
    size = block(data, size, EVENT_STREAM_OBJECTS, &objects);
    size = block(data, size, EVENT_STREAM_THREADS, &records);
    if (number > 1)
        size = block(data, size, EVENT_STREAM_THREADS + 1, &records);
    encoder_free(&objects);
    encoder_free(&records);
    return size;
}
