/* See measure.h. */
#include "measure/measure.h"

#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
#include "measure/throttle.h"
#include "trace/trace.h"
#include "unwind/unwind.h"

/* The place where the node of CALL on the path that WALK has found is remembered. */
static inline struct recent_leaf *recent_leaf(struct thread *thread, enum mpi_call call,
                                              const struct walk_result *walk)
{
    /* The path is part of the hash, because one site often calls a function on many paths. */
    uint32_t mixed = (uint32_t)call ^ (uint32_t)(walk->site >> 2) ^ walk->node * 5;
    return &thread->calls->recent[(mixed * UINT32_C(0x9E3779B9) >> 16) % RECENT_LEAVES];
}

/* The node of CALL on the path that WALK has found. */
static inline __attribute__((always_inline)) uint32_t
leaf_of(struct thread *thread, enum mpi_call call, const struct walk_result *walk)
{
    const struct mpi_call_info *info = &mpi_call_table[call];
    struct recent_leaf *recent = recent_leaf(thread, call, walk);
    if (recent->node == 0 || recent->parent != walk->node || recent->site != walk->site ||
        recent->call != (uint32_t)call)
        *recent = (struct recent_leaf){
            walk->site, walk->node, (uint32_t)call,
            cct_child_async(&thread->tree, walk->node, NODE_MPI, call, walk->site,
                            (enum layout)info->layout, (enum metric)info->time)};
    return recent->node;
}

/*
 * Walks the stack from a call that took NS, if the throttle allows it, and returns whether it
 * did; without a walk the call counts for the level's root.
 */
static inline __attribute__((always_inline)) bool walk_from(struct thread *thread,
                                                            enum mpi_call call,
                                                            const uintptr_t *frame, int64_t ns,
                                                            struct walk_result *walk)
{
    struct level *level = thread->level;
    bool unwound = throttle_allows(thread, call);
    *walk = (struct walk_result){.node = level->root};
    if (unwound)
        *walk = level_walk(thread, level, unwind_caller(frame));
    else if (mpi_call_table[call].unwound)
        thread_note_async(thread, NOTE_NOT_UNWOUND);
    throttle_charge(thread, call, unwound ? walk : NULL, ns);
    return unwound;
}

/* The node of a call that took NS, and the visits on the way to it. */
static uint32_t find_leaf(struct thread *thread, enum mpi_call call, const uintptr_t *frame,
                          int64_t ns)
{
    struct walk_result walk;
    walk_from(thread, call, frame, ns, &walk);
    level_count_visits_async(thread, thread->level, &walk);
    return leaf_of(thread, call, &walk);
}

/*
 * Does what find_leaf does for a call, made at BEGIN_NS, which the loop search examines.  If it
 * is the border of a loop, passes end and begin before visits are counted, because the
 * functions on the way to the call were entered in the new pass.
 */
static uint32_t find_leaf_searching(struct thread *thread, enum mpi_call call,
                                    const uintptr_t *frame, int64_t begin_ns, int64_t ns)
{
    struct search *search = thread->search;
    struct walk_result walk;
    bool unwound = walk_from(thread, call, frame, ns, &walk);
    uint32_t leaf = leaf_of(thread, call, &walk);
    search_note_walk(thread, &walk);
    if (timeline_is_marked_async())
        search_give_up(thread);
    else if (unwound && search_preferences[call] &&
             (walk.failed == search->failing || search_takes_other(thread)) &&
             (search_is_due(search, begin_ns) ||
              (!loops_pass(&search->loops, leaf) && !search_skip(search, leaf, begin_ns))))
        search_arrive(thread, leaf, search_preferences[call], begin_ns);
    level_count_visits_async(thread, thread->level, &walk);
    return leaf;
}

/*
 * The walk after the call has returned finds this one remembered, so no visit is counted twice.
 */
uint32_t measure_find_async(struct thread *thread, enum mpi_call call)
{
    const struct registers caller = unwind_caller(thread->call_frame);
    struct level *level = thread->level;
    struct walk_result walk = {.node = level->root};
    if (mpi_call_table[call].unwound) {
        walk = unwind_async(level->walker, thread->scratch, &thread->stack, &caller,
                            &thread->tree);
        level_count_visits_async(thread, level, &walk);
    }
    return leaf_of(thread, call, &walk);
}

/*
 * Accounts for the time line up to NS as time of CALL, less what the handler took of it, which
 * is at most *STOLEN and is subtracted there.  VISITS is 1 for the end of the call, 0 for a
 * part of it before a border.
 */
static inline void account_mpi(struct thread *thread, enum mpi_call call, uint32_t leaf,
                               int64_t ns, int64_t *stolen, int64_t visits)
{
    int64_t spent = ns - thread->last_ns, overhead = *stolen < spent ? *stolen : spent;
    *stolen -= overhead;
    thread->level->overhead_ns += overhead;
    profile_add_call_async(thread->level->profile, &thread->tree, leaf,
                           (enum metric)mpi_call_table[call].time, spent - overhead, visits);
    thread->last_ns = ns;
}

/*
 * Accounts for time and counters of CALL up to a border, unless the time line is there already.
 */
static void account_border(struct thread *thread, enum mpi_call call, uint32_t leaf,
                           int64_t border_ns, int64_t *stolen)
{
    if (border_ns <= thread->last_ns)
        return;
    if (thread->counting)
        counts_give_async(thread, leaf, border_ns);
    account_mpi(thread, call, leaf, border_ns, stolen, 0);
}

/*
 * Crosses the borders that came while the thread was in MPI, and divides the call's time there.
 * Returns the call's node in the iteration in which it ends, where the visit counts.
 */
static __attribute__((noinline)) uint32_t cross_borders(struct thread *thread,
                                                        enum mpi_call call,
                                                        const uintptr_t *frame, uint32_t leaf,
                                                        int64_t end_ns, int64_t *stolen)
{
    const struct border_source *source;
    int64_t border_ns;
    bool moved = false;
    while ((source = timeline_next(thread, end_ns, &border_ns))) {
        /* Between borders at the same instant nothing is accounted for. */
        if (moved && border_ns > thread->last_ns) {
            leaf = find_leaf(thread, call, frame, end_ns - thread->last_ns);
            moved = false;
        }
        account_border(thread, call, leaf, border_ns, stolen);
        source->cross_async(thread, end_ns);
        moved |= source->moves;
    }
    if (moved)
        leaf = find_leaf(thread, call, frame, end_ns - thread->last_ns);
    return leaf;
}

/*
 * The node of a call of a watched thread.  The call was made at BEGIN_NS, to which the time
 * line has been brought, and may itself begin and end iterations.
 */
static uint32_t find_leaf_watched(struct thread *thread, enum mpi_call call,
                                  const uintptr_t *frame, int64_t begin_ns, int64_t end_ns)
{
    struct walk_result walk;
    walk_from(thread, call, frame, end_ns - begin_ns, &walk);
    level_count_visits_async(thread, thread->level, &walk);
    uint32_t leaf = leaf_of(thread, call, &walk);
    if (watch_arrival(thread, call, leaf, &walk, begin_ns))
        leaf = find_leaf(thread, call, frame, end_ns - begin_ns);
    return leaf;
}

/* What else is done with the calls of a thread: nothing, watching, or searching for loops. */
enum recording { RECORD_ONLY, RECORD_WATCHED, RECORD_SEARCHING };

/*
 * measure_record, inlined into variants with constant COUNTING and HOW, so that ordinary calls
 * need only one test.
 */
static inline __attribute__((always_inline)) uint32_t
record(struct thread *thread, enum mpi_call call, const uintptr_t *frame, uint64_t begin,
       uint64_t end, bool counting, enum recording how)
{
    int64_t begin_ns = clock_to_ns_async(begin), end_ns = clock_to_ns_async(end);
    int64_t stolen = thread->stolen_ns;
    thread->stay_ns = end_ns;
    if (counting)
        counts_read_async(thread, end_ns);
    if (how == RECORD_WATCHED || __builtin_expect(timeline_due_async(thread, begin_ns), 0))
        timeline_cross(thread, begin_ns);
    thread_computed_async(thread, begin_ns);
    uint32_t leaf = 0;
    if (how == RECORD_WATCHED)
        leaf = find_leaf_watched(thread, call, frame, begin_ns, end_ns);
    else if (how == RECORD_SEARCHING)
        leaf = find_leaf_searching(thread, call, frame, begin_ns, end_ns - begin_ns);
    else
        leaf = find_leaf(thread, call, frame, end_ns - begin_ns);
    if (__builtin_expect(timeline_due_async(thread, end_ns), 0))
        leaf = cross_borders(thread, call, frame, leaf, end_ns, &stolen);
    if (counting)
        counts_give_async(thread, leaf, end_ns);
    account_mpi(thread, call, leaf, end_ns, &stolen, 1);
    thread->cost.calls++;
    if (trace_records_async(thread)) {
        trace_call_async(thread, leaf, begin_ns, end_ns);
        if (counting && trace_records_async(thread))
            trace_counts_async(thread);
    }
    return leaf;
}

static __attribute__((noinline)) uint32_t record_counting(struct thread *thread,
                                                          enum mpi_call call,
                                                          const uintptr_t *frame,
                                                          uint64_t begin, uint64_t end)
{
    return record(thread, call, frame, begin, end, true,
                  thread->searching ? RECORD_SEARCHING
                  : thread->watched ? RECORD_WATCHED
                                    : RECORD_ONLY);
}

static __attribute__((noinline)) uint32_t record_searching(struct thread *thread,
                                                           enum mpi_call call,
                                                           const uintptr_t *frame,
                                                           uint64_t begin, uint64_t end)
{
    return record(thread, call, frame, begin, end, false, RECORD_SEARCHING);
}

static __attribute__((noinline)) uint32_t record_watched(struct thread *thread,
                                                         enum mpi_call call,
                                                         const uintptr_t *frame, uint64_t begin,
                                                         uint64_t end)
{
    return record(thread, call, frame, begin, end, false, RECORD_WATCHED);
}

uint32_t measure_record(struct thread *thread, enum mpi_call call, const uintptr_t *frame,
                        uint64_t begin, uint64_t end)
{
    if (__builtin_expect(thread->record_special, 0))
        return thread->counting    ? record_counting(thread, call, frame, begin, end)
               : thread->searching ? record_searching(thread, call, frame, begin, end)
                                   : record_watched(thread, call, frame, begin, end);
    return record(thread, call, frame, begin, end, false, RECORD_ONLY);
}

void measure_synchronized(struct thread *thread)
{
    iteration_flush_queue_async(thread);
}
