/*
 * Has many processes write one summary together: each writes its own sections, and their
 * entries of the section map, at its own offset in the file (doc/format.md, "Layout").  No
 * process needs to hold, or to know, what the others write.  Program context.
 */
#ifndef TSPROF_PUBLISH_H
#define TSPROF_PUBLISH_H

#include "assemble/sections.h"
#include "library/library.h"
#include "write/output.h"

/* What one process contributes to the summary. */
struct contribution {
    struct sections sections; /* at rank 0 with those about the whole run first */
    uint64_t locations;
    bool whole; /* none of its measurement is missing */
    char *name; /* publish stores the file's name here, of OUTPUT_NAME_BYTES; "" without one */
};

/*
 * Writes the summary.  Collective.  SUFFIX goes into the name if the summary is of a single
 * process.  Returns true, in each process alike, if the summary exists and holds everything
 * that every process has contributed, with nothing missing.  Failures are reported.
 */
bool publish(struct rank_tree *ranks, const struct contribution *contribution,
             const char *suffix);

#endif
