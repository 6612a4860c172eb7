/*
 * A thread's stalls (timeline/stalls.h) as cost facts of LOCATION (doc/format.md):
 * `stall.KIND.BIN` for each bin that is not empty, and `stall.KIND.longest_ns` for each kind
 * that has one.  Async-signal-safe if the encoder's flush is.
 */
#ifndef TSPROF_STALL_FACTS_H
#define TSPROF_STALL_FACTS_H

#include "common/codec.h"
#include "timeline/timeline.h"

/* The number of facts. */
unsigned stall_facts_count_async(const struct stalls *stalls);

/* Appends them, as pairs of key and value. */
void stall_facts_encode_async(const struct stalls *stalls, struct encoder *out);

#endif
