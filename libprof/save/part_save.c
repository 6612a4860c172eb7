/* See part_save.h. */
#include "save/part_save.h"

#include "iterations/iterations.h"
#include "save/part_log.h"
#include "save/part_process.h"
#include "save/part_snapshot.h"
#include "save/part_thread.h"

/*
 * Moves what the thread has queued and counted apart into its profiles, which changes no sum.
 */
static void settle_async(struct thread *thread)
{
    iteration_flush_queue_async(thread);
    for (struct level *level = thread->levels; level <= thread->level; level++)
        level_flush_async(thread, level);
}

bool part_save_now_async(struct thread *thread)
{
    if (!part_process_is_own_async())
        return false;
    struct part_thread *part =
        thread->number < PART_THREADS ? part_thread_furnish_async(thread) : NULL;
    if (!part) {
        part_process_leave_out_async();
        return false;
    }
    if (!part_process_open_async(&part->sink, part->buffer))
        return false;
    settle_async(thread);
    if (!part_log_update_async(&part->log, thread, part_process_program_async(), &part->sink,
                               part->buffer))
        return false;
    part_thread_publish_async(thread);
    if (!part_thread_write_live_async(thread))
        return false;
    /* A thread that waits in MPI has nothing new to save. */
    if (part->saved && part->saved_ns == thread->last_ns && !thread->stopped)
        return true;
    part->saved = part_snapshot_save_async(thread);
    thread->cost.saves += part->saved;
    part->saved_ns = thread->last_ns;
    return part->saved;
}
