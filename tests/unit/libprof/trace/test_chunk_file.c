/*
 * Events in a file while they are recorded: it has what memory has, and whatever becomes of it
 * the process goes on.
 */
#include "trace/chunk_file.h"

#include "archive/recording.h"
#include "host/host.h"
#include "trace/record.h"

#include "tests/unit/libprof/alone.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { MEMORY = 1 << 20, NODES = 30000, OWNER = EVENT_STREAM_THREADS };

static char path[64];
static struct stream stream = {.owner = OWNER};

/* Records events up to number END; returns false if there was no memory. */
static bool record_until(uint64_t end)
{
    static uint64_t next;
    for (; next < end; next++) {
        if (!stream_has_room_async(&stream))
            return false;
        record_append_async(&stream, EVENT_SAMPLE, (uint64_t[]){0, next}, 2);
    }
    return true;
}

static void begin(bool mapped)
{
    const struct chunk_file_owner owner = {7, 8};
    snprintf(path, sizeof path, "/tmp/tsprof-events-%d", (int)getpid());
    NEED(chunks_start(MEMORY));
    NEED(record_until(100));
    chunk_file_start(path, &owner, mapped);
}

/* How many events there are, in their order, in COUNT chunks at CHUNKS. */
static uint64_t count_events(const void *chunks, uint32_t count)
{
    struct recording recording;
    struct record record;
    uint64_t events = 0;
    NEED(recording_read(&recording, chunks, count));
    struct stream_reader reader = recording_stream(&recording, OWNER);
    while (recording_next(&reader, &record) && record.numbers[0] == events)
        events++;
    recording_free(&recording);
    return events;
}

static uint64_t count_in_file(void)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    fstat(fileno(file), &status);
    char *bytes = calloc(1, (size_t)status.st_size + 1);
    NEED(bytes && fread(bytes, 1, (size_t)status.st_size, file) == (size_t)status.st_size);
    fclose(file);
    const uint64_t events =
        status.st_size < EVENT_FILE_CHUNKS_AT || memcmp(bytes, EVENT_FILE_MAGIC, 8) != 0
            ? 0
            : count_events(
                  bytes + EVENT_FILE_CHUNKS_AT,
                  (uint32_t)((status.st_size - EVENT_FILE_CHUNKS_AT) / EVENT_CHUNK_BYTES));
    free(bytes);
    return events;
}

static uint64_t count_in_memory(void)
{
    return count_events(chunk_at_async(0), chunks_count_async());
}

static off_t file_size(void)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : -1;
}

static void test_the_file_has_what_memory_has(void)
{
    begin(true);
    EQ_INT(count_in_file(), 100, "what was recorded before is there");
    OK(record_until(NODES), "there is memory");
    EQ_INT(count_in_file(), NODES, "and all since");
    OK(!record_until(10 * NODES), "until there is no more");
    EQ_INT(count_in_file(), count_in_memory(), "up to the last one");
    OK(file_size() <= EVENT_FILE_CHUNKS_AT + MEMORY,
       "the file is no larger than memory may be");
    chunk_file_remove();
    EQ_INT(file_size(), -1, "it is removed");
}

static void test_where_files_are_not_mapped(void)
{
    begin(false);
    EQ_INT(file_size(), -1, "there is no file");
    OK(record_until(NODES), "events are recorded");
    OK(chunk_file_keep(), "it is written in the end");
    EQ_INT(count_in_file(), NODES, "as a whole");
    unlink(path);
}

static void test_somebody_truncates_it(void)
{
    begin(true);
    OK(record_until(NODES), "events are recorded");
    NEED(truncate(path, 0) == 0);
    OK(record_until(2 * NODES), "and go on being");
    EQ_INT(chunks_count_async() > 0, 1, "in memory");
    chunk_file_remove();
}

static void test_somebody_writes_into_it(void)
{
    begin(true);
    OK(record_until(NODES), "events are recorded");
    FILE *file = fopen(path, "r+b");
    NEED(file);
    for (off_t i = file_size(); i-- > 0;)
        fputc(255, file);
    fclose(file);
    OK(record_until(2 * NODES), "and go on being");
    struct stream_place place = stream_place_async(&stream);
    OK(record_until(3 * NODES), "further");
    stream_rewind_async(&stream, &place);
    OK(stream_has_room_async(&stream), "chunks are given back and found again");
    (void)count_in_memory();
    OK(true, "what is in memory then can be read");
    chunk_file_remove();
}

static void test_somebody_removes_it(void)
{
    begin(true);
    unlink(path);
    OK(record_until(NODES), "events are recorded");
    EQ_INT(count_in_memory(), NODES, "all of them");
    chunk_file_remove();
}

static void test_no_room(void)
{
    begin(true);
    const off_t size = file_size();
    const struct rlimit limit = {(rlim_t)size, (rlim_t)size};
    NEED(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    OK(record_until(NODES), "events are recorded where files must not grow");
    EQ_INT(count_in_memory(), NODES, "all of them");
    EQ_INT(file_size(), size, "the file is as large as it may be");
    OK(count_in_file() >= 100, "with what has room there");
    OK(!chunk_file_keep(), "that not all is in it is noticed");
    unlink(path);
}

static void test_sigbus_is_blocked(void)
{
    sigset_t bus;
    sigemptyset(&bus);
    sigaddset(&bus, SIGBUS);
    begin(true);
    sigprocmask(SIG_BLOCK, &bus, NULL);
    OK(record_until(NODES), "events are recorded");
    OK(count_in_file() < NODES, "in memory of the process alone");
    OK(chunk_file_keep(), "in the end they are written");
    EQ_INT(count_in_file(), NODES, "all of them");
    unlink(path);
}

static void test_a_child_leaves_it_alone(void)
{
    begin(true);
    OK(record_until(NODES), "events are recorded");
    const pid_t child = fork();
    if (child == 0) {
        chunk_file_forget_async();
        bus_guard_forget_async();
        memset(chunk_at_async(0), 255, EVENT_CHUNK_BYTES);
        _exit(0);
    }
    NEED(waitpid(child, NULL, 0) == child);
    EQ_INT(count_in_file(), NODES, "what a child does with its memory is not in the file");
    chunk_file_remove();
}

int main(void)
{
    alone(test_the_file_has_what_memory_has);
    alone(test_where_files_are_not_mapped);
    alone(test_somebody_truncates_it);
    alone(test_somebody_writes_into_it);
    alone(test_somebody_removes_it);
    alone(test_no_room);
    alone(test_sigbus_is_blocked);
    alone(test_a_child_leaves_it_alone);
    return tap_done();
}
