/*
 * tsprof_pattern.h: what a pattern is that `tsprof waits` searches traces for.
 *
 * A pattern is a table: the metrics that it finds, each a part of another one, and functions
 * that are called with what the analysis has matched: a call of MPI with the messages that end
 * in it, an instance of a collective operation, a pair of processes that a window's epoch
 * synchronizes, a function that was entered or left, and what other patterns have found.  A
 * function publishes severities: how much of which metric a call has, and whose fault that is.
 * tsprof's own patterns use this interface and nothing else, but that those for wavefronts
 * and for masters know more of the processes.
 *
 * A pattern of yours is a shared object with one symbol, tsprof_pattern (see the end):
 *
 *     cc -shared -fPIC -o mine.so mine.c
 *     tsprof waits app.4982.otf2 -o waits.tsprof --pattern ./mine.so
 *
 * It runs in a process of its own.  What it publishes is added to what tsprof has found when
 * all events have been told; of its own causes tsprof makes nothing, and it is not told what
 * other patterns given by --pattern publish.  doc/patterns/README.md builds one step by step.
 *
 * All functions are called by one thread.  What they are given lives until they return.  Times
 * are in nanoseconds since the trace began.  Processes, threads, regions and communicators are
 * numbers from 0.
 *
 * Copyright the tsprof authors.  SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TSPROF_PATTERN_H
#define TSPROF_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TSPROF_PATTERN_VERSION 2

/* Stands for "none" where a number is expected. */
#define TSPROF_NONE UINT32_MAX

/* Where and when a thread was: a call path of a thread in an iteration, and a time. */
struct tsprof_point {
    uint32_t thread;
    uint32_t path; /* tells thread, iteration and call path; TSPROF_NONE: unknown */
    uint64_t time_ns;
};

enum tsprof_operation {
    TSPROF_BARRIER,
    TSPROF_N_TO_N,   /* all wait for all: Allreduce, Alltoall ... */
    TSPROF_ONE_TO_N, /* Bcast, Scatter */
    TSPROF_N_TO_ONE, /* Reduce, Gather */
    TSPROF_SCAN,     /* a rank waits for the lower ones: Scan, Exscan */
    TSPROF_INIT,     /* of MPI */
    TSPROF_FINALIZE, /* of MPI */
    TSPROF_WIN_CREATE,
    TSPROF_WIN_FREE,
    TSPROF_WIN_FENCE,
    TSPROF_NEIGHBORS,      /* a process waits for its neighbours only: Neighbor_alltoall ... */
    TSPROF_FILE_OPERATION, /* by all who have opened a file: File_read_all, File_write_at_all
                              ... */
    TSPROF_OPERATIONS
};

/* A call of MPI that has ended. */
struct tsprof_call {
    struct tsprof_point enter; /* its time: when the function was entered */
    uint64_t leave_ns;
    uint32_t region; /* the function */
    uint32_t process;
    bool blocks; /* false: MPI_Test and the like, which never wait */
    /* Known in on_call, and in on_severity of that call.  NULL: none. */
    const struct tsprof_message *arrived; /* messages that have arrived in it */
    const struct tsprof_message *sent;    /* messages whose send has been completed in it */
};

/* A message whose two ends are known. */
struct tsprof_message {
    struct tsprof_point send;    /* when the call that started to send it was entered */
    struct tsprof_point receive; /* when the call that started to receive it was */
    uint64_t bytes;              /* as received */
    uint64_t order;              /* of two messages, the one with less was sent
                                    earlier */
    uint32_t from, to;           /* processes */
    uint32_t tag, comm;
    bool is_buffered; /* its send waits for nobody */
    uint64_t oldest;  /* of the messages to the same process that have not been told of yet, the
                         order of the oldest; UINT64_MAX: there is none */
    const struct tsprof_message *next_arrived; /* in the same call; NULL: no more */
    const struct tsprof_message *next_sent;
};

/* The last of a process's transfers to a target between two fences. */
struct tsprof_transfer {
    uint32_t target; /* which of the members of the fence */
    const struct tsprof_call *call;
};

/* What a process has to do with a collective operation. */
struct tsprof_member {
    const struct tsprof_call *call; /* that ends it */
    struct tsprof_point start;      /* the call that starts it: the same, if it blocks */
    uint32_t rank;                  /* in the communicator's group */
    bool is_remote;                 /* in the other group of an intercommunicator */
    /* Of a fence: one for each target that was accessed since the fence before. */
    const struct tsprof_transfer *transfers;
    size_t transfer_count;
    /* Of TSPROF_NEIGHBORS: which of the members it receives from; none if that is not known. */
    const uint32_t *sources;
    size_t source_count;
};

/* A collective operation that all have left; members are in the order of ranks. */
struct tsprof_collective {
    enum tsprof_operation operation;
    uint32_t comm; /* TSPROF_NONE: of the job */
    uint32_t root; /* which of the members; TSPROF_NONE: it has none, or is not known */
    const struct tsprof_member *members;
    size_t member_count;
};

/* A process on the other side of an epoch of a window. */
struct tsprof_partner {
    uint32_t process;
    struct tsprof_point
        ready;        /* of an access: the call that posts, of an exposure: that completes */
    bool is_used;     /* there was a transfer between the two */
    uint64_t last_ns; /* of an exposure: when the one that accesses had made its last transfer
                         to anybody, or its epoch had begun; 0: not known */
};

/* An epoch between MPI_Win_start and MPI_Win_complete, or one that MPI_Win_wait ends. */
struct tsprof_epoch {
    uint32_t window, process;
    bool is_exposure;
    /* Of an access those from start to complete, of an exposure the one that waits. */
    const struct tsprof_call *const *calls;
    const uint32_t *targets; /* by call: the process that is accessed; TSPROF_NONE: all */
    size_t call_count;
    const struct tsprof_partner *partners;
    size_t partner_count;
};

/* A call within a lock of a window, and who may have held it up. */
struct tsprof_locked {
    const struct tsprof_call *call;
    bool is_transfer;
    struct tsprof_point holder; /* who gave back the lock meanwhile; its path is TSPROF_NONE if
                                   nobody did */
    struct tsprof_point progress; /* the target's next call of MPI, if it was in none and came
                                     to one meanwhile */
};

/* A function that is entered or left, of MPI or not. */
struct tsprof_visit {
    struct tsprof_point enter; /* its time: when the function was entered */
    uint64_t leave_ns;         /* of on_leave */
    uint32_t region, process;
};

/* What another pattern has found, after the longest wait of a call was chosen. */
struct tsprof_finding {
    const char *metric;
    const struct tsprof_call *call; /* NULL: a call that was told of earlier, on PATH */
    uint32_t path;
    uint64_t amount;
    struct tsprof_point cause; /* its path is TSPROF_NONE: nobody's fault, or a part of a wait
                                  that has been told of */
};

/* How much of a metric a call has. */
struct tsprof_severity {
    unsigned metric;                /* which of the pattern's */
    const struct tsprof_call *call; /* NULL: one that was told of earlier, on PATH */
    uint32_t path;                  /* then it is part of what the path has altogether */
    uint64_t amount;                /* nanoseconds, or what the metric's unit says */
    struct tsprof_point cause;      /* the call that was waited for; its path may be
                                       TSPROF_NONE: nobody's fault */
};

/* What the analysis does for a pattern. */
struct tsprof_analysis;
struct tsprof_analysis_functions {
    unsigned version;
    /* Of a time, no more is taken than the call has left. */
    void (*publish)(struct tsprof_analysis *analysis, const struct tsprof_severity *severity);
    /* The name of a region, such as "MPI_Send"; "" if there is none with that number. */
    const char *(*region_name)(const struct tsprof_analysis *analysis, uint32_t region);
    /* The rank of a process in MPI_COMM_WORLD; TSPROF_NONE if it has none. */
    uint32_t (*rank)(const struct tsprof_analysis *analysis, uint32_t process);
};

struct tsprof_metric {
    const char *name;   /* nobody else's: small letters, digits and _ */
    const char *parent; /* of these, of earlier patterns or of tsprof's, with the same unit;
                           NULL: none, it stands beside "time" */
    const char *unit;   /* "s" (what is published are nanoseconds), "bytes" or "occ" */
    const char *text;   /* one sentence */
};

/* A pattern.  Functions that it does not need are NULL. */
struct tsprof_pattern {
    unsigned version; /* TSPROF_PATTERN_VERSION */
    const char *name;
    const struct tsprof_metric *metrics;
    size_t metric_count;
    /* Before the first event; what it returns is given to the others as STATE.  NULL: that is
     * NULL. */
    void *(*begin)(struct tsprof_analysis *analysis,
                   const struct tsprof_analysis_functions *functions);
    void (*on_call)(void *state, const struct tsprof_call *call);
    void (*on_collective)(void *state, const struct tsprof_collective *collective);
    void (*on_epoch)(void *state, const struct tsprof_epoch *epoch);
    void (*on_locked)(void *state, const struct tsprof_locked *locked);
    /* These two in the order of time of each thread, not of functions that only samples show;
     * all others when everything of an event is known. */
    void (*on_enter)(void *state, const struct tsprof_visit *visit);
    void (*on_leave)(void *state, const struct tsprof_visit *visit);
    void (*on_severity)(void *state, const struct tsprof_finding *finding);
    void (*end)(void *state); /* after the last event; may publish */
};

/* What a shared object with a pattern defines. */
extern const struct tsprof_pattern tsprof_pattern;

#ifdef __cplusplus
}
#endif

#endif
