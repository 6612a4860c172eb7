/*
 * Files of the runtime's own that it writes while the program runs, and others' that it reads:
 * by system calls, since the C library's functions are cancellation points.  What stays open
 * has descriptors out of the program's way.  Async-signal-safe; errno tells of failures.
 */
#ifndef TSPROF_RAW_FILE_H
#define TSPROF_RAW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Which file it is, whatever has become of its name. */
struct raw_identity {
    dev_t device;
    ino_t inode;
};

/* Opens NAME in DIRECTORY, never through a symbolic link; -1 on failure. */
int raw_open_async(int directory, const char *name, int flags);

/* Closes FILE; keeps errno. */
void raw_close_async(int file);

/* Moves FILE to a high number; returns the new one, or FILE if there is none. */
int raw_move_up_async(int file);

/* The identity of FILE; all zeros if that cannot be found out. */
struct raw_identity raw_identity_async(int file);

/* Whether FILE, perhaps closed by the program or something else by now, is the one with ID. */
bool raw_is_async(int file, const struct raw_identity *id);

/* Opens PATH for reading, whatever leads to it; -1 on failure.  Never waits. */
int raw_open_to_read_async(const char *path);

/* Reads all of SIZE bytes at OFFSET; false if the file has not as many. */
bool raw_read_async(int file, uint64_t offset, void *bytes, size_t size);

/* Writes all of SIZE bytes at OFFSET, unless that is more than RLIMIT_FSIZE allows. */
bool raw_write_async(int file, uint64_t offset, const void *bytes, size_t size);

#endif
