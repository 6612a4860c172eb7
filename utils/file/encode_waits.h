/*
 * Encodes section WAITS (doc/format.md).  For write_summary.c; decode_waits.h is the way back.
 */
#ifndef TSPROF_ENCODE_WAITS_H
#define TSPROF_ENCODE_WAITS_H

#include "common/codec.h"
#include "file/summary.h"

/* Whether SUMMARY has what is encoded. */
bool waits_exist(const struct summary *summary);
/* Appends the content of the section to OUT. */
void encode_waits(const struct summary *summary, struct encoder *out);

#endif
