/*
 * Decodes and validates section WAITS (doc/format.md).  For read_summary.c; encode_waits.h is
 * the way back.
 */
#ifndef TSPROF_DECODE_WAITS_H
#define TSPROF_DECODE_WAITS_H

#include "file/section_reader.h"

/* Reads the section into the reader's summary, of which all other sections have been read. */
void decode_waits(struct reader *reader);

#endif
