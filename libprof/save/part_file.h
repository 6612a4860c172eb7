/*
 * The file of this process's part (doc/parts.md): created when it is first needed, written at
 * any offset, found again after the program has closed its descriptor, removed at the end.
 * Only for part, part_log and part_sink.
 *
 * Makes system calls only, and none that is a cancellation point.  The first failure ends the
 * part for good; part_file_complain reports it later.  Functions that end in _async are
 * async-signal-safe.
 */
#ifndef TSPROF_PART_FILE_H
#define TSPROF_PART_FILE_H

#include "common/part_format.h"
#include "timeline/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a part may be created: in the first of the directories that allows it. */
struct part_places {
    const char *directories[2]; /* absolute; NULL at the end */
    const char *name;           /* of the file */
};

/*
 * Creates the part in one of PLACES, whose strings must stay valid.  To be called once.  False
 * if it cannot be created anywhere.
 */
bool part_file_create_async(const struct part_places *places);

/* Whether the part has been created and has not failed since.  Any context. */
bool part_file_exists_async(void);

/* The part's directory, and its path; NULL and "" before the part has been created. */
const char *part_file_directory(void);
const char *part_file_path(void);

/* The live fields in the record of thread NUMBER, which must be less than PART_THREADS. */
struct live *part_file_live_async(unsigned number);

/*
 * Whether other processes see stores into the live fields at once.  If not, or not any more,
 * the caller has to write them with part_file_write_async.
 */
bool part_file_is_mapped_async(void);

/*
 * Makes sure that the descriptor is still the part's, and reopens the file if the program has
 * closed it.  To be called before anything is written.  False, and the part ends, if the file
 * cannot be found again, or if somebody has removed, replaced or truncated it.
 */
bool part_file_check_async(void);

/*
 * Allocates BYTES at the end of the file for the caller alone; returns their offset.  Cannot
 * fail.
 */
uint64_t part_file_extend_async(uint64_t bytes);

/* Writes SIZE bytes at OFFSET.  False, and the part ends, if that fails. */
bool part_file_write_async(uint64_t offset, const void *bytes, size_t size);

/* Writes the header, of PART_HEADER_BYTES; may be called again.  False as above. */
bool part_file_write_header_async(const void *bytes);

/*
 * part_file_complain reports once, at verbosity LEVEL, why the part has failed, if it has;
 * program context. part_file_must_complain_async tells whether that is still to be done; any
 * context.
 */
void part_file_complain(int level);
bool part_file_must_complain_async(void);

/*
 * Creates a file NAME with TEXT beside the part; false if that fails or NAME exists already.
 * Program context.
 */
bool part_file_write_beside(const char *name, const char *text);

/* Removes the part, and its directory if that is empty then.  Program context. */
void part_file_remove(void);

/* Forgets the part in a child of fork, which must not write into its parent's. */
void part_file_forget_async(void);

#endif
