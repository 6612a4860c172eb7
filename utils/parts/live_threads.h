/*
 * Where the threads of a job are now, or were when their processes ended, as their parts tell:
 * taken down while parts are merged, since call paths are named then.
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
    bool stale; /* it tells only when it saves something, not as things happen */
    enum live_place place;
    const char *call;    /* in MPI: of the function */
    int64_t since_ns;    /* for so long in the call, or since the sample; < 0: unknown, or
                            the process has ended */
    uint32_t node;       /* call path of that, a node of the definitions, later of the
                            summary; or SUMMARY_NONE */
    struct place caller; /* in MPI, where there is no node */
    const char *function, *file; /* of the caller, once they are looked up; NULL: unknown */
    int line;
};

/* Start from all zeros. */
struct live_list {
    struct live_thread *threads; /* by rank and thread */
    size_t count;
    struct memory_pool pool;
};

/* Adds thread NUMBER of RANK as its record in PART tells; the caller is still to be set. */
struct live_thread *live_add(struct live_list *list, const struct part_reading *part,
                             uint32_t rank, unsigned number, const struct part_thread *thread);

/*
 * After the call tree was resolved: nodes are those of NUMBERS (resolve.h) from now on, and the
 * functions of callers are looked up.
 */
void live_resolve(struct live_list *list, const struct definitions *definitions,
                  const uint32_t *numbers);

/* Whether any process still runs, or is stopped. */
bool live_any_runs(const struct live_list *list);

void live_free(struct live_list *list);

/*
 * Adds to TEXT lines of at most COLUMNS columns: which ranks are where, those that are at the
 * same place together.
 */
void live_add_text(const struct live_list *list, const struct summary *summary, size_t columns,
                   struct text *text);

#endif
