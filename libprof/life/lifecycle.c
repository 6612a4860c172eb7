/* See lifecycle.h. */
#include "life/lifecycle.h"

#include "calls/calls.h"
#include "encode/encode.h"
#include "host/host.h"
#include "iterations/iterations.h"
#include "library/library.h"
#include "life/attach.h"
#include "life/spawn.h"
#include "life/unload.h"
#include "mainloop/mainloop.h"
#include "measure/measure.h"
#include "regions/regions.h"
#include "sample/sample.h"
#include "save/save.h"
#include "trace/trace.h"
#include "unwind/unwind.h"
#include "write/write.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether each process writes a summary of its own. */
static bool alone;

/* Whether this process prints the messages that would be the same in all. */
static bool is_first;

/* Number of processes in the job, as far as is known. */
static int job_size = 1;

/* The process that measures.  A child made without running fork's handlers has another id. */
static pid_t process;

bool lifecycle_merges(void)
{
    return !alone;
}

/* A secure process must not be measured, and one without glibc cannot be. */
static void __attribute__((constructor)) stay_out(void)
{
    if (secure_process() || other_libc_async())
        measurement_set_state_async(STATE_ENDED);
}

/* A child of fork measures and writes nothing; the parent goes on. */
static void after_fork_in_child(void)
{
    measurement_set_state_async(STATE_ENDED);
    thread_self = NULL;
    sampler_forget_async();
    part_forget_async();
}

static struct thread *start_locked(uintptr_t frame)
{
    descriptors_reserve_async();
    config_start();
    source_place_start();
    trace_start();
    counters_start();
    layouts_start_with(counters_count);
    mpi_calls_start();
    mpi_real_start();
    /* What it took to get here is not the program's time. */
    clock_start();
    recipe_start();
    alias_start();
    unload_watch();
    process = getpid();
    const struct thread_identity identity = thread_identity();
    struct thread *thread = thread_attach(0, &(struct follow_place){0}, &identity);
    at_fork_in_child(after_fork_in_child);
    if (!thread) {
        message(1, "nothing is measured: out of memory");
        clock_calibrate();
        measurement_set_state_async(STATE_REFUSED);
        return NULL;
    }
    thread_claim_async(thread, frame);
    regions_filter_start(thread);
    sampler_start();
    counts_attach(thread);
    measurement_set_state_async(STATE_STARTING);
    return thread;
}

struct thread *lifecycle_start(uintptr_t frame)
{
    if (measurement_state_async() != STATE_IDLE)
        return NULL;
    int saved = errno;
    struct thread *thread = NULL;
    pthread_mutex_lock(&state_lock);
    if (measurement_state_async() == STATE_IDLE)
        thread = start_locked(frame);
    pthread_mutex_unlock(&state_lock);
    errno = saved;
    return thread;
}

/*
 * Learns this process's rank and the size of the job, if MPI can tell already, and decides
 * whether the job writes one summary.
 */
static void learn_rank(void)
{
    static bool complained;
    const struct world world = world_look_up();
    if (world.known) {
        requests_concurrent = world.concurrent;
        merge_set_rank(world.rank);
        if (world.spawned)
            output_name_set_spawned();
    }
    if (world.size > 1)
        message_set_rank(world.rank);
    alone = config.number[SETTING_MERGE] == 0;
    is_first = world.rank == 0;
    if (is_first && !complained) {
        config_complain();
        regions_filter_complain();
        sampler_complain();
        counters_complain();
    }
    complained = true;
    if (!alone && job_processes_unmeasured(world.size)) {
        alone = true;
        message(1, "not all processes of the job are measured: each writes its own summary");
    }
    job_size = world.size;
    part_prepare(world.known ? world.rank : -1, world.size);
}

/*
 * All processes of a traced job do so; whether they can trace, they tell each other.  Others
 * are not asked: a process that is not measured would not come.
 */
void lifecycle_compare_clocks(void)
{
    int saved = errno;
    if (!alone && *config.text[SETTING_TRACE])
        clock_offsets_start(trace_is_on_async() && measurement_state_async() != STATE_REFUSED);
    errno = saved;
}

void lifecycle_initialised(struct thread *thread)
{
    int saved = errno;
    clock_calibrate();
    learn_rank();
    sampler_attach(thread);
    spawn_join_early(clock_now_async());
    watch_start(thread);
    search_start(thread);
    part_start(thread);
    measurement_set_state_async(STATE_MEASURING);
    if (thread->counting)
        counts_skip_async(thread);
    errno = saved;
}

void lifecycle_world(void)
{
    int saved = errno;
    const enum measurement_state now = measurement_state_async();
    if (now == STATE_MEASURING || now == STATE_REFUSED) {
        learn_rank();
        lifecycle_compare_clocks();
    }
    errno = saved;
}

/*
 * Whether the calling thread is never measured.  Without memory it would ask again at each
 * call.
 */
static __thread bool refused __attribute__((tls_model("initial-exec")));

static struct thread *attach_running(const struct follow_place *place)
{
    int saved = errno;
    const struct thread_identity identity = thread_identity();
    struct thread *thread = thread_attach(clock_now_async(), place, &identity);
    if (thread) {
        sampler_attach(thread);
        counts_attach(thread);
    }
    refused = !thread;
    errno = saved;
    return thread;
}

bool lifecycle_place(struct follow_place *place)
{
    struct thread *thread = thread_self;
    if (refused || (thread && thread->depth != DEPTH_PROGRAM))
        return false;
    thread = thread ? thread_enter(ARCH_FRAME(), false) : NULL;
    if (!thread) {
        *place = follow_place(NULL);
        return true;
    }
    int64_t now = clock_now_async();
    timeline_come(thread, now);
    *place = follow_place(thread);
    thread_leave(thread);
    return true;
}

void lifecycle_thread_begins(const struct follow_place *place)
{
    /* It may have begun too late for spawn_join_early and yet before the measurement runs. */
    const enum measurement_state now = measurement_state_async();
    if (now != STATE_MEASURING && now != STATE_STARTING)
        return;
    struct thread *thread = attach_running(place);
    if (!thread)
        return;
    thread_worked_async(thread, clock_now_async());
    thread_release_async(thread);
}

void lifecycle_ignore_thread(void)
{
    refused = true;
}

struct thread *lifecycle_enter(struct thread *thread, uintptr_t frame, bool starts)
{
    if (thread) {
        /*
         * If this frame is deeper than the wrapper that holds the context, the call is nested.
         * Otherwise that wrapper was left without returning, by longjmp or by an exception from
         * a callback.
         */
        bool stale = !thread->stopped && frame >= thread->entry_frame &&
                     frame < thread->stack.high && thread->entry_frame >= thread->stack.low;
        if (stale)
            sampler_resume_async(thread);
        return stale ? thread : NULL;
    }
    const enum measurement_state now = measurement_state_async();
    if (now == STATE_IDLE && starts) {
        thread = lifecycle_start(frame);
        if (thread)
            lifecycle_initialised(thread);
        return thread;
    }
    if (now != STATE_MEASURING || refused)
        return NULL;
    struct follow_place nowhere = follow_place(NULL);
    return attach_running(&nowhere);
}

/* Ends the measurement on all threads at NS; called on THREAD, or NULL. */
static void stop_all(const struct thread *thread, int64_t ns)
{
    measurement_set_state_async(STATE_ENDED);
    threads_close();
    for (struct thread *each = thread_newest; each; each = each->next) {
        if (each != thread && !each->stopped && each->depth != DEPTH_PROGRAM)
            thread_note_async(each, NOTE_STILL_RUNNING);
        thread_stop(each, ns);
    }
    phase_complain();
    if (is_first) {
        watch_complain();
        sampler_complain_limited();
    }
}

/*
 * Removes the part if all of what it has is in the summary and the trace; otherwise the part is
 * all that is left, and is kept.
 */
static void keep(enum merge_outcome outcome, enum part_ending ending)
{
    if (outcome == MERGE_WHOLE)
        part_remove();
    else
        part_finish(outcome == MERGE_NO_TRACE ? PART_NO_TRACE : ending);
}

void lifecycle_finish(struct thread *thread, int64_t ns)
{
    int saved = errno;
    stop_all(thread, ns);
    /* Events are of no use without the names of call paths, and writing them takes a while. */
    if (trace_is_on_async() && config.number[SETTING_MERGE])
        part_save_all();
    keep(alone ? write_alone(ns) : merge_and_write(ns), PART_NOT_WRITTEN);
    errno = saved;
}

/*
 * The process ends at NS without the others: leaves its part, from which `tsprof merge` can
 * make the job's summary.  If it is the only process, or there can be no part, it writes a
 * summary.
 */
static void leave_behind(int64_t ns, enum part_ending ending)
{
    if (!alone && job_size > 1) {
        shown_loops_agree_alone();
        if (part_finish(ending))
            return;
    }
    keep(write_alone(ns), ending);
}

void lifecycle_abandon(struct thread *thread, int64_t ns)
{
    int saved = errno;
    stop_all(thread, ns);
    leave_behind(ns, PART_ABORTED);
    errno = saved;
}

bool lifecycle_measures(void)
{
    return measurement_state_async() == STATE_MEASURING && getpid() == process;
}

/* Whether this process must not make system calls of its own any more, so it writes nothing. */
static bool confined;

void lifecycle_confine(void)
{
    int64_t now = clock_now_async();
    stop_all(NULL, now);
    sampler_give_up_async();
    /* The others expect this process where they merge, if they do. */
    confined = !alone && job_size > 1;
    if (!confined)
        keep(write_alone(now), PART_NOT_WRITTEN);
    else if (!part_finish(PART_NOT_WRITTEN))
        message(1, "what this process has measured is lost");
    message_set_verbosity(-1);
}

void lifecycle_join(void)
{
    if (confined) {
        world_wait();
        merge_nothing();
        return;
    }
    const enum measurement_state now = measurement_state_async();
    if (now == STATE_REFUSED)
        learn_rank();
    else if (now != STATE_MEASURING)
        return;
    if (lifecycle_merges())
        world_wait();
    lifecycle_finish(NULL, clock_now_async());
}

/*
 * A process that ends without MPI_Finalize leaves what it has.  MPI may not be called any more.
 */
static void __attribute__((destructor)) end_of_process(void)
{
    if (measurement_state_async() != STATE_MEASURING || !thread_newest || getpid() != process)
        return;
    int64_t now = clock_now_async();
    stop_all(NULL, now);
    leave_behind(now, PART_UNFINISHED);
}
