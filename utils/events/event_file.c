/* See event_file.h. */
#include "events/event_file.h"

#include "base/base.h"
#include "common/codec.h"
#include "common/crc32.h"
#include "common/part_format.h"
#include "print/print.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *event_file_name(const char *path)
{
    const size_t length = strlen(path), end = strlen(PART_SUFFIX);
    const size_t stem =
        length > end && strcmp(path + length - end, PART_SUFFIX) == 0 ? length - end : length;
    char *name = allocate(stem + sizeof EVENT_FILE_SUFFIX, 1);
    memcpy(name, path, stem);
    memcpy(name + stem, EVENT_FILE_SUFFIX, sizeof EVENT_FILE_SUFFIX);
    return name;
}

/* Reads all that there is, which may become less meanwhile. */
static bool read_all(struct event_file *file, int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    file->bytes = allocate((size_t)status.st_size + 1, 1);
    while (file->size < (size_t)status.st_size) {
        const ssize_t count = pread(descriptor, file->bytes + file->size,
                                    (size_t)status.st_size - file->size, (off_t)file->size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        file->size += (size_t)count;
    }
    return true;
}

/* VERSION receives that of the file, and CHUNKS where its chunks begin. */
static bool has_header(const struct event_file *file, const struct event_owner *owner,
                       uint32_t *version, uint32_t *chunks)
{
    struct decoder in = {file->bytes, file->size, EVENT_FILE_MAGIC_BYTES, false};
    if (file->size < EVENT_FILE_LOST_AT ||
        memcmp(file->bytes, EVENT_FILE_MAGIC, EVENT_FILE_MAGIC_BYTES) != 0)
        return false;
    *version = decode_u32(&in);
    const bool process = decode_u32(&in) == owner->process;
    const bool started = decode_u64(&in) == owner->started;
    *chunks = decode_u32(&in);
    return process && started && *chunks <= file->size &&
           decode_u32(&in) == crc32_update(0, file->bytes, EVENT_FILE_HEADER_CRC_AT);
}

/* Where the chunks of a file of VERSION begin: older ones have no losses before them. */
static uint32_t chunks_at(uint32_t version)
{
    return version < EVENT_FILE_WITH_LOSSES ? EVENT_FILE_LOST_AT : EVENT_FILE_CHUNKS_AT;
}

static bool take(struct event_file *file, const char *path, const struct event_owner *owner)
{
    uint32_t version, chunks;
    if (!has_header(file, owner, &version, &chunks)) {
        complain("%s: is damaged; its events are left out", path);
        return false;
    }
    if (version < EVENT_FILE_OLDEST || version > EVENT_FILE_VERSION) {
        complain("%s: has version %u; this tsprof reads %d to %d; its events are left out",
                 path, version, EVENT_FILE_OLDEST, EVENT_FILE_VERSION);
        return false;
    }
    if (chunks != chunks_at(version)) {
        complain("%s: is damaged; its events are left out", path);
        return false;
    }
    file->series = (const void *)(file->bytes + EVENT_FILE_SERIES_AT);
    if (version >= EVENT_FILE_WITH_LOSSES) {
        file->lost = (const void *)(file->bytes + EVENT_FILE_LOST_AT);
        file->ended = (const void *)(file->bytes + EVENT_FILE_ENDED_AT);
    }
    if (!recording_read(&file->recording, file->bytes + chunks,
                        (uint32_t)((file->size - chunks) / EVENT_CHUNK_BYTES)))
        out_of_memory();
    return true;
}

bool event_file_open(struct event_file *file, const char *path, const struct event_owner *owner)
{
    *file = (struct event_file){.bytes = NULL};
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    const bool good = read_all(file, descriptor) && take(file, path, owner);
    close(descriptor);
    return good;
}

void event_file_close(struct event_file *file)
{
    recording_free(&file->recording);
    free(file->bytes);
    *file = (struct event_file){.bytes = NULL};
}

const struct event_series *event_file_series(const struct event_file *file, uint32_t thread)
{
    static const struct event_series none[EVENT_FILE_SERIES];
    return thread < EVENT_FILE_THREADS ? file->series + (size_t)thread * EVENT_FILE_SERIES
                                       : none;
}

const struct event_lost *event_file_lost(const struct event_file *file, uint32_t thread)
{
    return file->lost && thread < EVENT_FILE_THREADS
               ? file->lost + (size_t)thread * EVENT_FILE_SERIES
               : NULL;
}

int64_t event_file_ended_ns(const struct event_file *file, uint32_t thread)
{
    return file->ended && thread < EVENT_FILE_THREADS ? file->ended[thread] : 0;
}

struct event_uses event_file_mark(const struct event_file *file, uint32_t thread, bool *used,
                                  size_t count)
{
    struct event_uses uses = {.any = false};
    struct stream_reader reader =
        recording_stream(&file->recording, EVENT_STREAM_THREADS + thread);
    struct record record;
    for (size_t i = 0; i < EVENT_FILE_SERIES; i++)
        uses.begun[i] = UINT32_MAX;
    while (recording_next(&reader, &record)) {
        const int place = record_node(&record);
        const uint64_t node = place < 0 ? 0 : record.numbers[place];
        uses.any = true;
        if (place < 0)
            continue;
        if (node >= count && record_enters(&record))
            break;
        if (node >= count)
            continue;
        used[node] = true;
        if (record.tag == EVENT_BEGIN && !(record.numbers[4] & (EVENT_PASS | EVENT_SUMMED)) &&
            record.numbers[0] < EVENT_FILE_SERIES)
            uses.begun[record.numbers[0]] = (uint32_t)node;
    }
    return uses;
}
