/*
 * A new summary file while it is written, section by section (doc/format.md, "Layout"): no more
 * than one has to be in memory.
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
    uint32_t sections;  /* that there are going to be */
    struct encoder map; /* of those that there are */
    int reason;         /* errno of the first failure, 0: none yet */
};

/* Begins to write into FILE, which is empty, a summary of SECTIONS sections. */
void summary_file_begin(struct summary_file *out, int file, const char *path,
                        uint32_t sections);

/* Appends a section with CONTENT, and frees that. */
void summary_file_add(struct summary_file *out, enum format_section kind, uint32_t location,
                      struct encoder *content);

/* Writes what tells of the sections; false if anything could not be written.  FILE stays open.
 */
bool summary_file_end(struct summary_file *out, enum format_state state, struct error *error);

#endif
