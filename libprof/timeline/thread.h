/*
 * What the runtime keeps for one thread of the program, and the time line through it.
 *
 * Everything here belongs to its thread.  `depth` orders the contexts: the wrappers and markers
 * raise it before they touch anything and lower it when they are done; the sample handler does
 * nothing but note its own cost while it is raised.  So the rest needs no lock and may be used
 * by whoever holds it, functions named *_async included.
 */
#ifndef TSPROF_THREAD_H
#define TSPROF_THREAD_H

#include "host/arena.h"
#include "tree/cct.h"
#include "host/clock.h"
#include "compress/clustering.h"
#include "sample/jumps.h"
#include "timeline/live.h"
#include "tree/profile.h"
#include "compress/sketch.h"
#include "sample/timer.h"
#include "unwind/unwind.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    LEVELS_MOST = 16, /* nested phases, the whole program included */
    SERIES_MOST = 32, /* iteration phases per thread */
    NOTES_MOST = 16,
    RECENT_LEAVES = 512
};

/* Where the thread is: raised while in tsprof, higher while in MPI. */
enum depth { DEPTH_PROGRAM, DEPTH_TSPROF, DEPTH_MPI };

/* Calls that are counted and nothing more. */
enum counted_call { COUNTED_WTIME, COUNTED_WTICK, COUNTED_CALLS };

/* One open phase; level 0 is the whole program. */
struct level {
    struct walker *walker;
    struct walker *own_walker;   /* memory for it once this depth has needed one */
    struct profile *profile;     /* of the innermost kept phase around */
    struct profile *own_profile; /* memory for it once this depth has held a kept phase */
    uint32_t phase;
    uint32_t series;       /* of a kept phase, index in struct thread's series */
    uint32_t root;         /* node of the phase */
    uint32_t base;         /* node that all which is visited in the instance lies below */
    uint32_t first_sample; /* node of the first sample in this instance; root if none */
    uint32_t last_sample;  /* node of the latest one; root if none */
    int64_t samples;       /* in this instance */
    int64_t begin_ns;
    int64_t pending_ns;  /* computation since the last valid sample or border */
    int64_t overhead_ns; /* not yet in the profile */
    int64_t counted[COUNTED_CALLS];
    bool kept;
    uint8_t named; /* number of the item of TSPROF_ITERATION that began it, plus one; 0: none */
    bool sought;   /* a pass of a loop, see seek.h */
};

/* The iterations of one kept phase, as far as they are nested in the same way. */
struct series {
    uint32_t phase;
    uint32_t shown_as; /* phase whose name the series has in the summary */
    int32_t nested_in; /* the series around it, -1 if none */
    int32_t follows;   /* series of the leading thread that it follows, -1 if none */
    struct clustering *clustering;
    size_t promised_bytes; /* of the process's budget, for the clustering */
};

/* An iteration that has ended and is not in a cluster yet. */
struct ended {
    struct iteration_profile profile; /* in the arrays of struct closing, and here: */
    double condensed[METRIC_MOST + SKETCH_SIZE]; /* of the sketch only, as long as it waits */
    int64_t totals[METRIC_MOST];                 /* of all call paths, that belong before it */
    uint32_t series;
    bool outermost; /* in no other iteration */
};

/*
 * Most iterations of a thread that wait; and once they have that many cells and call paths they
 * wait no longer.
 */
enum { ENDED_MOST = 8, ENDED_CELLS = 2048 };

/*
 * What is handed to the clustering, oldest first: see iteration.h.  The arrays have room for
 * ENDED_CELLS and an iteration that has all the tree's cells and nodes.
 */
struct closing {
    uint32_t *cells;
    int64_t *values;
    struct path_entry *paths;
    uint8_t *has_mpi; /* by node, of the one that is being added */
    struct ended ended[ENDED_MOST];
    uint32_t first, count; /* those from FIRST on, COUNT with those before it, wait */
    size_t cells_used, paths_used;
    bool meets; /* they wait for a collective synchronization */
    bool drawn; /* what they take is drawn from the budget */
};

/* A node of an MPI call that was found: the next call of the same path needs no search. */
struct recent_leaf {
    uint64_t site;
    uint32_t parent;
    uint32_t call;
    uint32_t node; /* 0: none yet */
};

/* What it took to measure; all counted from the start. */
struct cost {
    int64_t calls;
    int64_t markers;   /* of phases and iterations */
    int64_t marker_ns; /* in them */
    int64_t samples;
    int64_t samples_unused; /* interrupts that fell into MPI or tsprof */
    int64_t handler_ns;     /* in the handler, less what saving took there */
    int64_t arming_ns;      /* of that, telling the system when the next one is due */
    int64_t unwind_failures;
    int64_t saves;     /* snapshots in the process's part */
    int64_t saving_ns; /* in them, of the time line, also where they were other threads' */
    int64_t unaliased; /* calls seen of functions that cannot return by an alias */
};

struct counts;
struct part_thread;
struct seek;

/* What every call touches comes first, so that it lies side by side. */
struct thread {
    volatile int depth; /* enum depth */
    union {
        struct {
            volatile bool stopped; /* the time line has ended */
            bool counting;         /* its counters are to be read; see counters.h */
            bool watched;          /* its calls may begin iterations; see watch.h, seek.h */
        };
        volatile uint16_t special; /* one of the first two is true */
        struct __attribute__((packed)) {
            bool unused;
            uint16_t record_special; /* one of the last two is true */
        };
    };
    bool stuck;                 /* told to stop, but never left tsprof: not to be looked at */
    uintptr_t entry_frame;      /* frame address of the wrapper that raised depth */
    int64_t first_ns;           /* where the time line began first */
    int64_t begin_ns;           /* later by all the time that it has rested */
    int64_t last_ns;            /* the time line is accounted for up to here */
    int64_t end_ns;             /* where it ended, once stopped */
    volatile int64_t stolen_ns; /* handler time inside the MPI call under way */
    struct level *level;        /* the innermost open one */
    struct live *live;          /* where it is, for all to see */
    int64_t save_due_ns;        /* from then on it is to be saved, see part.h */
    uint32_t followed;          /* levels, from 1 on, of iterations that it follows */
    uint64_t next_border;       /* that it has not looked at, see follow.h */
    uint32_t ignored;           /* phases open further inside, for which there was no level */
    struct counts *counts;      /* its counters; NULL where the process counts nothing */
    struct cct tree;
    struct walk_scratch *scratch;
    struct stack_bounds stack;
    int32_t *walk_debt_ns; /* by MPI function, see thrift.h */
    struct cost cost;
    struct level levels[LEVELS_MOST];
    struct profile outside; /* what lies outside every iteration */
    struct profile closed;  /* all iterations of outermost kept phases */
    struct series series[SERIES_MOST];
    uint32_t series_count;
    struct closing closing;
    struct recent_leaf recent[RECENT_LEAVES]; /* by MPI function, place and path, mixed */
    void *waiting; /* room for the requests that a call waits for, see mpi_requests.c */
    size_t waiting_bytes;
    int waiting_count; /* requests that the last call has looked up there */
    struct arena arena;
    struct heap heap;
    struct sample_timer timer;
    struct jumps jumps;
    uint64_t random; /* state of the gaps between samples */
    int number;      /* 0 for the thread that started the measurement */
    int os_id;
    uint64_t notes;           /* set of enum note */
    uint32_t last_sample;     /* node of the latest one of any level */
    struct seek *seek;        /* what looking for its main loop needs; NULL: it never was */
    bool seeking;             /* its main loop is looked for, and it is watched for that */
    struct part_thread *part; /* what saving it needs, once it has been saved */
    struct live unpublished;  /* as long as there is no place for all to see */
    struct thread *next;      /* all contexts, newest first */
    struct thread *next_resting;
};

/* Things worth saying in the summary, once each. */
enum note {
    NOTE_PATHS_LOST,      /* no memory for more call paths */
    NOTE_PHASES_LOST,     /* nested too deeply, or too many */
    NOTE_CLUSTERS_LOST,   /* no memory for a cluster, but another one could take it in */
    NOTE_CLASSES_LOST,    /* and therefore equivalence was weakened */
    NOTE_ITERATIONS_LOST, /* no memory for a cluster, and none could */
    NOTE_PHASE_MISUSED,
    NOTE_PHASE_OPEN,    /* still open at the end */
    NOTE_STILL_RUNNING, /* a thread was in MPI when the measurement ended */
    NOTE_THREADS_LOST,  /* threads without memory to be measured with */
    NOTE_BORDERS_LOST,  /* too late for borders of iterations of the leading thread */
    NOTE_NOT_UNWOUND,   /* calls so frequent that their call paths would have cost too much */
    NOTE_NOT_SAMPLED,   /* the system refused a timer */
    NOTE_REQUESTS_LOST, /* no memory for what is known of requests */
    NOTE_VISITS_BOUND,  /* not every function could return by an alias */
    NOTE_TOPOLOGIES_LOST,
    NOTE_EXECUTIONS_JOINED, /* executions of a function that could not be told apart */
    NOTE_NOT_COUNTED,       /* counters that could not be started or read */
    NOTE_COUNT
};

extern __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

/* The newest of all measured threads. */
extern struct thread *thread_newest;

/* Threads that found no memory to be measured with. */
extern int threads_unmeasured;

struct follow_place;

/* Which thread of the program. */
struct thread_identity {
    pthread_t handle;
    int os_id;
    struct thread **self; /* its thread_self */
};

/* The calling thread's. */
struct thread_identity thread_identity(void);

/*
 * A context for a thread, which must not end meanwhile, whose life begins at NS in the
 * iterations that PLACE tells: a new one, or one whose thread has ended, where the new thread
 * continues the time line.  If it is the calling thread its depth is raised, for the caller to
 * lower, and its end is watched.  NULL when there is no memory or measurement ends.  Program
 * context only.
 */
struct thread *thread_attach(int64_t ns, const struct follow_place *place,
                             const struct thread_identity *identity);

/*
 * Has the context, if there is one then, put to rest when the calling thread ends, and before
 * that ALSO called, the same function for all threads; NULL: nothing.  False where there is no
 * room for another thread-specific value: then the end is not noticed.
 */
bool thread_watch_exit(void (*also)(void));

/* From now on no thread is attached, and none that ends changes its context.  Any thread. */
void thread_attach_no_more(void);

/*
 * Ends the time line of THREAD at NS, or a little later where the thread has come further,
 * closing what is open.  Once, after thread_attach_no_more; program context of any thread.
 */
void thread_stop(struct thread *thread, int64_t ns);

/*
 * Calls VISIT for every context whose thread has ended, none of which begins a new life
 * meanwhile; for none if that would mean to wait.  Program context of a measured thread.
 */
void thread_visit_resting(void (*visit)(struct thread *thread));

/* Memory that THREAD takes, in bytes of resident pages.  Program context. */
size_t thread_memory(const struct thread *thread);

/* Notes something for the summary. */
static inline void thread_note_async(struct thread *thread, enum note note)
{
    thread->notes |= UINT64_C(1) << note;
}

/* The words of a note. */
const char *note_text(enum note note);

/* Computation up to NS becomes pending.  The time line must be in the program at NS. */
static inline void thread_computed_async(struct thread *thread, int64_t ns)
{
    thread->level->pending_ns += ns - thread->last_ns;
    thread->last_ns = ns;
}

/* The time line up to NS was tsprof's own. */
static inline void thread_worked_async(struct thread *thread, int64_t ns)
{
    thread->level->overhead_ns += ns - thread->last_ns;
    thread->last_ns = ns;
}

/* The same at the end of a marker that was reached at BEGIN_NS. */
static inline void thread_marked_async(struct thread *thread, int64_t begin_ns)
{
    thread_worked_async(thread, clock_now_async());
    thread->cost.markers++;
    thread->cost.marker_ns += thread->last_ns - begin_ns;
}

#endif
