/*
 * slow_timers.c: the system call that arms performance events, a third of a millisecond slower,
 * as it is in a virtual machine that is short of processors.  To be preloaded before the
 * runtime.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void waste_time(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 300000);
}

int ioctl(int file, unsigned long request, ...)
{
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    waste_time();
    return (int)syscall(SYS_ioctl, file, request, argument);
}
