/* When threads save, and how often.  See part.h. */
#include "save/part.h"

#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
#include "save/part_events.h"
#include "save/part_file.h"
#include "save/part_process.h"
#include "save/part_save.h"
#include "save/part_thread.h"
#include "save/part_topologies.h"

#include <errno.h>
#include <time.h>

/*
 * The next save waits this many times as long as the last one took: in CPU time, and in wall
 * time, which counts less since others may have had the processor.
 */
enum { TIMES_CPU = 500, TIMES_WALL = 40 };

/* How long a save may wait for a stay in which nothing else takes long. */
enum { WAITS_NS = 20000000 };

/* The first interval between saves is this part of PART_INTERVAL_NS; a power of two. */
enum { FIRST_SAVES = 8 };

static int64_t cpu_ns_async(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * The first instant after NS at which the wall clock shows a multiple of PERIOD_NS: all ranks
 * save at the same time, so that none waits for another that does.
 */
static int64_t next_beat(int64_t ns, int64_t period_ns)
{
    const int64_t shown_ns = measurement_clock.epoch_ns + ns;
    return ns + period_ns - shown_ns % period_ns;
}

/*
 * How long a thread of this AGE waits between two saves: less at first, so that little is lost
 * of a short run, too.
 */
static int64_t interval_ns(int64_t age_ns)
{
    int64_t interval = PART_INTERVAL_NS / FIRST_SAVES;
    while (interval < PART_INTERVAL_NS && interval < age_ns)
        interval *= 2;
    return interval;
}

/*
 * When the next save is due, if one that has ended at NS has cost as much as PART says: at the
 * beat that is closest, so that little more than the usual does not double what may be lost.
 */
static int64_t next_save(const struct part_thread *part, int64_t ns)
{
    const int64_t least_ns = larger(part->cpu_ns * TIMES_CPU, part->wall_ns * TIMES_WALL);
    const int64_t interval = interval_ns(ns - part->thread->first_ns);
    const int64_t beats = (least_ns + interval / 2) / interval;
    return next_beat(ns + (larger(beats, 1) - 1) * interval, interval);
}

/*
 * Sets the time of the next piece or save of THREAD after one that has ended at NS and taken
 * WALL_NS.
 */
static void set_due_async(struct thread *thread, enum save_state state, int64_t ns,
                          int64_t wall_ns)
{
    struct part_thread *part = thread->part;
    if (state == SAVE_NOT_YET)
        return;
    const bool again = state != SAVE_FAILED || part_file_must_complain_async() ||
                       part_process_is_opening_async();
    thread->save_due_ns = INT64_MAX;
    if (part && again)
        thread->save_due_ns = state == SAVE_GOING_ON
                                  ? iteration_next_piece_async(thread, ns - wall_ns, ns)
                                  : next_save(part, ns);
    else if (again)
        thread->save_due_ns = next_beat(ns, PART_INTERVAL_NS);
    thread->work_due_ns = thread->save_due_ns;
    if (!part)
        return;
    part->due_ns = thread->save_due_ns;
    if (state == SAVE_GOING_ON)
        return;
    part->took_ns = part->wall_ns;
    part->cpu_ns = part->wall_ns = 0;
    /* What is left to do cannot be done everywhere: the next event does it. */
    if (thread->number == 0 && again)
        thread->save_due_ns = thread->work_due_ns = thread->last_ns;
}

/* Saves THREAD by calling SAVE, and accounts for what that costs. */
static void save_async(struct thread *thread, enum save_state (*save)(struct thread *thread))
{
    int error = errno;
    /* A thread that has ended is saved by another, whose time this is. */
    struct cost *cost = thread_self ? &thread_self->cost : &thread->cost;
    const int64_t begin = clock_now_async(), handler_ns = cost->handler_ns;
    int64_t cpu = cpu_ns_async();
    /* What is made for the first save takes time that does not predict that of the next. */
    const bool first = !thread->part;
    const enum save_state state = save(thread);
    const int64_t now = clock_now_async();
    cpu = cpu_ns_async() - cpu;
    /* Interrupts during the save have been accounted for already. */
    if (state != SAVE_NOT_YET)
        cost->saving_ns += now - begin - (cost->handler_ns - handler_ns);
    if (state != SAVE_NOT_YET && !first) {
        thread->part->cpu_ns += cpu;
        thread->part->wall_ns += now - begin;
    }
    set_due_async(thread, state, now, now - begin);
    errno = error;
}

void part_save_async(struct thread *thread)
{
    save_async(thread, part_save_piece_async);
}

void part_thaw_async(struct thread *thread)
{
    thread_busy_async(thread, STALL_SAVE);
    save_async(thread, part_save_at_once_async);
    /* Even if it failed. */
    part_save_drop_async(thread);
}

/* Saves a thread that has ended, if it did something after its last save. */
static void save_resting(struct thread *thread)
{
    if (!thread->part || thread->part->saved_ns < thread->last_ns)
        save_async(thread, part_save_at_once_async);
}

/* What cannot be done in the handler, after THREAD has been saved. */
static void look_around(struct thread *thread)
{
    if (thread->number == 0)
        part_topologies_save(thread, false);
    threads_visit_resting(save_resting);
    part_process_complain();
}

/* Whether THREAD is to be saved, or not all of that is done. */
static bool is_due(const struct thread *thread)
{
    return thread->last_ns >= (thread->part ? thread->part->due_ns : thread->save_due_ns);
}

/* Goes on with a save of THREAD, or begins one; does what is left to do after one. */
static void save_and_look_around(struct thread *thread)
{
    if (is_due(thread)) {
        /* Only then, so that it and the save see the same clusters. */
        if (iteration_is_idle_async(thread) && !thread->frozen)
            found_prepare(thread);
        part_save_async(thread);
    }
    /* A save may also have ended elsewhere. */
    if (thread->frozen || is_due(thread))
        return;
    if (thread->part)
        thread->save_due_ns = thread->work_due_ns = thread->part->due_ns;
    /* What has been put aside meanwhile, or waited beside it, is done now. */
    if (!iteration_is_idle_async(thread))
        thread->work_due_ns = thread->last_ns;
    look_around(thread);
}

/*
 * Whether a save of THREAD that is due begins in another stay, since this one has been long
 * enough already; but not for long.
 */
static bool begins_later(const struct thread *thread)
{
    return !thread->frozen && thread->busy >= STALL_LOOPS &&
           thread->last_ns - thread->save_due_ns < WAITS_NS &&
           clock_now_async() - thread->stay_ns >= STALL_REST_LEAST_NS;
}

static void work_leaving(void *context)
{
    struct thread *thread = context;
    if (part_save_waits_async(thread)) {
        iteration_cluster_async(thread);
    } else if (thread->last_ns >= thread->save_due_ns) {
        if (begins_later(thread))
            return;
        thread_busy_async(thread, STALL_SAVE);
        save_and_look_around(thread);
    } else {
        thread->work_due_ns = thread->save_due_ns;
    }
}

void part_work_leaving(struct thread *thread)
{
    int error = errno;
    if (thread_has_stack_async(thread))
        work_leaving(thread);
    else
        own_stack_call(work_leaving, thread);
    thread_worked_async(thread, clock_now_async());
    errno = error;
}

void part_save_sampled_async(struct thread *thread, int64_t ns)
{
    if (!thread_has_stack_async(thread) || (thread->part && ns < thread->part->due_ns))
        return;
    thread->stay_ns = ns;
    part_save_async(thread);
}

void part_start(struct thread *thread)
{
    if (!part_process_has_rank() || !part_save_prepare(thread))
        return;
    part_events_start();
    const int64_t now = clock_now_async();
    thread->part->due_ns = next_beat(now, interval_ns(now - thread->first_ns));
    thread->save_due_ns = thread->work_due_ns = thread->part->due_ns;
}
