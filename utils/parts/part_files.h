/*
 * The part files that a command was given, by name or in directories: which there are, of which
 * processes, and whether of one job only.
 */
#ifndef TSPROF_PART_FILES_H
#define TSPROF_PART_FILES_H

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct part_file {
    const char *path;
    const char *key; /* of the job */
    uint32_t rank;   /* in what is merged: its own, or a number that nobody has if unknown */
    uint32_t ranks;  /* of the job */
    bool named;      /* on the command line, it or the directory of parts that it is in */
};

struct part_files {
    struct part_file *list; /* by rank */
    size_t count;
    size_t damaged; /* further ones that cannot be read; said already */
    struct memory_pool pool;
};

/* Whether PATH is something to look for parts in, rather than a summary. */
bool part_files_are_at(const char *path);

/*
 * Finds the parts at PATHS: part files, directories NAME.KEY.parts, or directories that hold
 * such.  Those that are damaged are complained about and left out, and so are all but the first
 * of one rank.  False if there is none, or if they are of several jobs: then the message asks
 * which.
 */
bool part_files_find(struct part_files *files, const char *const *paths, size_t count,
                     struct error *error);
void part_files_free(struct part_files *files);

/*
 * The name that the job's summary would have had, in OUT of SIZE bytes, with a number in it if
 * there is such a file.
 */
void part_files_output(const struct part_files *files, char *out, size_t size);

/* Removes the files, and their directories if nothing else is in them; false if some stay. */
bool part_files_remove(const struct part_files *files, struct error *error);

#endif
