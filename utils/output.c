/* Checked output.  See output.h. */
#include "output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}

bool output_open(struct output *output, const char *path, const char *input,
                 struct error *error)
{
    *output = (struct output){stdout, path};
    if (!path) {
        /* A reader that has seen enough ends the command, also if whoever started it forgot to
         * give it the usual disposition back. */
        signal(SIGPIPE, SIG_DFL);
        return true;
    }
    if (is_same_file(path, input))
        return error_set(error, "%s: is the summary that is read, it cannot be the output too",
                         path);
    output->stream = fopen(path, "w");
    if (!output->stream)
        return error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    return true;
}

bool output_close(struct output *output, struct error *error)
{
    errno = 0;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    int reason = errno;
    if (output->path && fclose(output->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good)
        return true;
    return error_set(error, "%s: cannot be written: %s",
                     output->path ? output->path : "standard output",
                     reason ? strerror(reason) : "an earlier write failed");
}
