/* See part_file.h. */
#include "save/part_file.h"

#include "host/host.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

enum { PATH_BYTES = 4096, LIVE_BYTES = PART_THREADS * PART_RECORD_BYTES, ALIGNMENT = 64 };

enum state { STATE_NONE, STATE_THERE, STATE_OVER };

static struct {
    enum state state;
    int file;
    struct raw_identity id;
    uint64_t end;     /* end of the space that is allocated */
    uint64_t written; /* the file must not be shorter */
    bool has_header;
    char *live; /* the thread records */
    const char *directory;
    char path[PATH_BYTES];
    const char *failed; /* what could not be done; NULL: no failure */
    const char *reason; /* why; NULL: as ERROR says */
    bool said;          /* the failure has been reported */
    int error;
} part = {.file = -1};

static enum state state_async(void)
{
    return __atomic_load_n(&part.state, __ATOMIC_ACQUIRE);
}

/* Ends the part: nothing more is written, and what is in the file stays. */
static bool give_up_async(const char *what)
{
    if (!part.failed) {
        part.error = errno;
        part.failed = what;
    }
    __atomic_store_n(&part.state, STATE_OVER, __ATOMIC_RELEASE);
    return false;
}

/* Ends the part because its file is not what it was any more, for REASON. */
static bool give_up_file_async(const char *reason)
{
    if (!part.failed)
        part.reason = reason;
    bus_guard_end_async();
    return give_up_async("go on with");
}

/* Opens PATH as a directory, which must belong to the user; creates it if it does not exist. */
static int open_directory_async(const char *path)
{
    struct stat now;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return -1;
    int directory = raw_open_async(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
    if (directory < 0)
        return -1;
    if (fstat(directory, &now) == 0 && now.st_uid == geteuid())
        return directory;
    raw_close_async(directory);
    errno = EPERM;
    return -1;
}

/* Appends to the part's path; false if it becomes too long. */
static bool extend_path_async(const char *text)
{
    size_t used = strlen(part.path), length = strlen(text);
    if (used + length >= PATH_BYTES)
        return false;
    memcpy(part.path + used, text, length + 1);
    return true;
}

static bool create_in_async(const char *directory, const char *name)
{
    part.path[0] = '\0';
    if (!extend_path_async(directory) || !extend_path_async("/") || !extend_path_async(name)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int file = -1;
    errno = ENOENT;
    /* Another process of the job may end, and remove the directory, between these two steps. */
    for (int tries = 0; file < 0 && errno == ENOENT && tries < 3; tries++) {
        int parent = open_directory_async(directory);
        if (parent < 0)
            continue;
        file = raw_open_async(parent, name, O_RDWR | O_CREAT | O_EXCL);
        raw_close_async(parent);
    }
    if (file < 0) {
        int saved = errno;
        rmdir(directory);
        errno = saved;
        return false;
    }
    part.directory = directory;
    part.file = raw_move_up_async(file);
    return true;
}

/*
 * Whether stores into a mapping of the file are safe from errors and SIGBUS on this file
 * system.
 */
static bool may_be_mapped_async(void)
{
    struct statfs system;
    if (fstatfs(part.file, &system) != 0)
        return false;
    switch ((unsigned long)system.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case RAMFS_MAGIC:
        return true;
    default:
        /* Elsewhere a server may lose a page, or writing it may need new disk space. */
        return false;
    }
}

/*
 * Writes zeros up to the extents, so that the disk blocks are allocated before the file is
 * mapped.
 */
static bool fill_head_async(void)
{
    static const char zeros[PART_RECORDS];
    for (uint64_t at = 0; at < PART_EXTENTS; at += sizeof zeros)
        if (!part_file_write_async(at, zeros, sizeof zeros))
            return false;
    return true;
}

static void *map_async(int flags, int file, off_t offset)
{
    void *memory = mmap(NULL, LIVE_BYTES, PROT_READ | PROT_WRITE, flags, file, offset);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Maps the thread records, if stores into them cannot harm the program. */
static void *map_live_async(void)
{
    void *live = may_be_mapped_async() ? map_async(MAP_SHARED, part.file, PART_RECORDS) : NULL;
    if (!live || bus_guard_async(live, LIVE_BYTES))
        return live;
    munmap(live, LIVE_BYTES);
    return NULL;
}

static bool prepare_async(void)
{
    part.id = raw_identity_async(part.file);
    if (part.id.inode == 0)
        return give_up_async("look at");
    part.end = PART_EXTENTS;
    if (!fill_head_async())
        return false;
    part.live = map_live_async();
    if (part.live)
        return true;
    part.live = map_async(MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!part.live)
        return give_up_async("get memory for");
    __atomic_add_fetch(&memory_shared_bytes, LIVE_BYTES, __ATOMIC_RELAXED);
    return true;
}

bool part_file_create_async(const struct part_places *places)
{
    for (int i = 0; i < 2 && part.file < 0 && places->directories[i]; i++)
        create_in_async(places->directories[i], places->name);
    if (part.file < 0)
        return give_up_async("create");
    if (!prepare_async())
        return false;
    __atomic_store_n(&part.state, STATE_THERE, __ATOMIC_RELEASE);
    return true;
}

bool part_file_exists_async(void)
{
    return state_async() == STATE_THERE;
}

const char *part_file_directory(void)
{
    return part.directory;
}

const char *part_file_path(void)
{
    return part.path;
}

struct live *part_file_live_async(unsigned number)
{
    return (struct live *)(void *)(part.live + (size_t)number * PART_RECORD_BYTES);
}

bool part_file_is_mapped_async(void)
{
    return bus_guard_holds_async(part.live);
}

static bool is_part_async(int file)
{
    return raw_is_async(file, &part.id);
}

/*
 * Whether the file still begins as it was written.  If it was made shorter, a write may have
 * made it longer again.
 */
static bool has_begin_async(void)
{
    char found[PART_MAGIC_BYTES] = "";
    return !part.has_header ||
           (syscall(SYS_pread64, part.file, found, sizeof found, (off_t)0) == sizeof found &&
            memcmp(found, PART_MAGIC, sizeof found) == 0);
}

static bool check_descriptor_async(void)
{
    if (is_part_async(part.file))
        return true;
    int file = raw_open_async(AT_FDCWD, part.path, O_RDWR);
    if (file >= 0 && !is_part_async(file)) {
        raw_close_async(file);
        errno = ESTALE;
        file = -1;
    }
    if (file < 0)
        return give_up_async("find again");
    part.file = raw_move_up_async(file);
    return true;
}

bool part_file_check_async(void)
{
    struct stat now;
    const uint64_t written = __atomic_load_n(&part.written, __ATOMIC_ACQUIRE);
    if (state_async() != STATE_THERE || !check_descriptor_async())
        return false;
    if (fstat(part.file, &now) != 0)
        return give_up_async("look at");
    if (now.st_nlink == 0)
        return give_up_file_async("somebody has removed it");
    if ((uint64_t)now.st_size < written || !has_begin_async())
        return give_up_file_async("somebody has truncated or overwritten it");
    return true;
}

uint64_t part_file_extend_async(uint64_t bytes)
{
    uint64_t rounded = (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    return __atomic_fetch_add(&part.end, rounded, __ATOMIC_RELAXED);
}

/* The file must reach up to END from now on. */
static void note_written_async(uint64_t end)
{
    uint64_t before = __atomic_load_n(&part.written, __ATOMIC_RELAXED);
    while (before < end && !__atomic_compare_exchange_n(&part.written, &before, end, true,
                                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        continue;
}

bool part_file_write_async(uint64_t offset, const void *bytes, size_t size)
{
    if (!raw_write_async(part.file, offset, bytes, size))
        return give_up_async("write");
    note_written_async(offset + size);
    return true;
}

bool part_file_write_header_async(const void *bytes)
{
    part.has_header = part_file_write_async(0, bytes, PART_HEADER_BYTES);
    return part.has_header;
}

void part_file_complain(int level)
{
    if (!part.failed || __atomic_exchange_n(&part.said, true, __ATOMIC_RELAXED))
        return;
    message(level,
            "cannot %s %s: %s; if the job does not end normally, what it has measured %s",
            part.failed, part.path, part.reason ? part.reason : strerror(part.error),
            part.directory && !part.reason ? "since is lost" : "is lost");
}

bool part_file_must_complain_async(void)
{
    return part.failed && !part.said;
}

bool part_file_write_beside(const char *name, const char *text)
{
    int directory = raw_open_async(AT_FDCWD, part.directory, O_RDONLY | O_DIRECTORY);
    int file =
        directory < 0 ? -1 : raw_open_async(directory, name, O_WRONLY | O_CREAT | O_EXCL);
    if (directory >= 0)
        raw_close_async(directory);
    if (file < 0)
        return false;
    struct quiet quiet;
    quiet_begin(&quiet);
    long ignored = syscall(SYS_write, file, text, strlen(text));
    (void)ignored;
    quiet_end(&quiet);
    raw_close_async(file);
    return true;
}

/* Unlinks the part's path, if that is still the part. */
static void unlink_part(void)
{
    struct stat now;
    if (lstat(part.path, &now) == 0 && now.st_dev == part.id.device &&
        now.st_ino == part.id.inode)
        unlink(part.path);
}

void part_file_remove(void)
{
    __atomic_store_n(&part.state, STATE_OVER, __ATOMIC_RELEASE);
    bus_guard_end_async();
    if (!part.directory)
        return;
    unlink_part();
    rmdir(part.directory);
    if (is_part_async(part.file))
        raw_close_async(part.file);
    part.file = -1;
}

void part_file_forget_async(void)
{
    if (state_async() == STATE_NONE)
        return;
    part.state = STATE_OVER;
    part.failed = NULL;
    bus_guard_forget_async();
    if (part.directory && is_part_async(part.file))
        raw_close_async(part.file);
}
