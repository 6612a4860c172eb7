/*
 * The context of one thread of the program: where it is, its open levels, its call tree and its
 * time line.
 *
 * A context belongs to its thread.  `depth` says who may touch it: wrappers and markers raise
 * it before they touch anything and lower it when they are done (context.h is the one place
 * that writes it), and while it is raised the sample handler only notes its own cost.  So
 * nothing else needs a lock: whoever holds the context may call all functions that take it.
 *
 * What other rooms keep for a thread is their own business: the context only has pointers to
 * it.
 */
#ifndef TSPROF_THREAD_H
#define TSPROF_THREAD_H

#include "host/host.h"
#include "timeline/live.h"
#include "timeline/preemption.h"
#include "timeline/stalls.h"
#include "tree/tree.h"
#include "unwind/unwind.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    LEVELS_MOST = 16, /* nested phases, the whole program included */
    ARENAS_MOST = 10
};

/* Where the thread is: raised while in tsprof, higher while in MPI. */
enum depth { DEPTH_PROGRAM, DEPTH_TSPROF, DEPTH_MPI };

/* Calls that come so often, and do so little, that they are counted but not timed. */
enum counted_call { COUNTED_WTIME, COUNTED_WTICK, COUNTED_CALLS };

/* One open phase; level 0 is the whole program. */
struct level {
    struct walker *walker;
    struct walker *own_walker;   /* this level's own, kept for reuse; NULL if never needed */
    struct profile *profile;     /* that of the innermost kept phase around */
    struct profile *own_profile; /* this level's own, kept for reuse; NULL if never needed */
    uint32_t phase;
    uint32_t series;       /* of a kept phase: its number among the thread's series */
    uint32_t root;         /* node of the phase */
    uint32_t base;         /* all nodes visited in this instance are below this one */
    uint32_t first_sample; /* node of the first sample in this instance; root if none */
    uint32_t last_sample;  /* node of the latest one; root if none */
    int64_t samples;       /* number of samples in this instance */
    int64_t begin_ns;
    int64_t pending_ns;  /* computation since the last valid sample or border */
    int64_t overhead_ns; /* not yet in the profile */
    int64_t counted[COUNTED_CALLS];
    bool kept;
    uint8_t named; /* 1 + number of the item of TSPROF_ITERATION that began it; 0: none did */
    bool is_pass;  /* a pass of a loop, see mainloop/search.h */
};

/* How often functions told one thing, that they are entered or that they are left. */
struct telling {
    int64_t until; /* so many times `left` will be 0 */
    int32_t left;  /* how often they may still tell it until one is timed */
    int64_t timed; /* how many were, which took timed_ns together */
    int64_t timed_ns;
};

static inline int64_t telling_count(const struct telling *telling)
{
    return telling->until - telling->left;
}

/* What measuring a thread has cost, from the start on. */
struct cost {
    int64_t calls;
    int64_t markers;   /* number of phase and iteration markers */
    int64_t marker_ns; /* time in them */
    int64_t samples;
    int64_t samples_unused; /* interrupts that fell into MPI or tsprof */
    int64_t handler_ns;     /* time in the handler, except for saving there */
    int64_t arming_ns;      /* of that, for telling the system when the next sample is due */
    int64_t gaps_ns;        /* sum of the mean processor time between samples, by sample */
    int64_t unwind_failures;
    int64_t saves;     /* snapshots in the process's part */
    int64_t saving_ns; /* time this thread spent on snapshots, also on those of other threads */
    int64_t unaliased; /* calls met of functions that cannot return by an alias */
    struct telling entries, exits;
};

struct call_memory;
struct counts;
struct iterations;
struct part_thread;
struct regions;
struct sampling;
struct search;
struct trace;

/* The members that every call touches come first, to share as few cache lines as possible. */
struct thread {
    volatile int depth; /* enum depth */
    union {
        struct {
            volatile uint8_t stopped; /* the time line has ended */
            bool counting;            /* its counters are to be read, see counts.h */
            bool watched;             /* its calls may begin and end iterations */
            bool touched; /* claimed for more than an event that regions/quick.h knows */
        };
        volatile uint16_t special; /* not 0: stopped or counting is true */
        struct __attribute__((packed)) {
            bool unused;
            uint16_t record_special; /* not 0: counting or watched is true */
        };
        volatile uint32_t any; /* all four */
    };
    bool awaits_all;       /* it has work that waits for the next collective synchronization */
    bool frozen;           /* a save reads its clusters, which must stay as they are */
    uint8_t busy;          /* enum stall: what this stay in tsprof is counted as */
    bool stuck;            /* told to stop, but never left tsprof: must not be read */
    uintptr_t entry_frame; /* frame address of the wrapper that raised depth; else 0 */
    const uintptr_t *call_frame; /* that wrapper's frame, while it is in MPI */
    int64_t first_ns;            /* where the time line first began */
    int64_t begin_ns;            /* first_ns plus all the time that the context has rested */
    int64_t last_ns;             /* the time line is accounted for up to here */
    int64_t sample_ns;           /* mean processor time from now to the next sample; 0: none */
    int64_t attributed_ns;       /* computation that call paths have been given */
    int64_t end_ns;              /* where it ended, once stopped */
    volatile int64_t stolen_ns;  /* handler time inside the current MPI call */
    struct level *level;         /* the innermost open one */
    struct live *live;           /* where it is, for others to see */
    struct trace *trace;         /* what its events are kept with; NULL: they are not */
    int64_t stay_ns;             /* when this stay in tsprof has begun, or the last one */
    int64_t work_due_ns;         /* when there is next something to do on leaving tsprof */
    int64_t save_due_ns;         /* the time of the next save, see save/part.h */
    uint32_t followed;     /* how many levels, from 1 on, are iterations that it follows */
    uint64_t next_border;  /* number of the next one to look at, see borders.h */
    int64_t border_due_ns; /* its next border that has a time; INT64_MAX: none */
    uint32_t ignored;      /* innermost open phases for which there was no level */
    struct preemption preemption; /* time without a processor */
    struct counts *counts;        /* its counters; NULL where the process counts nothing */
    struct cct tree;
    struct walk_scratch *scratch;
    struct regions *regions; /* those it has entered; NULL until there is one */
    uint32_t region; /* the path of the innermost one, as far as it is known; else CCT_ROOT */
    bool regions_refused;      /* there will be none */
    struct call_memory *calls; /* what the wrappers remember of its MPI calls */
    struct stack_bounds stack;
    struct cost cost;
    struct stalls stalls;
    struct level levels[LEVELS_MOST];
    struct profile outside;        /* what lies outside all iterations */
    struct profile closed;         /* sum of all iterations of outermost kept phases */
    struct iterations *iterations; /* its series */
    struct sampling *sampling;     /* its timer, and the sample under way */
    struct coroutine pieces;       /* work that is done in pieces: clustering, or a save */
    struct arena arena;
    struct heap heap;
    const struct arena *arenas[ARENAS_MOST]; /* those with its memory, see context_memory.h */
    size_t other_bytes;                      /* of its memory outside arenas */
    size_t noted_bytes;                      /* see memory_note_async */
    int number;                              /* 0 for the thread that started the measurement */
    int os_id;
    uint64_t notes;           /* set of enum note */
    uint32_t last_sample;     /* node of the latest sample, of any level */
    struct search *search;    /* state of the loop search; NULL if there never was one */
    bool searching;           /* its main loop is searched for, and it is watched for that */
    struct part_thread *part; /* what saving it needs; NULL until it was first saved */
    struct live unpublished;  /* what `live` points to until there is a part */
    struct thread *next;      /* the next older one in the list of all contexts */
    struct thread *next_resting;
};

/* Things worth saying in the summary, once each. */
enum note {
    NOTE_PATHS_LOST,      /* no memory for more call paths */
    NOTE_PHASES_LOST,     /* nested too deeply, or too many */
    NOTE_BOUND_BROKEN,    /* there was no room for the clusters that TSPROF_CLUSTERS=N% takes */
    NOTE_CELLS_LOST,      /* no memory for what is known of some cells, see compress/cells.h */
    NOTE_CLUSTERS_LOST,   /* no memory for a cluster, but another one could take it in */
    NOTE_CLASSES_LOST,    /* no memory for a cluster, so the equivalence was weakened */
    NOTE_ITERATIONS_LOST, /* no memory for a cluster, and no other could take it in */
    NOTE_PHASE_MISUSED,
    NOTE_PHASE_OPEN,    /* still open at the end */
    NOTE_STILL_RUNNING, /* a thread was in MPI when the measurement ended */
    NOTE_THREADS_LOST,  /* threads without memory to be measured with */
    NOTE_BORDERS_LOST,  /* borders of the leading thread were overwritten before it saw them */
    NOTE_NOT_UNWOUND,   /* calls so frequent that their call paths would have cost too much */
    NOTE_NOT_SAMPLED,   /* the system refused a timer */
    NOTE_TIMER_CHANGED, /* from one on the kernel's tick to a performance event */
    NOTE_RATE_LIMITED,  /* sampling at the rate wanted would have cost too much */
    NOTE_TIMER_STAYED,  /* that would have been better, and was refused */
    NOTE_REQUESTS_LOST, /* no memory to track more requests */
    NOTE_VISITS_BOUND,  /* not every function could return by an alias */
    NOTE_TOPOLOGIES_LOST,
    NOTE_EXECUTIONS_JOINED, /* executions of a function that could not be told apart */
    NOTE_NOT_COUNTED,       /* counters that could not be started or read */
    NOTE_REGIONS_LOST,      /* no memory for functions that tell when they are entered */
    NOTE_REGIONS_JOINED,    /* too many call paths of such functions */
    NOTE_FILTER_LOST,       /* no memory for what TSPROF_FILTER says */
    NOTE_COUNT
};

/* The calling thread's context; NULL until it has one. */
extern __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

/*
 * Whether the calling code runs on THREAD's own stack with room for more than a sample: enough
 * to save or to close an iteration.  Any context.
 */
bool thread_has_stack_async(const struct thread *thread);

/* Remembers NOTE for the summary. */
static inline void thread_note_async(struct thread *thread, enum note note)
{
    thread->notes |= UINT64_C(1) << note;
}

/* The text of a note, a static string.  Any context. */
const char *note_text_async(enum note note);

/* The program has computed up to NS: makes that time pending. */
static inline void thread_computed_async(struct thread *thread, int64_t ns)
{
    thread->level->pending_ns += ns - thread->last_ns;
    thread->last_ns = ns;
}

/* tsprof itself has worked up to NS: accounts for that time as overhead. */
static inline void thread_worked_async(struct thread *thread, int64_t ns)
{
    thread->level->overhead_ns += ns - thread->last_ns;
    thread->last_ns = ns;
}

/* This stay in tsprof does work of KIND. */
static inline void thread_busy_async(struct thread *thread, enum stall kind)
{
    if (kind > thread->busy)
        thread->busy = (uint8_t)kind;
}

/* tsprof has kept the thread for NS at once. */
static inline void thread_kept_async(struct thread *thread, int64_t ns)
{
    if (__builtin_expect(ns >= STALL_LEAST_NS, 0))
        stalls_count_async(&thread->stalls, (enum stall)thread->busy, ns);
}

/*
 * A marker that was reached at BEGIN_NS ends now: accounts for the time up to now as its own.
 */
static inline void thread_marked_async(struct thread *thread, int64_t begin_ns)
{
    thread_worked_async(thread, clock_now_async());
    thread->cost.markers++;
    thread->cost.marker_ns += thread->last_ns - begin_ns;
    thread_busy_async(thread, STALL_MARKER);
    thread_kept_async(thread, thread->last_ns - begin_ns);
}

#endif
