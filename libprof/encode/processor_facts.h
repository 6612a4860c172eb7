/*
 * The processors that a thread may run on (host/processor.h) as cost facts of LOCATION
 * (doc/format.md): `processors.WORD` for each word that is not 0, so none if they are unknown.
 * Async-signal-safe if the encoder's flush is.
 */
#ifndef TSPROF_PROCESSOR_FACTS_H
#define TSPROF_PROCESSOR_FACTS_H

#include "common/codec.h"
#include "host/host.h"

/* The number of facts. */
unsigned processor_facts_count_async(const struct processor_set *set);

/* Appends them, as pairs of key and value. */
void processor_facts_encode_async(const struct processor_set *set, struct encoder *out);

#endif
