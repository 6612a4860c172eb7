/* See attach.h. */
#include "life/attach.h"

#include "calls/calls.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
#include "measure/measure.h"
#include "regions/regions.h"
#include "sample/sample.h"
#include "save/save.h"
#include "trace/trace.h"

#include <limits.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    NODES_LEAST = 64,
    NODES_MOST = 1 << 22,
    WALKERS = 6, /* number of levels for which there is room even if the call tree is full */
    /*
     * What a thread draws from the budget at its start; of walkers only what deep stacks use.
     */
    BYTES_AT_START = 57344,
    STACK_BYTES = 65536, /* of the stack for work in pieces, and others that are used later */
    /* Least address space to reserve for each thread after the first. */
    TREE_BYTES_LEAST = 131072,
    HEAP_BYTES_LEAST = 131072,
    /*
     * What is drawn by the byte is used by the page.  The arrays of a profile, and all others
     * together, begin and end in the middle of pages, which is one page more for each.
     */
    PROFILE_PAGES = 3,
    OTHER_PAGES = 10,
    ALIGNED_EXTRA = 1024 /* enough for aligning all blocks in the arena */
};

/*
 * Lists of the contexts whose threads have ended, the last one first; the second one has those
 * with iterations of their own.
 */
static struct thread *resting, *resting_marked;

static void find_stack(pthread_t handle, struct stack_bounds *stack)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    *stack = (struct stack_bounds){0, 0};
    if (pthread_getattr_np(handle, &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0)
        *stack = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
    pthread_attr_destroy(&attributes);
}

/*
 * Gets memory for the thread's counters, if there are any.  Returns false if there is too
 * little.
 */
static bool furnish_counts(struct thread *thread)
{
    if (counters_count == 0)
        return true;
    thread->counts = arena_take_async(&thread->arena, sizeof *thread->counts);
    if (thread->counts)
        thread->counts->set = PAPI_NO_SET;
    return thread->counts;
}

/* Gets the memory that a thread needs from the start.  Returns false if there is too little. */
static bool furnish(struct thread *thread, size_t tree_bytes, size_t heap_bytes)
{
    size_t nodes = tree_bytes / cct_bytes_per_node_async();
    nodes = nodes < NODES_LEAST ? NODES_LEAST : nodes > NODES_MOST ? NODES_MOST : nodes;
    struct arena *arena = &thread->arena;
    thread->scratch = arena_take_async(arena, sizeof *thread->scratch);
    thread->calls = arena_take_async(arena, sizeof *thread->calls);
    thread->sampling = arena_take_async(arena, sizeof *thread->sampling);
    bool whole = thread->scratch && thread->calls && thread->sampling &&
                 furnish_counts(thread) && trace_attach(thread) &&
                 cct_create(&thread->tree, arena, (uint32_t)nodes) &&
                 profile_create_async(&thread->outside, &thread->tree, arena) &&
                 profile_create_async(&thread->closed, &thread->tree, arena);
    if (whole)
        thread->iterations = iterations_create(&thread->tree, arena);
    whole = thread->iterations && arena_create_async(&thread->heap.arena, heap_bytes) == 0;
    arena_meter(&thread->heap.arena);
    memory_add_arena_async(thread, arena);
    memory_add_arena_async(thread, &thread->heap.arena);
    return whole;
}

/*
 * Creates a context with address space for TREE_BYTES of call paths and profiles and HEAP_BYTES
 * of clusters.  The process's budget limits how much of that may be used.
 */
static struct thread *create(size_t tree_bytes, size_t heap_bytes)
{
    /* What does not depend on the number of nodes.  Most pages of walkers are never touched. */
    const size_t fixed = WALKERS * sizeof(struct walker) + sizeof(struct walk_scratch) +
                         sizeof(struct call_memory) + sizeof(struct sampling) +
                         sizeof(struct thread) + sizeof(struct counts) + iterations_bytes() +
                         part_thread_bytes() + trace_recorder_bytes() + ALIGNED_EXTRA;
    struct arena arena;
    if (arena_create_async(&arena, tree_bytes + fixed) != 0)
        return NULL;
    struct thread *thread = arena_take_async(&arena, sizeof *thread);
    const size_t at_start = BYTES_AT_START + (counters_count > 0 ? sizeof(struct counts) : 0);
    bool drawn = thread && budget_draw_async(at_start);
    if (drawn) {
        thread->arena = arena;
        if (furnish(thread, tree_bytes, heap_bytes) && instance_open_program(thread)) {
            coroutine_create_async(&thread->pieces);
            return thread;
        }
        /* Another thread may need what this one has drawn. */
        budget_return_async(at_start + thread->tree.node_granted * cct_bytes_per_node_async());
        arena = thread->arena;
        arena_destroy_async(&thread->heap.arena);
    }
    arena_destroy_async(&arena);
    return NULL;
}

/*
 * Bytes of PROFILE if it has NODES call paths, or as many as it has; of all others it takes the
 * stamps, which a save looks at.
 */
static size_t profile_needs_async(const struct cct *tree, const struct profile *profile,
                                  uint32_t nodes)
{
    const uint32_t has = profile->touched_count > nodes ? profile->touched_count : nodes;
    return profile_bytes_of_async(tree, has) +
           (tree->node_count - has) * sizeof *profile->stamps +
           profile_kept_used_async(profile);
}

/*
 * Bytes that the profiles of THREAD need if each call path gets into all that it can be in:
 * those below a phase whose instances have profiles into these and into their sum, others into
 * what lies outside; while a main loop is looked for, all into that and into the open passes.
 */
static size_t profiles_need_async(const struct thread *thread)
{
    const struct cct *tree = &thread->tree;
    const uint32_t all = tree->node_count, inside = tree->inside_count;
    size_t bytes = profile_needs_async(tree, &thread->closed, inside) +
                   profile_needs_async(tree, &thread->outside, all - inside);
    for (int i = 0; i < LEVELS_MOST; i++) {
        const struct profile *own = thread->levels[i].own_profile;
        if (own)
            bytes += profile_needs_async(tree, own, thread->searching ? all : inside);
    }
    const struct profile *aside = iterations_profile_aside_async(thread);
    if (aside)
        bytes += profile_needs_async(tree, aside, thread->searching ? all : inside);
    return bytes;
}

/* How many profiles of THREAD are in use. */
static size_t count_profiles_async(const struct thread *thread)
{
    size_t count = 2 + (iterations_profile_aside_async(thread) ? 1 : 0);
    for (int i = 0; i < LEVELS_MOST; i++)
        count += thread->levels[i].own_profile ? 1 : 0;
    return count;
}

/*
 * Bytes that THREAD was granted outside its heap and has not touched yet: for call paths that
 * its tree may still add, and for what its profiles keep while they are saved.
 */
static size_t granted_async(const struct thread *thread)
{
    const struct cct *tree = &thread->tree;
    size_t bytes = profile_kept_granted_async(&thread->closed) +
                   profile_kept_granted_async(&thread->outside);
    for (int i = 0; i < LEVELS_MOST; i++)
        if (thread->levels[i].own_profile)
            bytes += profile_kept_granted_async(thread->levels[i].own_profile);
    if (iterations_profile_aside_async(thread))
        bytes += profile_kept_granted_async(iterations_profile_aside_async(thread));
    if (tree->node_granted > tree->node_count)
        bytes += (tree->node_granted - tree->node_count) * cct_bytes_per_node_async();
    return bytes;
}

/*
 * Bytes that THREAD uses of the budget outside its heap: what is resident; but if that is less,
 * what it needs from the start on, and for the call paths that it knows once they have been in
 * an iteration.  To that comes what it was granted and has not used yet.
 */
static size_t used_outside_heap_async(const struct thread *thread)
{
    const size_t expected = BYTES_AT_START + STACK_BYTES + cct_bytes_async(&thread->tree) +
                            profiles_need_async(thread) + iterations_bytes_of_async(thread) +
                            regions_bytes_async(thread) + search_bytes_async(thread);
    const size_t resident =
        memory_of_thread_async(thread, NULL) - memory_of_arena_async(&thread->heap.arena);
    const size_t pages = OTHER_PAGES + PROFILE_PAGES * count_profiles_async(thread);
    return (resident < expected ? expected : resident) + granted_async(thread) +
           pages * getauxval(AT_PAGESZ);
}

/*
 * Bytes that THREAD uses of the budget.  The heap is counted by itself: what it was granted and
 * has not used yet would otherwise be lost where other parts take more than was expected.
 */
static size_t used_by_async(const struct thread *thread)
{
    const size_t page = getauxval(AT_PAGESZ);
    const size_t heap = (thread->heap.arena.granted + page - 1) / page * page;
    return used_outside_heap_async(thread) + heap;
}

static size_t used_async(void)
{
    size_t bytes = 0, clusters = 0;
    for (struct thread *thread = thread_newest_async(); thread; thread = thread->next) {
        const size_t needed = iterations_cluster_bytes_async(thread),
                     granted = thread->heap.arena.granted;
        bytes += used_by_async(thread);
        clusters += needed > granted ? needed - granted : 0;
    }
    /* What is kept for clusters is theirs, and counted by whoever asks. */
    const size_t kept = budget_kept_async();
    return bytes + (clusters > kept ? clusters - kept : 0);
}

static struct thread *create_first(void)
{
    const size_t memory = (size_t)config.number[SETTING_MEMORY];
    const size_t clusters = memory / 4 * 3; /* call paths must not run out because of them */
    const size_t paths = NODES_MOST * cct_bytes_per_node_async();
    budget_set(memory, clusters);
    budget_settle_by(used_async);
    /* So much address space that the budget is used up first, as long as the system has it. */
    struct thread *thread = create(memory / 2 * 5 < paths ? memory / 2 * 5 : paths, clusters);
    return thread ? thread : create(memory / 2 < paths ? memory / 2 : paths, memory / 2);
}

static size_t at_least(size_t bytes, size_t least)
{
    return bytes < least ? least : bytes;
}

static struct thread *create_another(void)
{
    size_t memory = (size_t)config.number[SETTING_MEMORY];
    return create(at_least(memory / 8, TREE_BYTES_LEAST),
                  at_least(memory / 4, HEAP_BYTES_LEAST));
}

/*
 * Continues a time line that has rested until NS.  The time in between belongs to no thread, so
 * the beginning of the line and of its open levels moves forward by that much.
 */
static void resume_line(struct thread *thread, int64_t ns)
{
    int64_t rest = ns - thread->last_ns;
    follow_resting_async(thread, ns);
    thread->begin_ns += rest;
    for (struct level *level = thread->levels; level <= thread->level; level++)
        level->begin_ns += rest;
    /* The walks that were remembered are those of another stack. */
    for (int i = 0; i < LEVELS_MOST && thread->levels[i].own_walker; i++)
        walker_forget_async(thread->levels[i].own_walker);
    thread->last_ns = ns;
}

/*
 * Puts the context of a thread that has computed up to NS, and ends now, to rest, with all that
 * it holds.  What came in between was tsprof's: waiting for others, and samples.  The next new
 * thread continues its time line, so even thousands of threads take no more memory than those
 * that exist at the same time.  What is pending goes to the next sample on the line, which
 * means that many short-lived threads are sampled like one.
 */
static void rest(struct thread *thread, int64_t ns)
{
    sampler_detach_async(thread);
    if (thread->counting)
        counts_read_async(thread, ns);
    preemption_look_async(thread);
    timeline_come(thread, ns);
    regions_rest(thread);
    search_stop(thread, ns);
    phase_close_own(thread, ns);
    iteration_flush_queue_async(thread);
    thread_worked_async(thread, clock_now_async());
    thread->end_ns = thread->last_ns;
    thread->stopped = true;
    /*
     * Other threads refer to the leading thread's series, so no thread may take its context
     * over.
     */
    if (thread == borders_leader_async())
        return;
    struct thread **list = thread->next_border == BORDERS_NEVER ? &resting_marked : &resting;
    thread->next_resting = *list;
    *list = thread;
}

static pthread_key_t exit_key;
static bool has_exit_key;
static void (*exit_callback)(void);

/*
 * The destructor of tsprof's thread-specific value.  It waits for a late round of destructors,
 * because those of the program may still call MPI, but not for the last one, when other tools
 * have ended.
 */
static void at_thread_exit(void *value)
{
    static __thread int round __attribute__((tls_model("initial-exec")));
    if (++round < PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
        pthread_setspecific(exit_key, value) == 0)
        return;
    void (*callback)(void) = __atomic_load_n(&exit_callback, __ATOMIC_RELAXED);
    if (callback)
        callback();
    /*
     * Read only now, because until the callback was called another thread may have given it a
     * context.
     */
    struct thread *thread = thread_self;
    /* In a child of fork nothing is measured. */
    if (!thread)
        return;
    thread_claim_async(thread, ARCH_FRAME_ADDRESS());
    const int64_t ns = clock_now_async();
    threads_lock();
    if (!threads_are_closed() && !thread->stopped)
        rest(thread, ns);
    counts_detach(thread);
    /*
     * Before the lock is released, because after that another thread may take the context over.
     */
    thread_self = NULL;
    thread_release_async(thread);
    threads_unlock();
}

static void create_exit_key(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    has_exit_key = pthread_key_create(&exit_key, at_thread_exit) == 0;
}

bool thread_watch_exit(void (*callback)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_exit_key);
    /* Atomic, because several threads may begin at the same time. */
    if (callback)
        __atomic_store_n(&exit_callback, callback, __ATOMIC_RELAXED);
    /* The destructor runs for any value but NULL. */
    return has_exit_key && pthread_setspecific(exit_key, &exit_key) == 0;
}

/* Adds THREAD, unless NULL, to the list of all contexts; its time line begins at NS. */
static struct thread *enlist(struct thread *thread, int64_t ns)
{
    if (!thread)
        return NULL;
    thread->first_ns = thread->begin_ns = thread->last_ns = ns;
    thread->levels[0].begin_ns = ns;
    thread->live = &thread->unpublished;
    thread->save_due_ns = thread->work_due_ns = ns + PART_INTERVAL_NS;
    thread->border_due_ns = INT64_MAX;
    threads_add(thread);
    trace_name_stream(thread);
    return thread;
}

/* Takes the first context from LIST and continues its time line at NS. */
static struct thread *wake(struct thread **list, int64_t ns)
{
    struct thread *thread = *list;
    *list = thread->next_resting;
    /* What is mapped is only for those that do not block SIGBUS: the next save finds out. */
    thread->unpublished = (struct live){0};
    thread->live = &thread->unpublished;
    resume_line(thread, ns);
    thread->stopped = false;
    return thread;
}

/* Finds a context whose time line continues at NS, or creates one; NULL without memory. */
static struct thread *obtain(int64_t ns, const struct follow_place *place)
{
    if (resting)
        return wake(&resting, ns);
    struct thread *thread = enlist(thread_newest ? create_another() : create_first(), ns);
    if (thread) {
        follow_join(thread, place);
        /* Iterations may have ended since the thread was created. */
        follow_resting_async(thread, ns);
    } else if (resting_marked)
        /*
         * One thread's iterations will come after another's, which is better than measuring
         * none.
         */
        thread = wake(&resting_marked, ns);
    return thread;
}

struct thread_identity thread_identity(void)
{
    return (struct thread_identity){pthread_self(), gettid(), &thread_self};
}

struct thread *thread_attach(int64_t ns, const struct follow_place *place,
                             const struct thread_identity *identity)
{
    const bool own = identity->self == &thread_self;
    int saved = 0;
    struct thread *thread = NULL;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved);
    threads_lock();
    if (!threads_are_closed())
        thread = obtain(ns, place);
    if (thread) {
        find_stack(identity->handle, &thread->stack);
        thread->os_id = identity->os_id;
        preemption_begin_async(thread, ns);
        if (own)
            thread_claim_async(thread, ARCH_FRAME_ADDRESS());
        else {
            thread->touched = true;
            thread_release_async(thread);
        }
        /* The thread makes its event set itself, when it first enters tsprof. */
        thread->counting = thread->counts;
        __atomic_store_n(identity->self, thread, __ATOMIC_RELEASE);
    } else if (!threads_are_closed()) {
        threads_unmeasured++;
    }
    threads_unlock();
    if (own && thread)
        thread_watch_exit(NULL);
    pthread_setcancelstate(saved, NULL);
    return thread;
}

/*
 * A memory barrier in all threads.  After it, each thread either sees that it has been stopped
 * once it has raised its depth, or its raised depth is visible here; see thread_enter.  The
 * kernel does it here, so that not every call has to pay for a barrier.
 */
static void order_all_threads(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Whoever sees that another thread has given its context up sees all that it has written there.
 */
static int depth_of(const struct thread *thread)
{
    return __atomic_load_n(&thread->depth, __ATOMIC_ACQUIRE);
}

/*
 * Waits until a thread that was told to stop has left tsprof.  Returns false if it does not
 * within half a second: a jump out of a signal handler may have left its depth raised for good.
 */
static bool wait_while_working(const struct thread *thread)
{
    const struct timespec pause = {.tv_nsec = 100000};
    for (int i = 0; i < 5000 && depth_of(thread) == DEPTH_TSPROF; i++)
        nanosleep(&pause, NULL);
    return depth_of(thread) != DEPTH_TSPROF;
}

void thread_stop(struct thread *thread, int64_t ns)
{
    bool rested = __atomic_exchange_n(&thread->stopped, true, __ATOMIC_SEQ_CST);
    order_all_threads();
    if (thread != thread_self && !wait_while_working(thread))
        thread->stuck = true;
    if (thread->stuck)
        return;
    sampler_detach_async(thread);
    if (!rested) {
        thread->end_ns = ns > thread->last_ns ? ns : thread->last_ns;
        /* Only the thread itself can read its counters. */
        if (thread->counting && thread == thread_self && thread->depth == DEPTH_PROGRAM)
            counts_read_async(thread, thread->end_ns);
        preemption_look_async(thread);
        timeline_come(thread, thread->end_ns);
    }
    search_stop(thread, thread->end_ns);
    phase_close_all(thread, thread->end_ns);
    series_finish(thread);
    if (thread->number == 0 && threads_unmeasured > 0)
        thread_note_async(thread, NOTE_THREADS_LOST);
}
