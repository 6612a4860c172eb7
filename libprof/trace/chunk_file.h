/*
 * The file that the memory for events is mapped from while the process runs, so that it
 * outlives the process (doc/parts.md, "Events").
 *
 * It grows with the memory, a piece at a time.  A piece is written with zeros before it is
 * mapped, so that its blocks are allocated and no store needs any.  Where that fails the piece
 * stays in memory that is the process's alone, and so does what is recorded by threads that
 * block SIGBUS: the process runs on as without the file, which then lacks some events.
 */
#ifndef TSPROF_CHUNK_FILE_H
#define TSPROF_CHUNK_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* Which process it is, as its part tells. */
struct chunk_file_owner {
    uint32_t process;
    uint64_t started; /* in clock ticks since the host's start; 0: unknown */
};

/*
 * The file will be PATH, which must stay valid.  If MAPPED it is created, with what has been
 * recorded so far; otherwise only chunk_file_keep creates it.  Program context, once, by the
 * only thread that records yet.
 */
void chunk_file_start(const char *path, const struct chunk_file_owner *owner, bool mapped);

/* Chunks from FROM up to TO, which nobody has used, will be.  Any context. */
void chunk_file_reach_async(char *from, char *to);

/*
 * The file stays, with all that was recorded, and is not changed any more.  False if not all
 * could be written.  Program context; nothing is recorded any more.
 */
bool chunk_file_keep(void);

/* Removes the file.  Likewise. */
void chunk_file_remove(void);

/* In a child of fork: the file is the parent's. */
void chunk_file_forget_async(void);

#endif
