/* When threads save, and how often.  See part.h. */
#include "save/part.h"

#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/mainloop.h"
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

void part_save_async(struct thread *thread)
{
    int error = errno;
    /* The first save creates the file, so its time does not predict that of the next. */
    bool first = !thread->part || !thread->part->saved;
    /* A thread that has ended is saved by another, whose time this is. */
    struct cost *cost = thread_self ? &thread_self->cost : &thread->cost;
    int64_t begin = clock_now_async(), cpu = cpu_ns_async(), handler_ns = cost->handler_ns;
    bool saved = part_save_now_async(thread);
    int64_t now = clock_now_async(), wait = PART_INTERVAL_NS;
    cpu = cpu_ns_async() - cpu;
    /* Interrupts during the save have been accounted for already. */
    cost->saving_ns += now - begin - (cost->handler_ns - handler_ns);
    if (!first)
        wait = larger(wait, larger(cpu * TIMES_CPU, (now - begin) * TIMES_WALL));
    bool again = saved || part_file_must_complain_async() || part_process_is_opening_async();
    thread->save_due_ns = again ? now + wait : INT64_MAX;
    if (thread->part)
        thread->part->due_ns = thread->save_due_ns;
    errno = error;
}

/* Saves a thread that has ended, if it did something after its last save. */
static void save_resting(struct thread *thread)
{
    if (!thread->part || thread->part->saved_ns < thread->last_ns)
        part_save_async(thread);
}

static void save_and_look_around(void *context)
{
    struct thread *thread = context;
    /* First, so that found_prepare and the save see the same clusters. */
    iteration_flush_queue_async(thread);
    found_prepare(thread);
    /* The handler may have saved the thread already, and left only the rest to be done. */
    if (!thread->part || thread->last_ns >= thread->part->due_ns)
        part_save_async(thread);
    else
        thread->save_due_ns = thread->part->due_ns;
    if (thread->number == 0)
        part_topologies_save(thread, false);
    threads_visit_resting(save_resting);
    part_process_complain();
}

void part_save_leaving(struct thread *thread)
{
    int error = errno;
    const int64_t since_ns = thread->last_ns;
    if (thread_has_stack_async(thread))
        save_and_look_around(thread);
    else
        own_stack_call(save_and_look_around, thread);
    thread_worked_async(thread, clock_now_async());
    thread_busy_async(thread, STALL_SAVE);
    thread_kept_async(thread, thread->last_ns - since_ns);
    errno = error;
}

void part_save_sampled_async(struct thread *thread, int64_t ns)
{
    if (!thread_has_stack_async(thread) || (thread->part && ns < thread->part->due_ns))
        return;
    part_save_async(thread);
    /* Topologies and ended threads cannot be saved here: the next event does that. */
    if (thread->number == 0 && thread->save_due_ns != INT64_MAX)
        thread->save_due_ns = thread->last_ns;
}
