/*
 * Many processes write one summary: each its own sections and their entries of the section map,
 * at its own place in the file (doc/format.md, "Layout").  Nobody has to hold, or know of, what
 * the others write.  Program context.
 */
#ifndef TSPROF_PUBLISH_H
#define TSPROF_PUBLISH_H

#include "assemble/sections.h"
#include "library/library.h"

/* What a process has to write. */
struct contribution {
    struct sections sections; /* rank 0's begin with those that are about all */
    uint64_t locations;
    bool whole; /* nothing of its measurement is missing */
};

/*
 * Writes the summary.  Collective.  SUFFIX is for names of summaries of single processes.  True
 * in each process if it is there as a whole: with all that every process has contributed, and
 * nothing missing. What goes wrong is said.
 */
bool publish(struct rank_tree *ranks, const struct contribution *contribution, const char *suffix);

#endif
