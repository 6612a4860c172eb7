/*
 * Decodes and validates a section LOCATION (doc/format.md): the profiles and series of one
 * thread.  For read_summary.c, after all definitions have been read, and for read_brief.c.
 */
#ifndef TSPROF_DECODE_LOCATION_H
#define TSPROF_DECODE_LOCATION_H

#include "file/section_reader.h"

/* Reads the whole content of the section. */
void decode_location(struct reader *reader, struct location *location);

/* Reads the content up to the profile of the whole run: no iterations and no costs. */
void decode_location_sums(struct reader *reader, struct location *location);

/* Reads the content from the wall time on: without rank, thread, host, process and ending. */
void decode_numbers(struct reader *reader, struct location *location);

#endif
