/*
 * Opens what the user names for a command that reads a summary: a summary, or the parts that a
 * job left or is still writing.  Parts are merged in a temporary file that vanishes at the end.
 */
#ifndef TSPROF_SUBJECT_H
#define TSPROF_SUBJECT_H

#include "file/file.h"
#include "parts/merge_parts.h"

#include <stdio.h>

struct subject {
    struct summary *summary;
    bool of_parts;
    struct merged merged; /* of parts */
    FILE *file;           /* of parts: the temporary file */
    bool has_more;        /* metrics than the file: openmp/openmp.h */
};

/*
 * The name of the newest summary in the current directory, a static string; NULL, and ERROR, if
 * there is none.
 */
const char *subject_newest(struct error *error);

/* Reads PATH: a summary, a part or a directory of parts.  If true, end with subject_close. */
bool subject_open(struct subject *subject, const char *path, struct error *error);
void subject_close(struct subject *subject);

/* Opens the file of the summary that was read from PATH, or merged from the parts there; where
 * the summary has metrics that the file lacks, a temporary one that has them.  NULL, and ERROR,
 * on failure.  Close it with fclose before subject_close. */
FILE *subject_bytes(const struct subject *subject, const char *path, struct error *error);

#endif
