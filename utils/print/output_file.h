/*
 * The output of a subcommand: stdout or a file.  Errors are noticed at the latest when it is
 * closed.
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
 * Opens PATH (NULL: stdout) for writing.  PATH must not exist unless it is a device or a pipe,
 * and symbolic links are not followed: in a directory that many users write to, somebody else
 * may have put one there.  If PATH is INPUT, the file that is being read, the message says so.
 */
bool output_open(struct output_file *output, const char *path, const char *input,
                 struct error *error);

/* Whether both PATH and OTHER, which may be NULL, exist and are one file. */
bool output_is(const char *path, const char *other);

/*
 * For --force: removes PATH (NULL: nothing) if it is a file, but not INPUT (NULL: none), the
 * file that is being read.  To be called right before PATH is created.
 */
void output_make_way(const char *path, const char *input);

/* Closes the output and removes what was written.  Always false, for `return output_discard`.
 */
bool output_discard(struct output_file *output);

/* Closes the output.  False, and ERROR, if anything could not be written. */
bool output_close(struct output_file *output, struct error *error);

#endif
