/* Checked output.  See output_file.h. */
#include "print/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_is(const char *a, const char *b)
{
    struct stat left, right;
    return a && b && stat(a, &left) == 0 && stat(b, &right) == 0 &&
           left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* Removes an incomplete file, but never a device or a pipe. */
static void remove_file(const struct output_file *output)
{
    struct stat status;
    if (output->path && lstat(output->path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(output->path);
}

/* Whether PATH exists and may be written to: it is a terminal or another device, or a pipe of
 * the same user. */
static bool is_sink(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return false;
    return S_ISCHR(status.st_mode) || (S_ISFIFO(status.st_mode) && status.st_uid == geteuid());
}

/* Creates PATH, which must not exist: files and links that are there are not touched. */
static int create_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
        return file;
    if (is_sink(path))
        return open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    errno = EEXIST;
    return -1;
}

void output_make_way(const char *path, const char *input)
{
    if (path && !output_is(path, input))
        remove_file(&(struct output_file){.path = path});
}

bool output_open(struct output_file *output, const char *path, const char *input,
                 struct error *error)
{
    *output = (struct output_file){stdout, path};
    if (!path) {
        /* If the reader goes away the command ends, even if it was started with SIGPIPE
         * ignored. */
        signal(SIGPIPE, SIG_DFL);
        return true;
    }
    if (output_is(path, input))
        return error_set(error, "%s: is the summary that is read; it cannot be the output, too",
                         path);
    int file = create_file(path);
    if (file < 0 && errno == EEXIST)
        return error_set(error, "%s: already exists; not overwritten without --force", path);
    output->stream = file < 0 ? NULL : fdopen(file, "w");
    if (output->stream)
        return true;
    error_set(error, "%s: cannot be written: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return false;
}

bool output_discard(struct output_file *output)
{
    if (output->path)
        fclose(output->stream);
    remove_file(output);
    return false;
}

bool output_close(struct output_file *output, struct error *error)
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
    remove_file(output);
    return error_set(error, "%s: cannot be written: %s",
                     output->path ? output->path : "standard output",
                     reason ? strerror(reason) : "an earlier write failed");
}
