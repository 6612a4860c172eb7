/*
 * Finds the part files that a command was given, by name or in directories, which processes
 * they are from, and whether they are all from one job.
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
    uint32_t rank;  /* its rank in the merged summary: if unknown, a number that no other has */
    uint32_t ranks; /* of the job */
    bool named;     /* the command line names it, or the directory of parts that it is in */
};

struct part_files {
    struct part_file *list; /* by rank */
    size_t count;
    size_t damaged; /* how many could not be read; a message was printed for each */
    struct memory_pool pool;
};

/* Whether PATH is a part or a directory, rather than a summary. */
bool part_files_are_at(const char *path);

/*
 * Finds the parts at PATHS, which are part files, directories NAME.KEY.parts, or directories
 * that contain such directories.  Damaged parts, and further parts of the same rank, are left
 * out with a message on stderr.  False if there are no parts, or if they are from several jobs;
 * then ERROR asks which is meant.
 */
bool part_files_find(struct part_files *files, const char *const *paths, size_t count,
                     struct error *error);
void part_files_free(struct part_files *files);

/*
 * Puts the name that the job's summary would have had into OUT, of SIZE bytes; with a number
 * added if that file exists.
 */
void part_files_output(const struct part_files *files, char *out, size_t size);

/* Removes the files, and their directories if they are empty then.  False if some could not be.
 */
bool part_files_remove(const struct part_files *files, struct error *error);

#endif
