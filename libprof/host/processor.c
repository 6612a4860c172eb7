/* See processor.h. */
#include "host/processor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef RUSAGE_THREAD
#define RUSAGE_THREAD 1
#endif

enum { PATH_SIZE = 64, CONTENT_SIZE = 96 };

int64_t processor_used_ns_async(int os_id)
{
    /* The thread's CPU clock; the system's own encoding of pthread_getcpuclockid's answer. */
    const clockid_t clock = (clockid_t)((~(unsigned)os_id << 3) | 6);
    const int saved = errno;
    struct timespec used = {0};
    clock_gettime(clock, &used);
    errno = saved;
    return used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
}

/* Appends TEXT to what ends at TO; returns the new end. */
static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static void write_path(char path[PATH_SIZE], int os_id)
{
    char digits[12] = "";
    char *first = digits + sizeof digits - 1;
    do
        *--first = (char)('0' + os_id % 10);
    while (os_id /= 10);
    *append(append(append(path, "/proc/self/task/"), first), "/schedstat") = '\0';
}

/* The number that begins at *TEXT, of digits only; leaves *TEXT behind the blank after it. */
static int64_t take_number(const char **text)
{
    int64_t number = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        number = number * 10 + (**text - '0');
    *text += **text != '\0';
    return number;
}

/*
 * System calls, not the C library's functions, which are cancellation points.  The file is
 * opened each time: a descriptor that stayed open would show in a child of fork, and the
 * program could close it.
 */
static long read_file(const char *path, char content[CONTENT_SIZE])
{
    const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    const long length = syscall(SYS_read, file, content, CONTENT_SIZE - 1);
    syscall(SYS_close, file);
    return length;
}

int64_t processor_waited_ns_async(int os_id)
{
    const int saved = errno;
    char path[PATH_SIZE], content[CONTENT_SIZE] = "";
    write_path(path, os_id);
    const char *text = content;
    const long length = read_file(path, content);
    errno = saved;
    if (length <= 0)
        return -1;
    /* "time on a processor, time waiting for one, turns"; all 0 where the kernel has no
     * figures. */
    take_number(&text);
    const int64_t waited = take_number(&text), turns = take_number(&text);
    return turns > 0 ? waited : -1;
}

int64_t processor_sleeps_async(void)
{
    const int saved = errno;
    struct rusage usage;
    const long status = syscall(SYS_getrusage, RUSAGE_THREAD, &usage);
    errno = saved;
    return status == 0 ? usage.ru_nvcsw : -1;
}

static bool asks_no_more;

void processor_ask_no_more_async(void)
{
    __atomic_store_n(&asks_no_more, true, __ATOMIC_RELAXED);
}

void processor_allowed_async(int os_id, struct processor_set *set)
{
    const int saved = errno;
    struct processor_set allowed = {{0}};
    /* The system's own call: how many bytes it has written, which may be fewer. */
    if (!__atomic_load_n(&asks_no_more, __ATOMIC_RELAXED) &&
        syscall(SYS_sched_getaffinity, os_id, sizeof allowed, &allowed) > 0)
        *set = allowed;
    errno = saved;
}
