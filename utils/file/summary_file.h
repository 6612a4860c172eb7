/*
 * Writes a new summary file section by section (doc/format.md, "Layout"), so that only one
 * section needs to be in memory.
 */
#ifndef TSPROF_SUMMARY_FILE_H
#define TSPROF_SUMMARY_FILE_H

#include "base/base.h"
#include "common/codec.h"
#include "common/format.h"

#include <stdbool.h>
#include <stdint.h>

struct summary_file {
    const char *path; /* for messages */
    int file;
    uint64_t at;        /* where the next section begins */
    uint32_t sections;  /* how many there will be */
    struct encoder map; /* the entries of those written so far */
    int reason;         /* errno of the first failure, 0: none yet */
};

/* Starts a summary of SECTIONS sections in FILE, which must be empty. */
void summary_file_begin(struct summary_file *out, int file, const char *path,
                        uint32_t sections);

/* Appends a section and frees CONTENT.  Errors are reported by summary_file_end. */
void summary_file_add(struct summary_file *out, enum format_section kind, uint32_t location,
                      struct encoder *content);

/* Writes the map and the header.  False, and ERROR, if anything could not be written.  FILE
 * stays open. */
bool summary_file_end(struct summary_file *out, enum format_state state, struct error *error);

#endif
