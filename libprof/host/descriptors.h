/*
 * The descriptors of the files that the runtime keeps open: high numbers, out of the way of a
 * program that counts on the lowest number being free, or that closes descriptors it does not
 * know.
 */
#ifndef TSPROF_DESCRIPTORS_H
#define TSPROF_DESCRIPTORS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DESCRIPTOR_PART = 860,  /* the process's part */
    DESCRIPTOR_TIMERS = 900 /* and up: one for each thread's performance event */
};

/*
 * Duplicates descriptor FILE to the first free number from LOWEST on, or from half of that, a
 * quarter and so on where the process may not have as many.  Returns the new descriptor, which
 * exec closes, or -1; FILE stays open.  Any context; may change errno.
 */
static inline int descriptors_move_async(int file, int lowest)
{
    int moved = -1;
    for (; moved < 0 && lowest > 32; lowest /= 2)
        moved = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, lowest);
    return moved;
}

/*
 * Makes the kernel enlarge the process's table of descriptors for these numbers.  Where a
 * process has several threads, that takes some milliseconds, until all processors have noticed.
 * So call it before MPI starts threads of its own, rather than pay when the first file is
 * opened, which may be in a signal handler.  Any context; may change errno.
 */
static inline void descriptors_reserve_async(void)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC);
    if (file < 0)
        return;
    int moved = descriptors_move_async(file, DESCRIPTOR_PART);
    if (moved >= 0)
        syscall(SYS_close, moved);
    syscall(SYS_close, file);
}

#endif
