/*
 * Decodes and validates the sections that are about all locations (doc/format.md).  For
 * read_summary.c; encode_definitions.h is the way back.
 */
#ifndef TSPROF_DECODE_DEFINITIONS_H
#define TSPROF_DECODE_DEFINITIONS_H

#include "common/format.h"
#include "file/section_reader.h"

/*
 * Reads the content of section KIND, any but LOCATION, into the reader's summary.  The tables
 * that it has indexes into must have been read before.
 */
void decode_definitions(struct reader *reader, enum format_section kind);

#endif
