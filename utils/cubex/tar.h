/*
 * Writes a tar archive (POSIX.1-1988 "ustar") to a stream, from beginning to end: the size of a
 * member is given before its content, so the stream may be a pipe.  Check the stream for errors
 * afterwards (ferror).
 *
 * CubeLib's reader skips one block too many after a member whose size is a multiple of 512, so
 * avoid such sizes in files for it: see tar_size_is_safe.
 */
#ifndef TSPROF_TAR_H
#define TSPROF_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Start with all members zero except `stream`. */
struct tar {
    FILE *stream;
    uint64_t size, written; /* bytes of the open member */
};

/* Whether CubeLib's reader finds what follows a member of SIZE bytes. */
bool tar_size_is_safe(uint64_t size);

/*
 * Begins member NAME (at most 99 bytes), of SIZE bytes.  Bytes that are not written before
 * tar_end are zero.  A SIZE of 8 GiB or more is given in an extended header (POSIX.1-2001).
 */
void tar_begin(struct tar *tar, const char *name, uint64_t size);

/* Writes more of the member's content; bytes beyond its size are dropped. */
void tar_write(struct tar *tar, const void *bytes, size_t size);

/* Ends the member. */
void tar_end(struct tar *tar);

/* Ends the archive. */
void tar_finish(struct tar *tar);

#endif
