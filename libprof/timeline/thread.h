/*
 * The context of one thread of the program: where it is, its open levels, its call tree, and the
 * time line through it.
 *
 * A context belongs to its thread.  `depth` orders who may touch it: wrappers and markers raise
 * it before they touch anything and lower it when they are done (context.h is the one place that
 * writes it); the sample handler does nothing but note its own cost while it is raised.  So the
 * rest needs no lock and may be used by whoever holds the context, functions named *_async
 * included.
 *
 * What other rooms keep for a thread is theirs: the context holds a pointer to it.
 */
#ifndef TSPROF_THREAD_H
#define TSPROF_THREAD_H

#include "host/arena.h"
#include "host/clock.h"
#include "timeline/live.h"
#include "tree/cct.h"
#include "tree/profile.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LEVELS_MOST = 16, /* nested phases, the whole program included */
    ARENAS_MOST = 6
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
    uint32_t series;       /* of a kept phase, its number among the thread's series */
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
    bool is_pass;   /* a pass of a loop, see search.h */
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

struct call_memory;
struct counts;
struct iterations;
struct part_thread;
struct sampling;
struct search;

/* What every call touches comes first, so that it lies side by side. */
struct thread {
    volatile int depth; /* enum depth */
    union {
        struct {
            volatile bool stopped; /* the time line has ended */
            bool counting;         /* its counters are to be read; see counters.h */
            bool watched;          /* its calls may begin and end iterations; see timeline.h */
        };
        volatile uint16_t special; /* one of the first two is true */
        struct __attribute__((packed)) {
            bool unused;
            uint16_t record_special; /* one of the last two is true */
        };
    };
    bool awaits_all; /* what it has put off is to be done when all ranks wait for each other */
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
    uint64_t next_border;       /* that it has not looked at, see borders.h */
    int64_t border_due_ns;      /* the next border with an instant of its own; INT64_MAX: none */
    uint32_t ignored;           /* phases open further inside, for which there was no level */
    struct counts *counts;      /* its counters; NULL where the process counts nothing */
    struct cct tree;
    struct walk_scratch *scratch;
    struct call_memory *calls; /* what its MPI calls have in memory */
    struct stack_bounds stack;
    struct cost cost;
    struct level levels[LEVELS_MOST];
    struct profile outside; /* what lies outside every iteration */
    struct profile closed;  /* all iterations of outermost kept phases */
    struct iterations *iterations; /* gathered in series */
    struct sampling *sampling;     /* its timer, and the sample under way */
    struct arena arena;
    struct heap heap;
    const struct arena *arenas[ARENAS_MOST]; /* all that its memory lies in, see memory.h */
    size_t other_bytes;                      /* that lie elsewhere */
    int number; /* 0 for the thread that started the measurement */
    int os_id;
    uint64_t notes;           /* set of enum note */
    uint32_t last_sample;     /* node of the latest one of any level */
    struct search *search; /* what looking for its main loop needs; NULL: it never was */
    bool searching;      /* its main loop is looked for, and it is watched for that */
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

/* The calling thread's context; NULL as long as it has none. */
extern __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

/*
 * Whether THREAD's own stack, if that is what runs, has room for more than a sample: saving, or
 * closing an iteration.
 */
bool thread_has_stack_async(const struct thread *thread);

/* Notes something for the summary. */
static inline void thread_note_async(struct thread *thread, enum note note)
{
    thread->notes |= UINT64_C(1) << note;
}

/* The words of a note.  Any context. */
const char *note_text_async(enum note note);

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
