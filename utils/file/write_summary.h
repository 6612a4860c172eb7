/*
 * Writing summaries (doc/format.md).  Both functions write a new file PATH; false, and no file
 * is left, if one is there already or it cannot be written.
 */
#ifndef TSPROF_WRITE_SUMMARY_H
#define TSPROF_WRITE_SUMMARY_H

#include "common/codec.h"
#include "file/summary.h"

/*
 * Writes a summary that was read again, with other facts about the run or other locations:
 * sections RUN and LOCATION are as SUMMARY is now, the others are copied from the file that it
 * was read from; those of unknown kinds are left out, for nobody can tell whether they still
 * hold.
 */
bool summary_write(const struct summary *summary, const char *path, struct error *error);

/* Writes one that was made in memory. */
bool summary_create(const struct summary *summary, const char *path, struct error *error);

/* Appends LOCATION as its section has it; or from its wall time on, without whose it is. */
void summary_encode_location(const struct location *location, struct encoder *out);
void summary_encode_numbers(const struct location *location, struct encoder *out);

#endif
