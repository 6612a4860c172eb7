/*
 * The trace of a job that left parts, after its summary: what the room of events (events.h)
 * needs to know of the job, from the union of its parts.  For merge_parts.c.
 */
#ifndef TSPROF_PART_EVENTS_H
#define TSPROF_PART_EVENTS_H

#include "assemble/resolve.h"
#include "parts/merge_parts.h"
#include "parts/unite_part.h"

/* Start with the name of the archive, NULL if none is wanted, and zeros. */
struct part_events {
    const char *archive;
    bool replaces;                            /* one that is there */
    struct encoder regions, calltree, phases; /* copies of the summary's sections */
    uint32_t *numbers; /* in the call tree, by node of the definitions; from allocate */
};

/* Copies the sections of DESCRIPTION, before the summary takes them, if they are wanted. */
void part_events_keep_sections(struct part_events *events,
                               const struct description *description);

/* Writes the archive if there are events of ALL, and says in MERGED what has become of it. */
void part_events_write(struct part_events *events, struct union_of_parts *all,
                       struct merged *merged);
void part_events_free(struct part_events *events);

#endif
