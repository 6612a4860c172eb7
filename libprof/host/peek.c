/* See peek.h. */
#include "host/peek.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

bool peek_async(uintptr_t address, void *to, size_t size)
{
    struct iovec local = {to, size};
    struct iovec remote = {(void *)address, size};
    int saved = errno;
    bool read = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
    errno = saved;
    return read;
}

bool peek_is_lost_async(uintptr_t address)
{
    char byte;
    struct iovec local = {&byte, 1};
    struct iovec remote = {(void *)address, 1};
    int saved = errno;
    /* Where reading so is denied nothing is known. */
    bool lost = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 && errno == EFAULT;
    errno = saved;
    return lost;
}
