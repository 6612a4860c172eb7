/*
 * Encodes the sections that are about all locations (doc/format.md) from a summary in memory.
 */
#ifndef TSPROF_ENCODE_DEFINITIONS_H
#define TSPROF_ENCODE_DEFINITIONS_H

#include "common/codec.h"
#include "file/summary.h"

/* Appends the content of section KIND, which must not be RUN or LOCATION, to OUT. */
void encode_definitions(const struct summary *summary, enum format_section kind,
                        struct encoder *out);

#endif
