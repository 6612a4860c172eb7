/*
 * The sections of doc/format.md that are about all locations, from a summary in memory.
 */
#ifndef TSPROF_ENCODE_DEFINITIONS_H
#define TSPROF_ENCODE_DEFINITIONS_H

#include "common/codec.h"
#include "file/summary.h"

/* Adds the content of the section KIND, which is not RUN or LOCATION, to OUT. */
void encode_definitions(const struct summary *summary, enum format_section kind,
                        struct encoder *out);

#endif
