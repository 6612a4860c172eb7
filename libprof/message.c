/* See message.h. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int verbosity = 1;
static int rank = -1;

void message_set_verbosity(int value)
{
    verbosity = value;
}

void message_set_rank(int value)
{
    rank = value;
}

void message(int level, const char *format, ...)
{
    if (level > verbosity)
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
    line[used++] = '\n';
    /* Nothing sensible is left to do when the program's stderr cannot be written. */
    ssize_t ignored = write(STDERR_FILENO, line, (size_t)used);
    (void)ignored;
    errno = saved;
}
