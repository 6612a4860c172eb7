/*
 * Writing a tar archive (POSIX.1-1988 "ustar") to a stream, from its first byte to its last:
 * the size of a member is said before its content, so nothing is written twice and the stream
 * may be a pipe.  Errors of the stream stay in the stream, for who closes it.
 *
 * CubeLib's reader takes one block more than there is to follow a member whose size is a
 * multiple of 512, so such members are not for it; see tar_size_is_safe.
 */
#ifndef TSPROF_TAR_H
#define TSPROF_TAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Start from {stream}. */
struct tar {
    FILE *stream;
    uint64_t size, written; /* of the member that is open */
};

/* True if every known reader finds what follows a member of SIZE bytes. */
bool tar_size_is_safe(uint64_t size);

/*
 * Begins the member NAME (at most 99 bytes) with SIZE bytes; those that tar_write then does not
 * bring are zero.  Of 8 GiB and more it says so in an extended header (POSIX.1-2001).
 */
void tar_begin(struct tar *tar, const char *name, uint64_t size);

/* More of the member's content; what exceeds its size is dropped. */
void tar_write(struct tar *tar, const void *bytes, size_t size);

/* Ends the member. */
void tar_end(struct tar *tar);

/* Ends the archive. */
void tar_finish(struct tar *tar);

#endif
