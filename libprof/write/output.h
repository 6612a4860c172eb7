/*
 * The file of a summary while it is written: the places where it may be created, and writing at
 * offsets.  Several processes can have the same file open; a mark in its header tells it from
 * any other.  Program context.  Failures are reported to the user here, where their cause is
 * known.
 */
#ifndef TSPROF_OUTPUT_H
#define TSPROF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTPUT_NAME_BYTES = 4096 };

struct output {
    char name[OUTPUT_NAME_BYTES];
    uint64_t mark;
    int file;    /* -1: not open */
    int level;   /* verbosity at which failures are reported */
    bool failed; /* something could not be written */
};

/*
 * Creates a new file for a run of RANKS processes, with room for SIZE bytes; never overwrites
 * one.  Tries the places where a summary may go, from number PLACE on: the one of
 * TSPROF_OUTPUT, then the directories TSPROF_TMPDIR, TMPDIR and /tmp.  Returns the number of
 * the place, or -1 if none is left.
 */
int output_create(struct output *output, int place, int ranks, const char *suffix,
                  uint64_t size);

/*
 * Opens the file NAME that another process has created, if it is the one with MARK.  False if
 * this process cannot see it.  Such failures are reported only at a higher verbosity, since
 * that process reports for all.
 */
bool output_join(struct output *output, const char *name, uint64_t mark);

/* Writes SIZE bytes at OFFSET, unless something has failed before. */
void output_write(struct output *output, uint64_t offset, const void *bytes, size_t size);

/* Closes the file, if it is open; true if everything written is in it. */
bool output_close(struct output *output);

/* Closes and removes the file; only for the process that has created it. */
void output_discard(struct output *output);

#endif
