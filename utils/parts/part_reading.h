/*
 * One part file (doc/parts.md): what a process of a job keeps of its measurement while it runs.
 * The process may still run and write: what is read here was whole at some instant.
 */
#ifndef TSPROF_PART_READING_H
#define TSPROF_PART_READING_H

#include "base/base.h"
#include "common/part_format.h"
#include "file/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_NO_RANK UINT32_MAX

/* An MPI function as the part numbers it. */
struct part_call {
    const char *name, *group;
};

struct part_reading {
    struct summary shell; /* path, facts, metrics; memory of all that is read from the part */
    int file;
    uint64_t bytes;
    uint32_t rank; /* or PART_NO_RANK */
    uint32_t ranks;
    uint32_t process;
    uint64_t started; /* clock ticks after the host's start; 0: unknown */
    bool live;        /* threads tell where they are as things happen */
    uint64_t first_tick, multiplier;
    int64_t epoch_ns, monotonic_ns; /* 0 on the time line */
    const char *host, *key;
    struct part_call *calls;
    size_t call_count;
    enum part_ending ending;
    uint32_t lost_threads;   /* of which nothing is known */
    bool used[PART_THREADS]; /* records that were in use when the part was opened */
};

struct part_slot {
    uint64_t offset, size;
    uint32_t sequence, crc;
};

/* Where a thread is. */
struct part_thread {
    uint32_t system_thread;
    uint32_t call;    /* that it is in, or SUMMARY_NONE */
    int64_t since_ns; /* on the time line: that call began */
    uint64_t caller;  /* an address; 0: unknown */
    uint32_t node;    /* call path where it was seen last, or SUMMARY_NONE */
    enum part_seen seen;
    int64_t seen_ns;
    uint64_t log; /* offset of its first batch; 0: none */
    struct part_slot slots[2];
    unsigned slot_count; /* those that are whole themselves, the newer one first */
};

/* Opens PATH, which must outlive PART.  On failure nothing is left open. */
bool part_open(struct part_reading *part, const char *path, struct error *error);
void part_close(struct part_reading *part);

/* Reads record NUMBER; false if it was not in use. */
bool part_read_thread(const struct part_reading *part, unsigned number,
                      struct part_thread *thread);

/*
 * Reads SIZE bytes at OFFSET, which must lie in the file; NULL if they do not or are too many.
 * The caller's to free().
 */
unsigned char *part_read_bytes(const struct part_reading *part, uint64_t offset, uint64_t size);

/* The content of SLOT if its checksum is right, or NULL; the caller's to free(). */
unsigned char *part_read_slot(const struct part_reading *part, const struct part_slot *slot);

/* Now, on the part's time line; of another host (HERE is false) as well as clocks agree. */
int64_t part_now_ns(const struct part_reading *part, bool here);

#endif
