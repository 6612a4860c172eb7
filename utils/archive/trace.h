/*
 * A trace that is open for reading: what its archive defines, and its events.
 *
 * References of the archive have become indices in these tables, all of them in range or
 * TRACE_NONE.  Strings are as in the archive: escape them before they reach a terminal.
 */
#ifndef TSPROF_TRACE_H
#define TSPROF_TRACE_H

#include "archive/corrections.h"
#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NONE UINT32_MAX

/* A location group: an MPI rank, or a device beside one. */
struct trace_process {
    const char *name, *host;
    uint32_t rank; /* of the job; TRACE_NONE: it has none */
};

/* A location: a thread. */
struct trace_thread {
    const char *name;
    uint32_t process;
    uint32_t number; /* within the process, from 0 on */
    uint64_t events; /* as the archive says */
};

struct trace_region {
    const char *name, *file;
    uint32_t line;      /* 0: unknown */
    bool is_mpi;        /* a function of MPI */
    bool is_phase;      /* marked by the user: its instances may be iterations */
    bool counts_itself; /* its instances are iterations, without an event that says which */
    const char
        *metric; /* the metric that its time belongs to, as tsprof calls it; never NULL */
};

struct trace_counter {
    const char *name, *unit;
};

/* A node of the tree that samples are in. */
struct trace_context {
    uint32_t region, parent; /* TRACE_NONE */
};

struct trace_comm {
    const char *name;
    uint32_t *members, *others; /* processes by rank; `others`: of the remote group */
    size_t member_count, other_count;
    bool is_self;
};

/* A Cartesian topology, as MPI_Cart_create makes it. */
struct trace_grid {
    uint32_t comm;
    unsigned dimensions; /* at least 1 */
    uint32_t *sizes;     /* by dimension, the slowest first */
    bool *is_periodic;
    uint32_t *places; /* by process, then dimension; TRACE_NONE: it is not in the grid */
};

struct trace {
    const char *path; /* of the anchor file */
    struct trace_process *processes;
    size_t process_count;
    struct trace_thread *threads;
    size_t thread_count;
    struct trace_region *regions;
    size_t region_count;
    struct trace_counter *counters;
    size_t counter_count;
    struct trace_context *contexts;
    size_t context_count;
    struct trace_comm *comms;
    size_t comm_count;
    struct trace_grid *grids;
    size_t grid_count;
    uint64_t length_ns;
    bool is_of_tsprof;               /* who wrote the archive */
    const char *program;             /* that was traced; "" if the archive does not say */
    bool reads_ahead;                /* it is decoded by a thread of its own, */
    unsigned decoders;               /* which so many others read files for */
    struct corrections *corrections; /* of the events' times; NULL */
    bool has_windows;                /* of one-sided communication */
    const bool *selected; /* by thread, before trace_read: whose events are visited, the
                             caller's; NULL: all */
    bool has_one_clock;   /* trace_write_moved has made it: its hosts' clocks cannot disagree */
    struct otf2_reader *reader;
    struct memory_pool pool;
};

enum trace_kind {
    TRACE_ENTER,
    TRACE_LEAVE,
    TRACE_SEND,         /* `request` if it does not block */
    TRACE_SENT,         /* the send with `request` is complete */
    TRACE_POST,         /* a receive that does not block: `request` only */
    TRACE_RECV,         /* a message has arrived; `request` if it was posted */
    TRACE_CANCEL,       /* of a request */
    TRACE_COLLECT,      /* a collective operation ends; `request` if it did not block */
    TRACE_COLLECT_POST, /* one that does not block begins: `request` only; of files, `comm` and
                           `operation` as well */
    TRACE_FILE,         /* a process has read or written a file alone */
    TRACE_RMA,          /* one-sided: `peer` is the target */
    TRACE_RMA_SYNC,     /* synchronization of one-sided communication, with `peer` */
    TRACE_SAMPLE,
    TRACE_COUNTER,
    TRACE_SOURCES, /* the process receives from `peer` in operations among neighbours on `comm`;
                      TRACE_NONE: from those that follow */
    TRACE_NEIGHBORHOOD, /* the collective operation `request`, which ends next, is one among
                           neighbours */
    TRACE_OFF,          /* recording pauses here */
};

#define TRACE_NO_REQUEST UINT64_MAX

enum trace_operation {
    TRACE_OTHER_OPERATION,
    /* collective, in the order of who waits for whom */
    TRACE_BARRIER,
    TRACE_ALL_TO_ALL,
    TRACE_ONE_TO_ALL,
    TRACE_ALL_TO_ONE,
    TRACE_SCAN,
    TRACE_FILE_OPERATION,
    /* one-sided */
    TRACE_PUT,
    TRACE_GET,
    TRACE_ATOMIC,
    /* of windows */
    TRACE_WINDOW_CREATE,
    TRACE_WINDOW_FREE,
    TRACE_FENCE,
    TRACE_NOTIFY_OUT, /* the peer may go on */
    TRACE_NOTIFY_IN,  /* the peer has said so */
    TRACE_LOCK_REQUEST,
    TRACE_LOCK_RELEASE,
    TRACE_FLUSH,
};

/* An iteration that is open. */
struct trace_iteration {
    uint32_t phase; /* a region */
    uint64_t number;
};

/* Where an event stands among all of the archive: events are visited in this order, and those
 * of different threads never have the same. */
struct trace_moment {
    uint64_t ns, ticks, place; /* UINT64_MAX, 0 and the thread: after all that have a time */
};

struct trace_event {
    enum trace_kind kind;
    uint32_t thread;
    uint64_t order;   /* of the thread's events, from 0 on; some are several here */
    uint64_t time_ns; /* since the trace begins */
    struct trace_moment at;
    uint32_t region;  /* of ENTER and LEAVE */
    uint32_t context; /* of SAMPLE */
    uint32_t counter; /* of COUNTER */
    double value;     /* of COUNTER */
    /* Of SEND the receiver, of RECV the sender: a process. */
    uint32_t peer;
    uint32_t comm, tag;
    uint32_t window;                /* of RMA and RMA_SYNC */
    enum trace_operation operation; /* of COLLECT, RMA and RMA_SYNC */
    bool is_exclusive;              /* of locks */
    bool writes;                    /* of FILE, and COLLECT of files */
    uint32_t root;                  /* of COLLECT: a process */
    uint64_t bytes;          /* of SEND, RECV and RMA; of COLLECT, what was sent, of files
                                what was written */
    uint64_t bytes_received; /* of COLLECT; of files, what was read */
    uint64_t request;
    /* The iterations that are open in the thread, or else in the process's first: the outermost
     * first.  An iteration's own enter and leave are in it. */
    const struct trace_iteration *iterations;
    size_t iteration_count;
};

/*
 * Opens the trace that PATH names: an archive's directory, its anchor file, or a summary with
 * an archive beside it.  NULL, and ERROR, on failure.  Close it with trace_close.
 */
struct trace *trace_open(const char *path, struct error *error);
void trace_close(struct trace *trace);

/* The anchor of the archive that PATH names, for free(); NULL, and ERROR, if there is none. */
char *trace_find(const char *path, struct error *error);
/* Where the archive of the summary PATH goes, NAME.otf2 beside NAME.tsprof; for free(). */
char *trace_place(const char *path);
/* Whether an archive lies beside the summary PATH; false if PATH is none. */
bool trace_is_beside(const char *path);

/* Before trace_read: with so many THREADS it is read, the caller's included. */
void trace_use_threads(struct trace *trace, unsigned threads);

/* Calls VISIT for each event.  May be called once.  False, and ERROR, if the archive cannot be
 * read to its end; then what was visited is what could be read. */
typedef void trace_visitor(void *context, const struct trace_event *event);
bool trace_read(struct trace *trace, trace_visitor *visit, void *context, struct error *error);

/* Before trace_read: moves the events that it visits, which still come in the order of time.
 * CORRECTIONS belong to the trace then. */
void trace_set_corrections(struct trace *trace, struct corrections *corrections);

/* Whether AGAIN is the archive that TRACE was when it was opened: it may have been replaced. */
bool trace_is_alike(const struct trace *again, const struct trace *trace);

/*
 * Writes a copy of TRACE, after it was read, to the directory PATH, in which all is as it was
 * but the times: MOVE is given each time of a thread, corrected if the trace is, since the
 * trace begins, one thread after the other and in the order of time, and returns what it
 * becomes. A file that says so goes with the copy, so that nobody corrects its clocks again.
 * PATH must not be there, or be another archive if REPLACES.  False, and ERROR, if it cannot be
 * written: then nothing is left of it.
 */
typedef uint64_t trace_mover(void *context, uint32_t thread, uint64_t ns);
bool trace_write_moved(const struct trace *trace, const char *path, bool replaces,
                       trace_mover *move, void *context, struct error *error);

/* The process that RANK of COMM is, seen from PROCESS; TRACE_NONE if there is none. */
uint32_t trace_peer(const struct trace *trace, uint32_t comm, uint32_t process, uint32_t rank);

#endif
