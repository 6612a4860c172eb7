/* See message.h. */
#include "host/message.h"

#include "common/printable.h"
#include "host/quiet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int verbosity = 1;
static int rank = -1;
static struct stat standard_error; /* what it was at the start */
static bool known;

void message_start(void)
{
    known = fstat(STDERR_FILENO, &standard_error) == 0;
}

/* Programs close standard error and open a file of their own in its place. */
static bool still_standard_error(void)
{
    struct stat now;
    return known && fstat(STDERR_FILENO, &now) == 0 && now.st_dev == standard_error.st_dev &&
           now.st_ino == standard_error.st_ino;
}

void message_set_verbosity(int value)
{
    verbosity = value;
}

bool message_is_shown(int level)
{
    return level <= verbosity;
}

void message_set_rank(int value)
{
    rank = value;
}

void message(int level, const char *format, ...)
{
    if (!message_is_shown(level))
        return;
    int saved = errno;
    char line[1024];
    int used = rank < 0 ? snprintf(line, sizeof line, "tsprof: ")
                        : snprintf(line, sizeof line, "tsprof: rank %d: ", rank);
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + used, 1000 - (size_t)used, format, arguments);
    va_end(arguments);
    used += more < 0 ? 0 : more > 999 - used ? 999 - used : more;
    /* File names and phase names may contain anything. */
    printable_make(line);
    line[used++] = '\n';
    if (still_standard_error()) {
        struct quiet quiet;
        quiet_begin(&quiet);
        /* If standard error cannot be written to, there is nobody to tell. */
        ssize_t ignored = write(STDERR_FILENO, line, (size_t)used);
        (void)ignored;
        quiet_end(&quiet);
    }
    errno = saved;
}
