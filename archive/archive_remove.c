/* Removing archives.  See writing.h. */
#include "archive/writing.h"

#include "common/archive_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *suffix)
{
    const size_t length = strlen(text), end = strlen(suffix);
    return length > end && strcmp(text + length - end, suffix) == 0;
}

static bool is_archives(const char *name)
{
    return ends_with(name, ".evt") || ends_with(name, ".def") ||
           strcmp(name, "traces.otf2") == 0 || strcmp(name, ARCHIVE_MARK_MOVED) == 0;
}

/* Removes the files of an archive from NAME in the directory PARENT, then NAME if it is empty.
 */
static void remove_files(int parent, const char *name, void (*inside)(int directory))
{
    const int directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = directory < 0 ? NULL : fdopendir(directory);
    if (!entries)
        return;
    if (inside)
        inside(directory);
    for (struct dirent *entry; (entry = readdir(entries));)
        if (is_archives(entry->d_name))
            unlinkat(directory, entry->d_name, 0);
    closedir(entries);
    unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_events(int directory)
{
    remove_files(directory, "traces", NULL);
}

void archive_remove(const char *directory)
{
    remove_files(AT_FDCWD, directory, remove_events);
}
