/*
 * What the messages and operations within one call amount to, for who looks at it: gathered
 * from the call's beginning to its end.
 */
#ifndef TSPROF_CALL_FACTS_H
#define TSPROF_CALL_FACTS_H

#include "archive/archive.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct call_facts {
    bool is_written;     /* its beginning was */
    uint32_t peer, root; /* processes; TRACE_NONE: there is none, or are several */
    uint32_t comm;       /* TRACE_NONE */
    uint32_t tag;        /* of the last message */
    uint32_t sends, receives, transfers, collectives;
    uint64_t sent, received; /* bytes */
};

void call_facts_begin(struct call_facts *facts, bool is_written);
void call_facts_add(struct call_facts *facts, const struct trace_event *event);
/* Writes `,"args":{...}`, or nothing if there is nothing to say. */
void call_facts_write(const struct call_facts *facts, const struct trace *trace, FILE *stream);

#endif
