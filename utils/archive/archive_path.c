/* Finds the archive that the user means.  See trace.h. */
#include "archive/trace.h"

#include "print/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char anchor[] = "traces.otf2";

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), more = strlen(ending);
    return length > more && strcmp(path + length - more, ending) == 0;
}

static bool is_kind(const char *path, mode_t kind)
{
    struct stat status;
    return stat(path, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

static char *join(const char *path, size_t length, const char *ending)
{
    struct text text = {0};
    text_add_bytes(&text, path, length);
    text_add(&text, ending);
    text_add_bytes(&text, "", 1);
    return text.bytes;
}

char *trace_place(const char *path)
{
    static const char ending[] = ".tsprof";
    const size_t length = strlen(path) - (ends_in(path, ending) ? sizeof ending - 1 : 0);
    return join(path, length, ".otf2");
}

/* The anchor in the archive that would be beside the summary PATH; for free(). */
static char *beside(const char *path)
{
    char *place = trace_place(path), *found = join(place, strlen(place), "/traces.otf2");
    free(place);
    return found;
}

bool trace_is_beside(const char *path)
{
    char *found = beside(path);
    const bool is = is_kind(found, S_IFREG);
    free(found);
    return is;
}

char *trace_find(const char *path, struct error *error)
{
    char *found = NULL;
    if (is_kind(path, S_IFDIR)) {
        found = join(path, strlen(path), "/traces.otf2");
    } else if (is_kind(path, S_IFREG)) {
        found = ends_in(path, ".otf2") ? join(path, strlen(path), "") : beside(path);
    } else {
        error_set(error, "%s: cannot be read: %s", path, errno ? strerror(errno) : "no file");
        return NULL;
    }
    if (is_kind(found, S_IFREG))
        return found;
    error_set(error,
              "%s: there is no trace: %s is missing; a trace is a directory NAME.otf2 "
              "with %s in it, beside the summary NAME.tsprof",
              path, found, anchor);
    free(found);
    return NULL;
}
