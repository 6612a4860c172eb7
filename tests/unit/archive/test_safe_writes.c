/* Archives whose files cannot be written: that is told, and nothing else happens. */
#include "archive/writing.h"

#include "common/event_format.h"

#include "tests/unit/libprof/alone.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { CHUNKS = 400, HEADER = EVENT_CHUNK_HEADER };

static unsigned char chunks[CHUNKS][EVENT_CHUNK_BYTES];
static char path[64];

/* Fills all chunks with calls of node 1. */
static void fill_chunks(void)
{
    for (uint32_t i = 0; i < CHUNKS; i++) {
        struct event_chunk *chunk = (void *)chunks[i];
        *chunk = (struct event_chunk){
            .owner = EVENT_STREAM_THREADS, .sequence = i, .base_ns = INT64_C(1000000) * i};
        uint32_t at = HEADER;
        while (at + 4 <= EVENT_CHUNK_BYTES) {
            memcpy(chunks[i] + at, (unsigned char[]){EVENT_CALL, 1, 1, 1}, 4);
            at += 4;
        }
        chunk->used = at;
    }
}

/* Writes the events as an archive; returns whether it is whole. */
static bool write_archive(void)
{
    static struct program_region regions[] = {
        {.name = {"main", 4}, .kind = REGION_FUNCTION, .collective = -1},
        {.name = {"MPI_Barrier", 11}, .kind = REGION_MPI, .collective = -1}};
    static struct program_node nodes[] = {{0, 0, 0, 0}, {0, 1, 0, 1}};
    static const struct texts none;
    const struct program program = {
        .regions = regions, .nodes = nodes, .region_count = 2, .node_count = 2};
    const uint32_t numbers[] = {0, 1};
    const struct own_objects objects = {.count = 0};
    struct recording recording;
    const char *why = NULL;
    NEED(recording_read(&recording, chunks, CHUNKS));
    struct archive *archive = archive_open("", path, 0, 1, &why);
    NEED(archive);
    const struct event_maps maps = {
        .program = &program, .nodes = numbers, .node_count = 2, .objects = &objects};
    const struct archive_location location = {
        .written = archive_write_thread(archive, 0, 0, &recording, EVENT_STREAM_THREADS, &maps,
                                        NULL, 0)};
    const struct archive_contents contents = {.program = &program,
                                              .objects = &none,
                                              .hosts = &none,
                                              .locations = &location,
                                              .location_count = 1,
                                              .ranks = 1,
                                              .name = "test"};
    const bool whole = archive_close(archive, &contents);
    recording_free(&recording);
    return whole;
}

static bool exists(void)
{
    struct stat status;
    return stat(path, &status) == 0;
}

static void begin(void)
{
    snprintf(path, sizeof path, "/tmp/tsprof-archive-%d", (int)getpid());
    fill_chunks();
}

static void test_with_room(void)
{
    begin();
    OK(write_archive(), "an archive is written");
    OK(exists(), "and there");
    archive_remove(path);
    OK(!exists(), "it is removed");
}

/* Files may have LIMIT bytes. */
static void write_limited(rlim_t limit)
{
    begin();
    struct rlimit usual, size;
    signal(SIGXFSZ, SIG_IGN);
    NEED(getrlimit(RLIMIT_FSIZE, &usual) == 0);
    size = (struct rlimit){limit, usual.rlim_max};
    NEED(setrlimit(RLIMIT_FSIZE, &size) == 0);
    const bool whole = write_archive();
    NEED(setrlimit(RLIMIT_FSIZE, &usual) == 0);
    OK(!whole, "files of %u bytes: it is not whole", (unsigned)limit);
    EQ_INT(strcmp(archive_error(), "File too large"), 0, "it is known why");
    archive_remove(path);
    OK(!exists(), "nothing is left of it");
}

static void test_no_room_for_events(void)
{
    write_limited(100000);
}

static void test_no_room_for_definitions(void)
{
    write_limited(10);
}

static void test_what_is_not_the_archives_stays(void)
{
    char other[96];
    begin();
    OK(write_archive(), "an archive is written");
    snprintf(other, sizeof other, "%s/notes.txt", path);
    FILE *file = fopen(other, "w");
    NEED(file);
    fclose(file);
    archive_remove(path);
    OK(exists(), "a file that is none of its own stays");
    unlink(other);
    rmdir(path);
}

int main(void)
{
    alone(test_with_room);
    alone(test_no_room_for_events);
    alone(test_no_room_for_definitions);
    alone(test_what_is_not_the_archives_stays);
    return tap_done();
}
