/*
 * Makes the summary of a job from its parts (doc/parts.md).
 *
 * There are two passes.  The first reads one part after the other, unites their definitions and
 * puts their numbers aside in a temporary file.  Then names are looked up.  The second writes
 * the numbers, one location after the other.  Memory holds the common call tree and some
 * hundred bytes for each location.
 */
#ifndef TSPROF_MERGE_PARTS_H
#define TSPROF_MERGE_PARTS_H

#include "events/events.h"
#include "parts/live_threads.h"
#include "parts/part_files.h"
#include "print/print.h"

struct merged {
    struct live_list live; /* where the threads are */
    size_t parts;          /* how many were merged */
    size_t ranks;          /* of the job */
    size_t missing;        /* ranks without any data */
    struct text missing_ranks;
    size_t skipped;   /* damaged parts and threads that were left out */
    bool has_events;  /* of chosen iterations */
    bool has_archive; /* which were written into an archive */
    struct job_trace_written events;
    struct error no_archive; /* why they were not */
};

/*
 * Writes the summary of FILES into FILE, which must be empty and open for reading and writing;
 * messages name PATH.  If there are events they are written into the archive ARCHIVE, a
 * directory, unless that is NULL; if REPLACES, instead of one that is there.  Where that fails
 * the summary is there all the same.  Call merged_free in any case.
 */
bool merge_parts(const struct part_files *files, int file, const char *path,
                 const char *archive, bool replaces, struct merged *merged,
                 struct error *error);
void merged_free(struct merged *merged);

#endif
