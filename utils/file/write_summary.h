/*
 * Writes summaries (doc/format.md).  summary_write and summary_create make a new file PATH;
 * they are false, with a message and without leaving a file, if PATH exists or cannot be
 * written.
 */
#ifndef TSPROF_WRITE_SUMMARY_H
#define TSPROF_WRITE_SUMMARY_H

#include "common/codec.h"
#include "file/summary.h"

/*
 * Writes a summary that was read from a file and has other facts or locations now.  The
 * sections RUN and LOCATION are written from SUMMARY, the others are copied from the file that
 * it was read from.  Sections of unknown kinds are left out, since nobody can tell whether they
 * are still true.
 */
bool summary_write(const struct summary *summary, const char *path, struct error *error);

/* Writes a summary that was made in memory. */
bool summary_create(const struct summary *summary, const char *path, struct error *error);

/* The same, into FILE, which is open and empty; PATH is for messages. */
bool summary_put(const struct summary *summary, int file, const char *path,
                 struct error *error);

/* Appends the content of LOCATION's section: the whole of it, or only what follows its names,
 * from the wall time on. */
void summary_encode_location(const struct location *location, struct encoder *out);
void summary_encode_numbers(const struct location *location, struct encoder *out);

#endif
