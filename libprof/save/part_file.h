/*
 * The file of this process's part (doc/parts.md): made when it is first needed, written to at
 * any place, found again after the program has closed its descriptor, removed at the end.
 *
 * System calls only, none that a cancelled thread could end in.  Whatever fails ends the part
 * for good; why, part_file_complain says later.
 */
#ifndef TSPROF_PART_FILE_H
#define TSPROF_PART_FILE_H

#include "timeline/timeline.h"
#include "common/part_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a part may be made: the first directory that it can be made in. */
struct part_places {
    const char *directories[2]; /* absolute; NULL at the end */
    const char *name;           /* of the file */
};

/*
 * Makes the part, in one of PLACES, which must stay.  Once.  False if it cannot be had.
 * Async-signal-safe.
 */
bool part_file_create_async(const struct part_places *places);

/* Whether there is a part that can be written to.  Any context. */
bool part_file_exists_async(void);

/* Its directory; valid once it has been made. */
const char *part_file_directory(void);

/* The record of thread NUMBER, less than PART_THREADS, as far as it is live. */
struct live *part_file_live_async(unsigned number);

/* Whether stores into it are seen at once; otherwise they have to be written. */
bool part_file_is_mapped_async(void);

/*
 * Sees to it that the descriptor is the part's, before anything is written; false, for good, if
 * that cannot be.  Async-signal-safe.
 */
bool part_file_check_async(void);

/* BYTES at the file's end that nobody else has, from the offset returned on. */
uint64_t part_file_extend_async(uint64_t bytes);

/* Writes; false, for good, if that cannot be.  Async-signal-safe. */
bool part_file_write_async(uint64_t offset, const void *bytes, size_t size);

/*
 * Says once, at LEVEL of verbosity, why there is no part any more, if it should be there.
 * Program context.  And whether that is still to be said; any context.
 */
void part_file_complain(int level);
bool part_file_must_complain_async(void);

/* Writes TEXT into a file NAME beside the part; false if it cannot be made, or is there. */
bool part_file_write_beside(const char *name, const char *text);

/* Removes the part, and its directory if nothing else is in it.  Program context. */
void part_file_remove(void);

/* In a child of fork, which must not write into it.  Async-signal-safe. */
void part_file_forget_async(void);

#endif
