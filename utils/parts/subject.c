/* See subject.h. */
#include "parts/subject.h"

#include "openmp/openmp.h"
#include "parts/part_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A name by which a file without one can be opened. */
static const char *own_name(FILE *file)
{
    static char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fileno(file));
    return name;
}

/* Merges the parts in a temporary file, which vanishes with the subject. */
static bool merge_aside(struct subject *subject, const struct part_files *files,
                        const char *path, struct error *error)
{
    subject->file = tmpfile();
    if (!subject->file)
        return error_set(error, "%s: cannot be merged in a temporary file: %s", path,
                         strerror(errno));
    bool good =
        merge_parts(files, fileno(subject->file), path, NULL, false, &subject->merged, error);
    if (good)
        subject->summary = summary_read(own_name(subject->file), error);
    if (subject->summary)
        subject->summary->path = memory_pool_copy(&subject->summary->pool, path, strlen(path));
    subject->has_more = subject->summary && openmp_add_metrics(subject->summary);
    return subject->summary;
}

static bool is_summary_name(const char *name)
{
    static const char suffix[] = ".tsprof";
    const size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

const char *subject_newest(struct error *error)
{
    static char name[NAME_MAX + 1];
    struct timespec newest = {0};
    const struct dirent *entry;
    DIR *directory = opendir(".");
    name[0] = '\0';
    while (directory && (entry = readdir(directory))) {
        struct stat status;
        if (!is_summary_name(entry->d_name) || stat(entry->d_name, &status) != 0 ||
            !S_ISREG(status.st_mode) || (*name && !is_newer(&status.st_mtim, &newest)))
            continue;
        newest = status.st_mtim;
        snprintf(name, sizeof name, "%s", entry->d_name);
    }
    if (directory)
        closedir(directory);
    if (!*name)
        error_set(error, "there is no summary (*.tsprof) in this directory: name a FILE");
    return *name ? name : NULL;
}

bool subject_open(struct subject *subject, const char *path, struct error *error)
{
    struct part_files files;
    *subject = (struct subject){0};
    if (!part_files_are_at(path)) {
        subject->summary = summary_read(path, error);
        subject->has_more = subject->summary && openmp_add_metrics(subject->summary);
        return subject->summary;
    }
    subject->of_parts = true;
    if (!part_files_find(&files, &path, 1, error))
        return false;
    bool good = merge_aside(subject, &files, path, error);
    part_files_free(&files);
    if (!good)
        subject_close(subject);
    return good;
}

void subject_close(struct subject *subject)
{
    summary_free(subject->summary);
    merged_free(&subject->merged);
    if (subject->file)
        fclose(subject->file);
    *subject = (struct subject){0};
}

static FILE *write_aside(const struct summary *summary, const char *path, struct error *error)
{
    FILE *file = tmpfile();
    if (!file) {
        error_set(error, "%s: cannot be written to a temporary file: %s", path,
                  strerror(errno));
        return NULL;
    }
    if (summary_put(summary, fileno(file), path, error) && fseek(file, 0, SEEK_SET) == 0)
        return file;
    fclose(file);
    return NULL;
}

FILE *subject_bytes(const struct subject *subject, const char *path, struct error *error)
{
    if (subject->has_more)
        return write_aside(subject->summary, path, error);
    FILE *file = fopen(subject->file ? own_name(subject->file) : path, "re");
    if (!file)
        error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    return file;
}
