/*
 * Where the threads of a job are now, or were when their processes ended, according to their
 * parts.  Collected while parts are merged, because call paths get their names then.
 */
#ifndef TSPROF_LIVE_THREADS_H
#define TSPROF_LIVE_THREADS_H

#include "assemble/definitions.h"
#include "base/base.h"
#include "file/file.h"
#include "parts/alive.h"
#include "parts/part_log_reading.h"
#include "print/print.h"

enum live_place {
    LIVE_UNKNOWN,
    LIVE_IN_PROGRAM, /* and maybe in tsprof */
    LIVE_IN_MPI
};

struct live_thread {
    uint32_t rank, thread;
    enum life life;
    bool recent; /* something was saved less than a minute ago, and no end was seen */
    bool stale;  /* its record is updated only when something is saved */
    enum live_place place;
    const char *call;    /* in MPI: the function's name */
    int64_t since_ns;    /* for so long in the call, or since the sample; < 0: unknown, or
                            the process has ended */
    uint32_t node;       /* its call path: a node of the definitions and, after live_resolve, of
                        the summary; or SUMMARY_NONE */
    struct place caller; /* of the MPI function, if there is no node */
    const char *function, *file; /* of the caller, after live_resolve; NULL: unknown */
    int line;
};

/* Start from all zeros. */
struct live_list {
    struct live_thread *threads; /* by rank and thread */
    size_t count;
    struct memory_pool pool;
};

/* Adds thread NUMBER of RANK from its record in PART.  Set `caller` of the result. */
struct live_thread *live_add(struct live_list *list, const struct part_reading *part,
                             uint32_t rank, unsigned number, const struct part_thread *thread);

/*
 * Call once the call tree is resolved: replaces nodes by those of the summary, as in NUMBERS
 * (assemble/resolve.h), and looks up the functions of callers.
 */
void live_resolve(struct live_list *list, const struct definitions *definitions,
                  const uint32_t *numbers);

/* Whether any process is still alive: running or stopped. */
bool live_any_runs(const struct live_list *list);

/*
 * Whether it cannot be told of a process whether it is alive, and it was less than a minute
 * ago.
 */
bool live_any_may_run(const struct live_list *list);

void live_free(struct live_list *list);

/*
 * Adds to TEXT which ranks are where, in lines of at most COLUMNS columns; ranks at the same
 * place share a line.
 */
void live_add_text(const struct live_list *list, const struct summary *summary, size_t columns,
                   struct text *text);

#endif
