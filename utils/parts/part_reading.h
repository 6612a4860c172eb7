/*
 * Reads one part file (doc/parts.md), in which a process keeps what it has measured while it
 * runs.  The process may still be writing to it; what is read here was consistent at some
 * moment.
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
    struct summary shell; /* path, facts and metrics; its pool has all that is read */
    int file;
    uint64_t bytes;
    uint32_t rank; /* or PART_NO_RANK */
    uint32_t ranks;
    uint32_t process;
    uint64_t started; /* of the process: clock ticks since the host booted; 0: unknown */
    bool live;        /* threads keep their records up to date, not only when they save */
    uint64_t first_tick, multiplier;
    int64_t epoch_ns, monotonic_ns; /* where the time line begins, on these clocks */
    uint64_t host_identity;         /* see common/host_identity.h; 0: unknown */
    uint64_t clock; /* the same in all parts whose times are by one clock; 0: unknown */
    bool recent;    /* it was written to less than a minute ago, by this host's clock */
    const char *host, *key;
    struct part_call *calls;
    size_t call_count;
    enum part_ending ending;
    uint32_t lost_threads;   /* threads without a record */
    bool used[PART_THREADS]; /* by record: it was in use when the part was opened */
    uint64_t runs_left;      /* so many runs may its maps still unfold into */
};

struct part_slot {
    uint64_t offset, size;
    uint32_t sequence, crc;
};

/* The record of a thread: where it is, and where its data are. */
struct part_thread {
    uint32_t system_thread;
    uint32_t call;    /* the MPI function that it is in, or SUMMARY_NONE */
    int64_t since_ns; /* when that call began, on the time line */
    uint64_t caller;  /* the address that called it; 0: unknown */
    uint32_t node;    /* the call path on which it was seen last, or SUMMARY_NONE */
    enum part_seen seen;
    int64_t seen_ns;
    uint64_t log; /* offset of its first batch; 0: none */
    struct part_slot slots[2];
    unsigned slot_count; /* of valid entries in `slots`, the newer one first */
    bool slot_damaged;   /* there is another one, which is not valid */
};

/* Opens PATH, which must outlive PART.  On failure nothing is left open. */
bool part_open(struct part_reading *part, const char *path, struct error *error);
void part_close(struct part_reading *part);

/* Reads record NUMBER; false if it was not in use. */
bool part_read_thread(const struct part_reading *part, unsigned number,
                      struct part_thread *thread);

/*
 * Reads SIZE bytes at OFFSET; the caller's to free().  NULL if they do not lie in the file or
 * are too many.
 */
unsigned char *part_read_bytes(const struct part_reading *part, uint64_t offset, uint64_t size);

/* Reads the content of SLOT; the caller's to free().  NULL if its checksum is wrong. */
unsigned char *part_read_slot(const struct part_reading *part, const struct part_slot *slot);

/* The current time on the part's time line.  If the part is from another host (HERE is false),
 * only as exact as the hosts' clocks agree. */
int64_t part_now_ns(const struct part_reading *part, bool here);

#endif
