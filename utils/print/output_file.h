/*
 * Where a subcommand writes to: stdout or a file, checked to the end.
 */
#ifndef TSPROF_OUTPUT_FILE_H
#define TSPROF_OUTPUT_FILE_H

#include "print/complaint.h"

#include <stdbool.h>
#include <stdio.h>

struct output_file {
    FILE *stream;
    const char *path; /* NULL: stdout */
};

/*
 * Opens PATH (NULL: stdout) for writing.  It must not exist, unless as a device or a pipe, and
 * no link is followed: in a directory of many users somebody may have put one there.  INPUT,
 * the file that is being read, is refused in words of its own.
 */
bool output_open(struct output_file *output, const char *path, const char *input,
                 struct error *error);

/* Closes and removes what was written so far; false, always. */
bool output_discard(struct output_file *output);

/* Closes it; false if anything could not be written. */
bool output_close(struct output_file *output, struct error *error);

#endif
