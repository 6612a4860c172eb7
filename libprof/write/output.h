/*
 * The file of a summary while it is written: where it may be, and bytes at places in it.
 * Several processes can have the same file open; a mark in its header tells it from any other.
 * Program context.
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
    int level;   /* at which failures are said, see message.h */
    bool failed; /* something could not be written */
};

/*
 * Creates a new file, which is to become SIZE bytes long, for a run of RANKS processes; never
 * over an existing one.  Tries the places where a summary may go from number PLACE on: what
 * TSPROF_OUTPUT says, then the directories TSPROF_TMPDIR, TMPDIR and /tmp.  Returns the place,
 * or -1 if there is none left.  What fails is said.
 */
int output_create(struct output *output, int place, int ranks, const char *suffix,
                  uint64_t size);

/*
 * Opens the file that another process has created; false if it cannot be seen from here.  That
 * one speaks for all: what fails here is said where more is asked for than usual.
 */
bool output_join(struct output *output, const char *name, uint64_t mark);

/* Writes SIZE bytes at OFFSET, unless something has failed before. */
void output_write(struct output *output, uint64_t offset, const void *bytes, size_t size);

/* Closes it, if it is open; true if all that was written is in the file. */
bool output_close(struct output *output);

/* Closes and removes it: only by who has created it. */
void output_discard(struct output *output);

#endif
