/*
 * The numbers of the files that the runtime keeps open: out of the way of a program that counts
 * on the lowest number being free, or closes those that it does not know.
 */
#ifndef TSPROF_FILE_NUMBERS_H
#define TSPROF_FILE_NUMBERS_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    FILE_NUMBER_PART = 860,  /* the process's part */
    FILE_NUMBER_TIMERS = 900 /* and up: a thread's performance event each */
};

/*
 * The same file under number LOWEST, or half of that, a quarter, ... where the process may not
 * have as many; -1 where there is none.  Any context.
 */
static inline int descriptors_move_async(int file, int lowest)
{
    int moved = -1;
    for (; moved < 0 && lowest > 32; lowest /= 2)
        moved = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, lowest);
    return moved;
}

/*
 * Has the system make room for these numbers.  Where a process has several threads that takes
 * it until all processors have noticed, some milliseconds: so before MPI starts its own, and
 * not when the first file is opened, in a signal handler perhaps.  May change errno.  Any
 * context.
 */
static inline void descriptors_reserve_async(void)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/", O_PATH | O_CLOEXEC);
    if (file < 0)
        return;
    int moved = descriptors_move_async(file, FILE_NUMBER_PART);
    if (moved >= 0)
        syscall(SYS_close, moved);
    syscall(SYS_close, file);
}

#endif
