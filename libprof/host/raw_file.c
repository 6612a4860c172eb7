/* See raw_file.h. */
#include "host/raw_file.h"

#include "host/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int raw_open_async(int directory, const char *name, int flags)
{
    return (int)syscall(SYS_openat, directory, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int raw_open_to_read_async(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

void raw_close_async(int file)
{
    int saved = errno;
    syscall(SYS_close, file);
    errno = saved;
}

int raw_move_up_async(int file)
{
    int moved = descriptors_move_async(file, DESCRIPTOR_PART);
    if (moved < 0)
        return file;
    raw_close_async(file);
    return moved;
}

struct raw_identity raw_identity_async(int file)
{
    struct stat now;
    if (fstat(file, &now) != 0)
        return (struct raw_identity){0};
    return (struct raw_identity){now.st_dev, now.st_ino};
}

bool raw_is_async(int file, const struct raw_identity *id)
{
    const struct raw_identity now = raw_identity_async(file);
    return now.inode != 0 && now.device == id->device && now.inode == id->inode;
}

bool raw_read_async(int file, uint64_t offset, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        const long got = syscall(SYS_pread64, file, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

/* A write beyond RLIMIT_FSIZE would not only fail, but raise SIGXFSZ. */
static bool is_allowed_async(uint64_t end)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           end <= limit.rlim_cur;
}

bool raw_write_async(int file, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    if (!is_allowed_async(offset + size)) {
        errno = EFBIG;
        return false;
    }
    while (size > 0) {
        const long written = syscall(SYS_pwrite64, file, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return true;
}
