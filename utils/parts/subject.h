/*
 * What a command that reads a summary is given: its file, or the parts that a job left or is
 * still writing, which are merged then and there and leave nothing behind.
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
    FILE *file;           /* of parts: what they were merged in */
};

/* Reads PATH, a summary, a part or a directory of parts.  For subject_close if that is true. */
bool subject_open(struct subject *subject, const char *path, struct error *error);
void subject_close(struct subject *subject);

/* Opens the bytes of the summary that was read from PATH, or made of the parts there; NULL and
 * a message if they cannot be.  For fclose, before subject_close. */
FILE *subject_bytes(const struct subject *subject, const char *path, struct error *error);

#endif
