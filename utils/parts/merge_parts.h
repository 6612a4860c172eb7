/*
 * From the parts of a job (doc/parts.md) to its summary.
 *
 * Two passes: the parts are read one after the other and described in common terms, then names
 * are looked up, then the numbers that were put aside are written one location after the other.
 * In memory are the common call tree and some hundred bytes for each location.
 */
#ifndef TSPROF_MERGE_PARTS_H
#define TSPROF_MERGE_PARTS_H

#include "parts/live_threads.h"
#include "parts/part_files.h"
#include "print/print.h"

struct merged {
    struct live_list live; /* where the threads are, in nodes of the summary */
    size_t parts;          /* that are in it */
    size_t ranks;          /* of the job */
    size_t missing;        /* ranks of which nothing is there */
    struct text missing_ranks;
    size_t skipped; /* parts and threads that were damaged */
};

/*
 * Writes the summary of FILES into FILE, empty and open for reading and writing; PATH is for
 * messages.  MERGED is to be freed by merged_free in any case.
 */
bool merge_parts(const struct part_files *files, int file, const char *path,
                 struct merged *merged, struct error *error);
void merged_free(struct merged *merged);

#endif
