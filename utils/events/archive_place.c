/* See archive_place.h. */
#include "events/archive_place.h"

#include "base/base.h"
#include "print/print.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text), end = strlen(suffix);
    return length > end && strcmp(text + length - end, suffix) == 0;
}

static char *join(const char *path, size_t length, const char *ending)
{
    struct text text = {0};
    text_add_bytes(&text, path, length);
    text_add(&text, ending);
    text_add_bytes(&text, "", 1);
    return text.bytes;
}

char *archive_place(const char *path)
{
    static const char ending[] = ".tsprof";
    const size_t length = strlen(path) - (ends_with(path, ending) ? sizeof ending - 1 : 0);
    return join(path, length, ".otf2");
}

/* Removes the files of an archive from DIRECTORY/NAME. */
static void remove_files(const char *directory, const char *name)
{
    char *path = join(directory, strlen(directory), name);
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (ends_with(entry->d_name, ".evt") || ends_with(entry->d_name, ".def") ||
            strcmp(entry->d_name, "traces.otf2") == 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    rmdir(path);
    free(path);
}

void archive_make_way(const char *directory)
{
    remove_files(directory, "/traces");
    remove_files(directory, "");
}
