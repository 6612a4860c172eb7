/* See thread.h. */
#include "thread.h"

#include "config.h"
#include "mpi_calls.h"
#include "phase.h"
#include "sampler.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    BYTES_PER_NODE = 440, /* of tree, profiles (four nested kept phases) and closing arrays */
    NODES_LEAST = 64,
    NODES_MOST = 1 << 20,
    OTHER_THREADS = 8 /* as many share a quarter of the memory */
};

__thread struct thread *thread_self __attribute__((tls_model("initial-exec")));
struct thread *thread_newest;
int threads_unmeasured;

static pthread_mutex_t attach_lock = PTHREAD_MUTEX_INITIALIZER;
static int thread_count;

const char *note_text(enum note note)
{
    static const char *const texts[NOTE_COUNT] = {
        [NOTE_PATHS_LOST] = "no memory for more call paths: later ones are joined in one "
                            "(raise TSPROF_MEMORY)",
        [NOTE_PHASES_LOST] =
            "phases nested too deeply, or too many: some instances were summed or ignored",
        [NOTE_ITERATIONS_LOST] = "no memory for more clusters: profiles of some iterations are "
                                 "only in the whole-run profile (raise TSPROF_MEMORY)",
        [NOTE_PHASE_MISUSED] = "phase markers were out of order",
        [NOTE_PHASE_OPEN] = "a phase was still open at the end of measurement",
        [NOTE_STILL_RUNNING] = "a thread was inside MPI at the end of measurement",
        [NOTE_THREADS_LOST] =
            "there were more threads than could be measured: calls of the later "
            "ones are not counted",
        [NOTE_NOT_SAMPLED] = "no samples were taken: the system refused a timer",
    };
    return texts[note];
}

static void find_stack(struct stack_bounds *stack)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;
    *stack = (struct stack_bounds){0, 0};
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &size) == 0)
        *stack = (struct stack_bounds){(uintptr_t)low, (uintptr_t)low + size};
    pthread_attr_destroy(&attributes);
}

static bool closing_create(struct closing *closing, const struct cct *tree, struct arena *arena)
{
    closing->cells = arena_take_async(arena, tree->cell_capacity * sizeof *closing->cells);
    closing->values = arena_take_async(arena, tree->cell_capacity * sizeof *closing->values);
    closing->paths = arena_take_async(arena, tree->node_capacity * sizeof *closing->paths);
    closing->has_mpi = arena_take_async(arena, tree->node_capacity);
    return closing->cells && closing->values && closing->paths && closing->has_mpi;
}

/* Everything a thread needs from the start; false when the budget is too small. */
static bool furnish(struct thread *thread, size_t budget)
{
    /* What does not depend on the number of nodes: the walkers of a few levels. */
    size_t fixed = 4 * sizeof(struct walker) + sizeof(struct walk_scratch) + sizeof *thread;
    size_t nodes = budget > fixed ? (budget - fixed) / BYTES_PER_NODE : 0;
    nodes = nodes < NODES_LEAST ? NODES_LEAST : nodes > NODES_MOST ? NODES_MOST : nodes;
    struct arena *arena = &thread->arena;
    thread->scratch = arena_take_async(arena, sizeof *thread->scratch);
    return thread->scratch && cct_create(&thread->tree, arena, (uint32_t)nodes) &&
           profile_create(&thread->outside, &thread->tree, arena) &&
           profile_create(&thread->closed, &thread->tree, arena) &&
           closing_create(&thread->closing, &thread->tree, arena) &&
           arena_create(&thread->heap.arena, budget / 2) == 0;
}

/* BUDGET is for call paths and profiles; half as much again is for clusters. */
static struct thread *create(size_t budget)
{
    struct arena arena;
    if (arena_create(&arena, budget) != 0)
        return NULL;
    struct thread *thread = arena_take_async(&arena, sizeof *thread);
    if (!thread) {
        arena_destroy(&arena);
        return NULL;
    }
    thread->arena = arena;
    if (furnish(thread, budget) && phase_open_program(thread))
        return thread;
    arena = thread->arena;
    arena_destroy(&thread->heap.arena);
    arena_destroy(&arena);
    return NULL;
}

/* A thread's time line ends with it, not with the process. */
static void at_thread_exit(void *context)
{
    struct thread *thread = context;
    thread->depth = DEPTH_TSPROF;
    thread_stop(thread, clock_now_async());
    thread->depth = DEPTH_PROGRAM;
}

static pthread_key_t exit_key;
static bool has_exit_key;

static void create_exit_key(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    has_exit_key = pthread_key_create(&exit_key, at_thread_exit) == 0;
}

/* Has at_thread_exit called for the calling thread; without a free key it never is. */
static void watch_exit(const struct thread *thread)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_exit_key);
    if (has_exit_key)
        pthread_setspecific(exit_key, thread);
}

struct thread *thread_attach(int64_t ns)
{
    int saved = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved);
    pthread_mutex_lock(&attach_lock);
    struct thread *thread = NULL;
    size_t memory = (size_t)config.number[SETTING_MEMORY];
    if (thread_count == 0)
        thread = create(memory / 2);
    else if (thread_count <= OTHER_THREADS)
        thread = create(memory / 6 / OTHER_THREADS);
    if (thread) {
        find_stack(&thread->stack);
        thread->number = thread_count++;
        thread->os_id = gettid();
        thread->begin_ns = thread->last_ns = ns;
        thread->levels[0].begin_ns = ns;
        thread->next = thread_newest;
        __atomic_store_n(&thread_newest, thread, __ATOMIC_RELEASE);
        thread_self = thread;
        watch_exit(thread);
    } else {
        threads_unmeasured++;
    }
    pthread_mutex_unlock(&attach_lock);
    pthread_setcancelstate(saved, NULL);
    return thread;
}

void level_attribute_async(struct thread *thread, struct level *level, uint32_t node)
{
    if (level->pending_ns)
        profile_add_async(level->profile, &thread->tree, node, METRIC_computation,
                          level->pending_ns);
    level->pending_ns = 0;
}

void level_flush_async(struct thread *thread, struct level *level)
{
    static const enum mpi_call calls[COUNTED_CALLS] = {CALL_MPI_Wtime, CALL_MPI_Wtick};
    if (level->overhead_ns)
        profile_add_async(level->profile, &thread->tree, level->root, METRIC_overhead,
                          level->overhead_ns);
    level->overhead_ns = 0;
    for (int i = 0; i < COUNTED_CALLS; i++) {
        if (!level->counted[i])
            continue;
        uint32_t leaf = cct_child_async(&thread->tree, level->root, NODE_MPI, calls[i], 0,
                                        LAYOUT_NOTHING, METRIC_mpi_other);
        profile_add_async(level->profile, &thread->tree, leaf, METRIC_visits,
                          level->counted[i]);
        level->counted[i] = 0;
    }
}

/*
 * After this every thread sees that it was stopped before it raises its depth, or its raised
 * depth can be seen from here; see measure_enter.  The barrier is here because it must not be
 * on the way of every call.
 */
static void order_all_threads(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/*
 * Gives a thread that was told to stop the time to leave tsprof; false if it does not.  It may
 * have been left there for good, by a jump out of a signal handler.
 */
static bool wait_while_working(const struct thread *thread)
{
    const struct timespec pause = {.tv_nsec = 100000};
    for (int i = 0; i < 5000 && thread->depth == DEPTH_TSPROF; i++)
        nanosleep(&pause, NULL);
    return thread->depth != DEPTH_TSPROF;
}

void thread_stop(struct thread *thread, int64_t ns)
{
    bool stopped_before = __atomic_exchange_n(&thread->stopped, true, __ATOMIC_SEQ_CST);
    order_all_threads();
    if (thread != thread_self && !wait_while_working(thread))
        thread->stuck = true;
    if (stopped_before || thread->stuck)
        return;
    sampler_detach_async(thread);
    thread->end_ns = ns > thread->last_ns ? ns : thread->last_ns;
    thread_computed_async(thread, thread->end_ns);
    phase_close_all(thread, thread->end_ns);
    if (thread->number == 0 && threads_unmeasured > 0)
        thread_note_async(thread, NOTE_THREADS_LOST);
}

/* Bytes of AREA that have pages. */
static size_t resident(const struct arena *arena)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char state[1024];
    size_t bytes = 0;
    for (size_t at = 0; at < arena->used; at += sizeof state * page) {
        size_t left = arena->used - at;
        size_t length = left < sizeof state * page ? left : sizeof state * page;
        if (mincore(arena->base + at, length, state) != 0)
            return arena->used;
        for (size_t i = 0; i < (length + page - 1) / page; i++)
            bytes += (state[i] & 1) * page;
    }
    return bytes;
}

size_t thread_memory(const struct thread *thread)
{
    return resident(&thread->arena) + resident(&thread->heap.arena);
}
