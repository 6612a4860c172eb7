/* Reads part files, which may be damaged.  See part_reading.h. */
#include "parts/part_reading.h"

#include "common/codec.h"
#include "common/crc32.h"
#include "common/format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    CALL_BYTES = 2, /* fewest of an MPI function */
    READINGS_MOST = 16,
    RECENT_S = 60
};

/*
 * The most runs of iterations that a part's maps may unfold into: 800 MB.  A few bytes can ask
 * for more.
 */
#define RUNS_MOST ((uint64_t)1 << 25)

/* The most bytes to read at once.  Only a damaged file asks for more. */
#define PIECE_MOST ((uint64_t)1 << 30)

/* Reads up to SIZE bytes at OFFSET; what lies beyond the end of the file is zero. */
static bool read_at(const struct part_reading *part, void *bytes, size_t size, uint64_t offset)
{
    char *to = bytes;
    memset(to, 0, size);
    while (size > 0) {
        ssize_t got = pread(part->file, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        to += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

unsigned char *part_read_bytes(const struct part_reading *part, uint64_t offset, uint64_t size)
{
    if (size > PIECE_MOST || offset > part->bytes || size > part->bytes - offset)
        return NULL;
    unsigned char *bytes = allocate((size_t)size, 1);
    if (read_at(part, bytes, (size_t)size, offset))
        return bytes;
    free(bytes);
    return NULL;
}

unsigned char *part_read_slot(const struct part_reading *part, const struct part_slot *slot)
{
    unsigned char *bytes = part_read_bytes(part, slot->offset, slot->size);
    if (bytes && crc32_update(0, bytes, (size_t)slot->size) == slot->crc)
        return bytes;
    free(bytes);
    return NULL;
}

static bool open_file(struct part_reading *part, struct error *error)
{
    const char *path = part->shell.path;
    struct stat status;
    part->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (part->file < 0)
        return error_set(error, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(part->file, &status) != 0)
        return error_set(error, "%s: cannot be examined: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, "%s: is not a regular file", path);
    part->bytes = (uint64_t)status.st_size;
    const time_t age = time(NULL) - status.st_mtime;
    part->recent = age > -RECENT_S && age < RECENT_S;
    return true;
}

/* Where FACTS are, as the header says. */
struct facts_place {
    uint64_t offset, size;
    uint32_t crc;
};

static bool check_header(const struct part_reading *part, const unsigned char *header,
                         struct error *error)
{
    const char *path = part->shell.path;
    struct decoder in = {header, PART_HEADER_BYTES, PART_MAGIC_BYTES, false};
    if (part->bytes == 0)
        return error_set(
            error,
            "%s: is empty: the process had saved nothing yet, or somebody has truncated it",
            path);
    if (memcmp(header, PART_MAGIC, PART_MAGIC_BYTES) != 0)
        return error_set(error, "%s: is not a part of a tsprof summary", path);
    uint32_t version = decode_u32(&in);
    in.at = PART_HEADER_CRC_AT;
    uint32_t crc = decode_u32(&in);
    if (crc == 0)
        return error_set(error, "%s: holds nothing: the process had saved nothing yet", path);
    if (version != PART_VERSION)
        return error_set(error, "%s: has version %u; this tsprof reads parts of version %u",
                         path, version, PART_VERSION);
    if (crc != crc32_update(0, header, PART_HEADER_CRC_AT))
        return error_set(error, "%s: is damaged: the checksum of its header is wrong", path);
    return true;
}

static bool read_header(struct part_reading *part, struct facts_place *facts,
                        struct error *error)
{
    unsigned char header[PART_HEADER_BYTES];
    struct decoder in = {header, sizeof header, PART_MAGIC_BYTES + 4, false};
    const char *path = part->shell.path;
    if (!read_at(part, header, sizeof header, 0))
        return error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    if (!check_header(part, header, error))
        return false;
    uint32_t location_version = decode_u32(&in);
    part->rank = decode_u32(&in);
    part->ranks = decode_u32(&in);
    part->process = decode_u32(&in);
    part->live = decode_u32(&in) & PART_FLAG_LIVE;
    part->started = decode_u64(&in);
    facts->offset = decode_u64(&in);
    facts->size = decode_u64(&in);
    facts->crc = decode_u32(&in);
    uint32_t threads = decode_u32(&in);
    uint64_t threads_at = decode_u64(&in);
    part->first_tick = decode_u64(&in);
    part->multiplier = decode_u64(&in);
    part->epoch_ns = (int64_t)decode_u64(&in);
    part->monotonic_ns = (int64_t)decode_u64(&in);
    part->host_identity = decode_u64(&in);
    part->clock = decode_u64(&in);
    if (location_version != format_section_version(SECTION_LOCATION))
        return error_set(error,
                         "%s: was written by another version of tsprof; merge it with "
                         "that version",
                         path);
    if (threads != PART_THREADS || threads_at != PART_RECORDS || part->ranks == 0 ||
        (part->rank != PART_NO_RANK && part->rank >= part->ranks))
        return error_set(error, "%s: is damaged: its header is invalid", path);
    return true;
}

static void read_ending(struct part_reading *part)
{
    unsigned char bytes[PART_ENDING_BYTES];
    struct decoder in = {bytes, sizeof bytes, 0, false};
    if (!read_at(part, bytes, sizeof bytes, PART_ENDING_AT))
        return;
    uint32_t ending = decode_u32(&in);
    part->ending = ending < PART_ENDINGS ? (enum part_ending)ending : PART_LOST;
    part->lost_threads = decode_u32(&in);
}

/* All records are read at once, since most parts use few of them. */
static bool find_used(struct part_reading *part, struct error *error)
{
    const size_t size = (size_t)PART_THREADS * PART_RECORD_BYTES;
    unsigned char *records = allocate(size, 1);
    struct decoder in = {records, size, 0, false};
    bool good = read_at(part, records, size, PART_RECORDS);
    for (unsigned i = 0; i < PART_THREADS; i++) {
        in.at = (size_t)i * PART_RECORD_BYTES;
        part->used[i] = decode_u32(&in) == 1;
    }
    free(records);
    return good ||
           error_set(error, "%s: cannot be read: %s", part->shell.path, strerror(errno));
}

static const char *copy_text(struct part_reading *part, struct decoder *in)
{
    size_t length;
    const char *text = decode_string(in, &length);
    in->failed = in->failed || memchr(text, '\0', length);
    return memory_pool_copy(&part->shell.pool, text, length);
}

static void read_calls(struct part_reading *part, struct decoder *in)
{
    part->call_count = (size_t)decode_count(in, CALL_BYTES);
    part->calls =
        memory_pool_allocate(&part->shell.pool, part->call_count, sizeof *part->calls);
    for (size_t i = 0; i < part->call_count; i++) {
        part->calls[i].name = copy_text(part, in);
        part->calls[i].group = copy_text(part, in);
    }
}

static bool decode_facts(struct part_reading *part, struct decoder *in, struct error *error)
{
    if (!summary_read_content(&part->shell, SECTION_RUN, NULL, in, error) ||
        !summary_read_content(&part->shell, SECTION_METRICS, NULL, in, error))
        return false;
    part->host = copy_text(part, in);
    part->key = copy_text(part, in);
    read_calls(part, in);
    return (!in->failed && in->at == in->size) ||
           error_set(error, "%s: is damaged: its facts end too early or too late",
                     part->shell.path);
}

static bool read_facts(struct part_reading *part, const struct facts_place *place,
                       struct error *error)
{
    unsigned char *bytes = part_read_bytes(part, place->offset, place->size);
    if (!bytes)
        return error_set(error, "%s: is cut off: its facts are missing", part->shell.path);
    struct decoder in = {bytes, (size_t)place->size, 0, false};
    bool good = crc32_update(0, bytes, in.size) == place->crc
                    ? decode_facts(part, &in, error)
                    : error_set(error, "%s: is damaged: the checksum of its facts is wrong",
                                part->shell.path);
    free(bytes);
    return good;
}

bool part_open(struct part_reading *part, const char *path, struct error *error)
{
    struct facts_place facts = {0};
    *part = (struct part_reading){.shell = {.path = path}, .file = -1, .runs_left = RUNS_MOST};
    if (open_file(part, error) && read_header(part, &facts, error) &&
        read_facts(part, &facts, error) && find_used(part, error)) {
        read_ending(part);
        return true;
    }
    part_close(part);
    return false;
}

void part_close(struct part_reading *part)
{
    if (part->file >= 0)
        close(part->file);
    memory_pool_free(&part->shell.pool);
    *part = (struct part_reading){.file = -1};
}

/* Reads a record that the thread may be writing: if two readings agree, they are consistent. */
static bool read_record(const struct part_reading *part, unsigned number,
                        unsigned char record[PART_RECORD_BYTES])
{
    unsigned char again[PART_RECORD_BYTES];
    uint64_t offset = PART_RECORDS + (uint64_t)number * PART_RECORD_BYTES;
    bool good = read_at(part, record, PART_RECORD_BYTES, offset);
    for (int readings = 1; good && readings < READINGS_MOST; readings++) {
        good = read_at(part, again, PART_RECORD_BYTES, offset);
        if (memcmp(record, again, PART_RECORD_BYTES) == 0)
            break;
        memcpy(record, again, PART_RECORD_BYTES);
    }
    return good;
}

static int64_t ticks_to_ns(const struct part_reading *part, uint64_t ticks)
{
    uint64_t passed = ticks > part->first_tick ? ticks - part->first_tick : 0;
    return (int64_t)((unsigned __int128)passed * part->multiplier >> 32);
}

static void decode_slots(struct part_thread *thread, const unsigned char *bytes)
{
    static const unsigned char unused[PART_SLOT_BYTES];
    thread->slot_count = 0;
    for (int i = 0; i < 2; i++, bytes += PART_SLOT_BYTES) {
        struct decoder in = {bytes, PART_SLOT_BYTES, 0, false};
        struct part_slot slot = {.offset = decode_u64(&in)};
        slot.size = decode_u64(&in);
        slot.sequence = decode_u32(&in);
        slot.crc = decode_u32(&in);
        in.at = PART_SLOT_CRC_AT;
        const bool valid = decode_u32(&in) == crc32_update(0, bytes, PART_SLOT_CRC_AT);
        thread->slot_damaged |= !valid && memcmp(bytes, unused, PART_SLOT_BYTES) != 0;
        if (valid && slot.size > 0)
            thread->slots[thread->slot_count++] = slot;
    }
    if (thread->slot_count == 2 && thread->slots[1].sequence > thread->slots[0].sequence) {
        struct part_slot newer = thread->slots[1];
        thread->slots[1] = thread->slots[0];
        thread->slots[0] = newer;
    }
}

bool part_read_thread(const struct part_reading *part, unsigned number,
                      struct part_thread *thread)
{
    unsigned char record[PART_RECORD_BYTES];
    if (!part->used[number] || !read_record(part, number, record))
        return false;
    struct decoder in = {record, sizeof record, 0, false};
    if (decode_u32(&in) != 1)
        return false;
    *thread = (struct part_thread){.system_thread = decode_u32(&in)};
    thread->since_ns = ticks_to_ns(part, decode_u64(&in));
    thread->caller = decode_u64(&in);
    uint32_t call = decode_u32(&in);
    decode_u32(&in);
    uint32_t node = decode_u32(&in), seen = decode_u32(&in);
    thread->seen_ns = (int64_t)decode_u64(&in);
    thread->log = decode_u64(&in);
    thread->call = call > 0 && call <= part->call_count ? call - 1 : SUMMARY_NONE;
    thread->node = node > 0 ? node - 1 : SUMMARY_NONE;
    thread->seen = seen <= PART_SEEN_IN_MPI ? (enum part_seen)seen : PART_SEEN_NOWHERE;
    decode_slots(thread, record + PART_SLOTS);
    return true;
}

int64_t part_now_ns(const struct part_reading *part, bool here)
{
    struct timespec now;
    clock_gettime(here ? CLOCK_MONOTONIC : CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec -
           (here ? part->monotonic_ns : part->epoch_ns);
}
