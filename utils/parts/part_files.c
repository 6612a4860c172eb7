/* See part_files.h. */
#include "parts/part_files.h"

#include "events/events.h"
#include "parts/part_reading.h"
#include "print/print.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY_SUFFIX ".parts"
#define README_NAME      "README"
#define SUMMARY_SUFFIX   ".tsprof"

enum { COPIES_MOST = 10000, JOBS_NAMED = 8 };

static bool ends_with(const char *text, const char *suffix)
{
    size_t length = strlen(text), end = strlen(suffix);
    return length > end && strcmp(text + length - end, suffix) == 0;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool part_files_are_at(const char *path)
{
    return is_directory(path) || ends_with(path, PART_SUFFIX);
}

static const char *join(struct part_files *files, const char *directory, const char *name)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    char *path = memory_pool_allocate(&files->pool, length + strlen(name) + 2, 1);
    sprintf(path, "%.*s/%s", (int)length, directory, name);
    return path;
}

/* Adds the part PATH; if it is damaged, prints a message instead. */
static void add_part(struct part_files *files, const char *path, bool named)
{
    struct part_reading part;
    struct error error;
    if (!part_open(&part, path, &error)) {
        complain("%s; it is left out", error.text);
        files->damaged++;
        return;
    }
    if (!(files->count & (files->count - 1)))
        files->list =
            reallocate(files->list, files->count ? 2 * files->count : 1, sizeof *files->list);
    files->list[files->count++] =
        (struct part_file){.path = path,
                           .key = memory_pool_copy(&files->pool, part.key, strlen(part.key)),
                           .rank = part.rank,
                           .ranks = part.ranks,
                           .named = named};
    part_close(&part);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Adds the parts in DIRECTORY, and, if DEEPER, those in directories of parts in it. */
static bool add_directory(struct part_files *files, const char *directory, bool deeper,
                          bool named, struct error *error)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, is_visible, alphasort);
    bool good = true;
    if (count < 0)
        return error_set(error, "%s: cannot be read: %s", directory, strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *path = join(files, directory, name);
        if (ends_with(name, PART_SUFFIX))
            add_part(files, path, named);
        else if (good && deeper && ends_with(name, DIRECTORY_SUFFIX) && is_directory(path))
            good = add_directory(files, path, false, named, error);
        free(entries[i]);
    }
    free(entries);
    return good;
}

static bool add_path(struct part_files *files, const char *path, struct error *error)
{
    const char *copy = memory_pool_copy(&files->pool, path, strlen(path));
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (!is_directory(path)) {
        add_part(files, copy, true);
        return true;
    }
    const char *trimmed = memory_pool_copy(&files->pool, path, length);
    return add_directory(files, trimmed, true, ends_with(trimmed, DIRECTORY_SUFFIX), error);
}

static int compare_files(const void *a, const void *b)
{
    const struct part_file *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->path, right->path);
}

static int compare_keys(const void *a, const void *b)
{
    const struct part_file *left = a, *right = b;
    int keys = strcmp(left->key, right->key);
    return keys ? keys : compare_files(a, b);
}

static bool is_one_job(const struct part_files *files)
{
    for (size_t i = 1; i < files->count; i++)
        if (strcmp(files->list[i].key, files->list[0].key) != 0)
            return false;
    return true;
}

/*
 * Some launchers give a job a different key on each host.  Then the user says what belongs
 * together by naming it on the command line, and no rank may occur twice.  The list is sorted
 * by rank.
 */
static bool are_hosts_of_one_job(const struct part_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (!files->list[i].named || files->list[i].ranks != files->list[0].ranks ||
            (i > 0 && files->list[i].rank == files->list[i - 1].rank))
            return false;
    return true;
}

static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

/* Sets the message that asks which of several jobs is meant. */
static bool ask(struct part_files *files, struct error *error)
{
    struct text text = {0};
    size_t jobs = 0;
    qsort(files->list, files->count, sizeof *files->list, compare_keys);
    for (size_t i = 0; i < files->count;) {
        const struct part_file *first = &files->list[i];
        struct rank_list ranks = {0};
        for (; i < files->count && strcmp(files->list[i].key, first->key) == 0; i++)
            rank_list_add(&ranks, files->list[i].rank);
        if (jobs++ < JOBS_NAMED)
            text_addf(&text, "%s%.*s (ranks %s)", jobs > 1 ? ", " : "",
                      (int)directory_length(first->path), first->path, rank_list_end(&ranks));
        text_free(&ranks.text);
    }
    error_set(error, "there are parts of %zu jobs; name those of one: %s%s", jobs,
              text_string(&text), jobs > JOBS_NAMED ? " ..." : "");
    text_free(&text);
    return false;
}

/* Gives processes without a known rank unused ones, and leaves out further parts of the same
 * rank. */
static void settle_ranks(struct part_files *files)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct part_file file = files->list[i];
        uint32_t next = kept > 0 ? files->list[kept - 1].rank + 1 : 0;
        if (file.rank == PART_NO_RANK)
            file.rank = next > file.ranks ? next : file.ranks > 1 ? file.ranks : next;
        if (file.rank < next) {
            complain("%s: is of rank %" PRIu32 ", and so is %s; it is left out", file.path,
                     file.rank, files->list[kept - 1].path);
            files->damaged++;
            continue;
        }
        files->list[kept++] = file;
    }
    files->count = kept;
}

bool part_files_find(struct part_files *files, const char *const *paths, size_t count,
                     struct error *error)
{
    *files = (struct part_files){0};
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = add_path(files, paths[i], error);
    if (good && files->count == 0)
        good = error_set(error, "%s: holds no parts of a tsprof summary%s", paths[0],
                         files->damaged ? " that can be read" : "");
    if (good) {
        qsort(files->list, files->count, sizeof *files->list, compare_files);
        if (!is_one_job(files) && !are_hosts_of_one_job(files))
            good = ask(files, error);
    }
    if (good)
        settle_ranks(files);
    else
        part_files_free(files);
    return good;
}

void part_files_free(struct part_files *files)
{
    free(files->list);
    memory_pool_free(&files->pool);
    *files = (struct part_files){0};
}

/* "dir/app.17" of "dir/app.17.KEY.parts/0.host.17.part"; else "merged". */
static void base_of(const struct part_file *file, char *base, size_t size)
{
    size_t length = directory_length(file->path), key = strlen(file->key);
    size_t suffix = strlen(DIRECTORY_SUFFIX);
    const char *path = file->path;
    if (length > suffix + key + 1 &&
        strncmp(path + length - suffix, DIRECTORY_SUFFIX, suffix) == 0 &&
        strncmp(path + length - suffix - key, file->key, key) == 0 &&
        path[length - suffix - key - 1] == '.')
        snprintf(base, size, "%.*s", (int)(length - suffix - key - 1), path);
    else
        snprintf(base, size, "merged");
}

void part_files_output(const struct part_files *files, char *out, size_t size)
{
    char base[4000];
    base_of(&files->list[0], base, sizeof base);
    snprintf(out, size, "%s" SUMMARY_SUFFIX, base);
    for (int copy = 1; copy < COPIES_MOST && access(out, F_OK) == 0; copy++)
        snprintf(out, size, "%s.%d" SUMMARY_SUFFIX, base, copy);
}

/* Removes the directory of FILE if nothing is left in it but what the runtime wrote. */
static void remove_directory(const struct part_file *file)
{
    char path[4096];
    int length = (int)directory_length(file->path);
    if (length == 0 ||
        snprintf(path, sizeof path, "%.*s", length, file->path) >= (int)sizeof path ||
        !ends_with(path, DIRECTORY_SUFFIX))
        return;
    char readme[4200];
    snprintf(readme, sizeof readme, "%s/" README_NAME, path);
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, NULL);
    bool only_readme = count == 1 && strcmp(entries[0]->d_name, README_NAME) == 0;
    for (int i = 0; i < count; i++)
        free(entries[i]);
    if (count >= 0)
        free(entries);
    if (only_readme)
        unlink(readme);
    rmdir(path);
}

/* Removes the file with the events of a part, if there is one. */
static bool remove_events(const struct part_file *file)
{
    char *path = event_file_name(file->path);
    const bool gone = unlink(path) == 0 || errno == ENOENT;
    free(path);
    return gone;
}

bool part_files_remove(const struct part_files *files, struct error *error)
{
    for (size_t i = 0; i < files->count; i++)
        if (!remove_events(&files->list[i]) || unlink(files->list[i].path) != 0)
            return error_set(error, "%s: cannot be removed: %s", files->list[i].path,
                             strerror(errno));
    for (size_t i = 0; i < files->count; i++)
        if (i == 0 ||
            directory_length(files->list[i].path) !=
                directory_length(files->list[i - 1].path) ||
            strncmp(files->list[i].path, files->list[i - 1].path,
                    directory_length(files->list[i].path)) != 0)
            remove_directory(&files->list[i]);
    return true;
}
