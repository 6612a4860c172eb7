/* See subject.h. */
#include "parts/subject.h"

#include "parts/part_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
    bool good = merge_parts(files, fileno(subject->file), path, &subject->merged, error);
    if (good)
        subject->summary = summary_read(own_name(subject->file), error);
    if (subject->summary)
        subject->summary->path = memory_pool_copy(&subject->summary->pool, path, strlen(path));
    return subject->summary;
}

bool subject_open(struct subject *subject, const char *path, struct error *error)
{
    struct part_files files;
    *subject = (struct subject){0};
    if (!part_files_are_at(path)) {
        subject->summary = summary_read(path, error);
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

FILE *subject_bytes(const struct subject *subject, const char *path, struct error *error)
{
    FILE *file = fopen(subject->file ? own_name(subject->file) : path, "re");
    if (!file)
        error_set(error, "%s: cannot be read: %s", path, strerror(errno));
    return file;
}
