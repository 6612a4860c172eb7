/*
 * Small synthetic parts (doc/parts.md) for unit tests of their reader and of merging: what the
 * processes of the example of summary_maker.h might have left.
 *
 * A maker holds the content of every piece; a test may replace or change any of them before it
 * asks for the file.
 */
#ifndef TSPROF_PART_MAKER_H
#define TSPROF_PART_MAKER_H

#include "common/codec.h"

#include <stdbool.h>
#include <stdint.h>

enum { PART_MAKER_THREADS = 2, PART_MAKER_KEY_BYTES = 32 };

struct thread_maker {
    struct encoder log; /* the content of its only batch */
    struct encoder snapshots[2];
    uint32_t sequences[2]; /* 0: no such slot */
    uint64_t since_ns;     /* live, as in the file, but in nanoseconds of the time line */
    uint64_t caller;
    uint32_t call, node, seen;
    uint64_t seen_ns;
};

struct part_maker {
    uint32_t version, location_version;
    uint32_t rank, ranks, process, flags;
    uint64_t started;
    uint32_t ending, lost_threads;
    struct encoder facts;
    struct thread_maker threads[PART_MAKER_THREADS];
    uint32_t thread_count;
};

/* Numbers of MPI functions in the example's parts. */
enum { PART_MAKER_ALLREDUCE, PART_MAKER_RECV };

/* Where the example's time line has come to when its snapshots are made. */
#define PART_MAKER_SAVED_NS UINT64_C(30000000)

/*
 * The part of RANK, 0 or 1, of a job with KEY: one snapshot of each of its threads, whole, with
 * no iteration open; process 4000 + rank on host "node01".
 */
void part_maker_example(struct part_maker *maker, uint32_t rank, const char *key);

/*
 * Puts a second, newer snapshot into thread 0: of a little later, when iteration 6 (5 on rank
 * 1) of `step` is open, 1 ms of computation and an MPI_Recv of 2 ms in it.
 */
void part_maker_open_iteration(struct part_maker *maker);

/* The whole file, with correct checksums, in OUT, which starts empty. */
void part_maker_write(const struct part_maker *maker, struct encoder *out);
void part_maker_free(struct part_maker *maker);

#endif
