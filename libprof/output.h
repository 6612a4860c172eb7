/*
 * The summary file while it is written: sections one after the other, then their map, then the
 * header, so that an interrupted file is recognised as such.  Program context.
 */
#ifndef TSPROF_OUTPUT_H
#define TSPROF_OUTPUT_H

#include "codec.h"
#include "format.h"

#include <stdbool.h>
#include <stdint.h>

struct output {
    char name[4096];
    int file; /* -1: not open or given up, and said so */
    uint64_t size;
    struct encoder map;
    uint32_t sections;
};

/*
 * Creates a new file for a run of RANKS processes, never over an existing one.  Where the
 * directory cannot be written to, the file goes to TMPDIR or /tmp and a message says so.
 */
void output_open(struct output *output, int ranks, const char *suffix);

/* Appends a section; errors are reported once and close the file. */
void output_section(struct output *output, enum format_section kind, uint32_t location,
                    const void *bytes, size_t size);

/* Writes map and header and closes; true if the summary is whole. */
bool output_close(struct output *output, enum format_state state);

#endif
