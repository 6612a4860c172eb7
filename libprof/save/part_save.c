/* See part_save.h. */
#include "save/part_save.h"

#include "iterations/iterations.h"
#include "save/part.h"
#include "save/part_file.h"
#include "save/part_image.h"
#include "save/part_log.h"
#include "save/part_process.h"
#include "save/part_snapshot.h"
#include "save/part_thread.h"

/* So many pieces should do, going by the save before. */
enum { SAVE_PIECES = 16 };

/*
 * Moves what the thread has queued and counted apart into its profiles, which changes no sum.
 */
static void settle_async(struct thread *thread)
{
    iteration_flush_queue_async(thread);
    for (struct level *level = thread->levels; level <= thread->level; level++)
        level_flush_async(thread, level);
}

/* Writes the image: the work that is done in pieces. */
static void write_image_async(void *argument)
{
    struct part_thread *part = argument;
    const struct thread *image = &part->image->thread;
    part->written = false;
    if (!part_log_update_async(&part->log, image, part_process_program_async(), &part->sink,
                               part->buffer))
        return;
    part_thread_publish_async(part->thread);
    part->written =
        part_thread_write_live_async(part->thread) && part_snapshot_save_async(part);
}

/* The part of THREAD, if the thread can be saved; NULL if not. */
static struct part_thread *open_async(struct thread *thread)
{
    if (!part_process_is_own_async())
        return NULL;
    struct part_thread *part =
        thread->number < PART_THREADS ? part_thread_furnish_async(thread) : NULL;
    if (!part) {
        part_process_leave_out_async();
        return NULL;
    }
    /* A save that was left by a jump of the program's is begun anew. */
    if (thread->frozen && (thread->pieces.runs || !part_file_check_async()))
        part_save_drop_async(thread);
    return thread->frozen || part_process_open_async(&part->sink, part->buffer) ? part : NULL;
}

/* A thread that waits in MPI, and has been saved since, has nothing new to save. */
static bool has_news(const struct thread *thread)
{
    const struct part_thread *part = thread->part;
    return !part->saved || part->saved_ns != thread->last_ns || thread->stopped;
}

/*
 * Begins a save.  Returns false if it is to be ended at once: there is too little memory for an
 * image that lasts.
 */
static bool begin_async(struct thread *thread)
{
    struct part_thread *part = thread->part;
    settle_async(thread);
    preemption_give_async(thread, thread->last_ns);
    const bool lasts = part_image_take_async(part->image, thread);
    part->written = false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->frozen = true;
    coroutine_start_async(&thread->pieces, write_image_async, part);
    part->piece_end_ns = clock_now_async();
    return lasts;
}

/* Goes on writing until UNTIL_NS. */
static enum save_state go_on_async(struct thread *thread, int64_t until_ns)
{
    struct part_thread *part = thread->part;
    if (!part_image_is_whole_async(part->image)) {
        part_save_drop_async(thread);
        begin_async(thread);
        until_ns = INT64_MAX;
    }
    const bool ended = coroutine_resume_async(&thread->pieces, until_ns);
    part->piece_end_ns = clock_now_async();
    if (!ended)
        return SAVE_GOING_ON;
    part_save_drop_async(thread);
    part->saved = part->written;
    part->saved_ns = part->image->thread.last_ns;
    thread->cost.saves += part->written;
    return part->written ? SAVE_DONE : SAVE_FAILED;
}

bool part_save_is_under_way_async(const struct thread *thread)
{
    return thread->frozen;
}

enum save_state part_save_at_once_async(struct thread *thread)
{
    if (!open_async(thread))
        return SAVE_FAILED;
    if (!part_save_is_under_way_async(thread)) {
        if (!has_news(thread))
            return part_thread_write_live_async(thread) ? SAVE_DONE : SAVE_FAILED;
        begin_async(thread);
    }
    return go_on_async(thread, INT64_MAX);
}

bool part_save_prepare(struct thread *thread)
{
    return open_async(thread);
}

bool part_save_waits_async(const struct thread *thread)
{
    return !thread->frozen && !iteration_is_idle_async(thread) &&
           thread->last_ns - thread->save_due_ns < PART_PATIENCE_NS;
}

enum save_state part_save_piece_async(struct thread *thread)
{
    if (part_save_waits_async(thread)) {
        iteration_cluster_async(thread);
        return SAVE_NOT_YET;
    }
    if (!open_async(thread))
        return SAVE_FAILED;
    const int64_t now = clock_now_async();
    /*
     * A long save has longer pieces, all ranks' at the same time: what changes meanwhile must
     * be kept apart, and where there is no room for that it ends at once.
     */
    const int64_t waited_ns = now - thread->part->piece_end_ns,
                  long_ns = thread->part->took_ns * STALL_PIECE_PART / SAVE_PIECES;
    if (part_save_is_under_way_async(thread))
        return go_on_async(thread, iteration_piece_end_async(
                                       thread, now, waited_ns > long_ns ? waited_ns : long_ns));
    if (!has_news(thread))
        return part_thread_write_live_async(thread) ? SAVE_DONE : SAVE_FAILED;
    return begin_async(thread) ? SAVE_GOING_ON : go_on_async(thread, INT64_MAX);
}

void part_save_drop_async(struct thread *thread)
{
    if (thread->frozen) {
        coroutine_drop_async(&thread->pieces);
        part_image_release_async(thread->part->image);
    }
    thread->frozen = false;
}
