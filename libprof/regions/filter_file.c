/* See filter_file.h. */
#include "regions/filter_file.h"

#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FILE_BYTES_MOST = 16 << 20 };

/* System calls, since the C library's functions end threads that are to be cancelled. */
static int open_file(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Reads up to SIZE bytes of FILE; returns how many there are, or -1. */
static ssize_t read_all(int file, char *text, size_t size)
{
    size_t length = 0;
    while (length < size) {
        const long got = syscall(SYS_read, file, text + length, size - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        length += (size_t)got;
    }
    return (ssize_t)length;
}

/* The content of FILE, of *LENGTH bytes, to be freed; NULL, with *PROBLEM, if there is none. */
static char *read_file(int file, size_t *length, const char **problem)
{
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > FILE_BYTES_MOST) {
        *problem = "it is no file, or larger than 16 MiB";
        return NULL;
    }
    const size_t size = (size_t)status.st_size;
    char *text = malloc(size + 1);
    const ssize_t got = text ? read_all(file, text, size) : -1;
    if (got >= 0) {
        *length = (size_t)got;
        return text;
    }
    *problem = text ? strerrordesc_np(errno) : "there is no memory for it";
    free(text);
    return NULL;
}

static bool load(struct filter *filter, filter_complaint complain, const char **problem)
{
    size_t length = 0;
    const int file = open_file(config.text[SETTING_FILTER]);
    *problem = file < 0 ? strerrordesc_np(errno) : NULL;
    char *text = file < 0 ? NULL : read_file(file, &length, problem);
    if (file >= 0)
        raw_close_async(file);
    if (!text)
        return false;
    const bool read = filter_read(filter, text, length, complain, NULL);
    free(text);
    if (!read)
        *problem = "there is no memory for it";
    return read;
}

bool filter_file_load(struct filter *filter)
{
    const char *problem;
    if (!*config.text[SETTING_FILTER] || !load(filter, NULL, &problem))
        return false;
    if (filter->count > 0)
        return true;
    filter_free(filter);
    return false;
}

static void complain(void *context, unsigned line, const char *text)
{
    (void)context;
    message(1, "TSPROF_FILTER=%s: line %u is ignored: %s", config.text[SETTING_FILTER], line,
            text);
}

void filter_file_complain(void)
{
    struct filter filter = {0};
    const char *problem;
    if (!*config.text[SETTING_FILTER])
        return;
    if (!load(&filter, complain, &problem))
        message(1, "TSPROF_FILTER=%s: it cannot be read, so no function is left out: %s",
                config.text[SETTING_FILTER], problem);
    else if (filter.count == 0)
        message(1, "TSPROF_FILTER=%s: it has no rules, so no function is left out",
                config.text[SETTING_FILTER]);
    filter_free(&filter);
}
