/* See chunk_file.h. */
#include "trace/chunk_file.h"

#include "common/codec.h"
#include "common/crc32.h"
#include "host/host.h"
#include "trace/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PIECE_BYTES = 65536 /* zeros that are written at a time */ };

/* So much of a disk is left to others, above all to the summary. */
#define LEFT_FREE_BYTES (UINT64_C(16) << 20)

static struct {
    const char *path; /* NULL: there is no file, nor will there be */
    bool mapped;      /* the memory is the file's */
    bool lacks;       /* but for some of it */
    int file;
    struct raw_identity id;
} events = {.file = -1};

/* Puts the header where the file has it. */
static void describe(const struct chunk_file_owner *owner)
{
    unsigned char bytes[EVENT_FILE_HEADER_BYTES + 16];
    struct encoder out = {.bytes = bytes, .capacity = sizeof bytes};
    encode_bytes(&out, EVENT_FILE_MAGIC, EVENT_FILE_MAGIC_BYTES);
    encode_u32(&out, EVENT_FILE_VERSION);
    encode_u32(&out, owner->process);
    encode_u64(&out, owner->started);
    encode_u32(&out, EVENT_FILE_CHUNKS_AT);
    encode_u32(&out, crc32_update(0, bytes, out.size));
    memcpy(chunks_image_async(), bytes, out.size);
}

static bool create(void)
{
    const int file = raw_open_async(AT_FDCWD, events.path, O_RDWR | O_CREAT | O_EXCL);
    if (file < 0)
        return false;
    events.file = raw_move_up_async(file);
    events.id = raw_identity_async(events.file);
    return events.id.inode != 0;
}

/* Whether the descriptor is the file's; opens it again if the program has closed it. */
static bool has_file_async(void)
{
    if (raw_is_async(events.file, &events.id))
        return true;
    const int file = raw_open_async(AT_FDCWD, events.path, O_RDWR);
    if (file >= 0 && raw_is_async(file, &events.id)) {
        events.file = raw_move_up_async(file);
        return true;
    }
    if (file >= 0)
        raw_close_async(file);
    return false;
}

/* Whether the disk has room for BYTES more, as far as the system can tell. */
static bool has_room_async(uint64_t bytes)
{
    struct statfs disk;
    return fstatfs(events.file, &disk) != 0 ||
           disk.f_bavail * (uint64_t)disk.f_bsize >= LEFT_FREE_BYTES + bytes;
}

static bool write_image(void)
{
    return raw_write_async(events.file, 0, chunks_image_async(), chunks_image_bytes_async());
}

/* Maps what has been recorded so far, and is in the file.  If that fails the header is lost. */
static bool map_image(void)
{
    char *image = chunks_image_async();
    const size_t bytes = chunks_image_bytes_async();
    /* Guarded before it is mapped: a guard that does not hold is not used. */
    return bus_guard_async(image, EVENT_CHUNK_BYTES) &&
           bus_guard_map_async(image, image, bytes, events.file, 0);
}

static void unlink_file(void)
{
    struct stat now;
    if (lstat(events.path, &now) == 0 && now.st_dev == events.id.device &&
        now.st_ino == events.id.inode)
        unlink(events.path);
}

static void close_file_async(void)
{
    if (events.file >= 0 && raw_is_async(events.file, &events.id))
        raw_close_async(events.file);
    events.file = -1;
}

void chunk_file_start(const char *path, const struct chunk_file_owner *owner, bool mapped)
{
    events.path = path;
    describe(owner);
    if (!mapped)
        return;
    events.mapped =
        create() && has_room_async(chunks_image_bytes_async()) && write_image() && map_image();
    if (events.mapped)
        return;
    bus_guard_drop_async(chunks_image_async());
    describe(owner);
    if (events.file >= 0)
        unlink_file();
    close_file_async();
}

/* Writes zeros; false if there is no room. */
static bool allocate_async(uint64_t from, uint64_t to)
{
    static const char zeros[PIECE_BYTES];
    if (!has_room_async(to - from))
        return false;
    for (uint64_t at = from; at < to; at += PIECE_BYTES)
        if (!raw_write_async(events.file, at, zeros,
                             to - at < PIECE_BYTES ? to - at : PIECE_BYTES))
            return false;
    return true;
}

void chunk_file_reach_async(char *from, char *to)
{
    const int saved = errno;
    char *image = chunks_image_async();
    if (!events.mapped)
        return;
    if (!bus_guard_allows_async() || !has_file_async() ||
        !allocate_async((uint64_t)(from - image), (uint64_t)(to - image)) ||
        !bus_guard_map_async(image, from, (size_t)(to - from), events.file, from - image))
        events.lacks = true;
    errno = saved;
}

bool chunk_file_keep(void)
{
    bool whole = true;
    if (!events.path)
        return true;
    const bool is_there = events.mapped && !events.lacks &&
                          bus_guard_holds_async(chunks_image_async()) && has_file_async();
    if (!is_there)
        whole = (events.mapped ? has_file_async() : create()) &&
                has_room_async(chunks_image_bytes_async()) && write_image();
    bus_guard_drop_async(chunks_image_async());
    close_file_async();
    events.path = NULL;
    events.mapped = false;
    return whole;
}

void chunk_file_remove(void)
{
    if (!events.path)
        return;
    bus_guard_drop_async(chunks_image_async());
    if (events.mapped)
        unlink_file();
    close_file_async();
    events.path = NULL;
    events.mapped = false;
}

void chunk_file_forget_async(void)
{
    close_file_async();
    events.path = NULL;
    events.mapped = false;
}
