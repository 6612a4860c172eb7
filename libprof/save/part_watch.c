/*
 * What other processes see of a thread between its saves: where its last sample was taken, and
 * the MPI call that it has been in for long.  See part.h.
 */
#include "save/part.h"

#include "calls/calls.h"
#include "host/host.h"
#include "measure/measure.h"
#include "save/part_file.h"
#include "save/part_log.h"
#include "save/part_process.h"
#include "save/part_save.h"
#include "save/part_thread.h"

#include <errno.h>

#define LONG_CALL_NS INT64_C(10000000)

/*
 * Whether NODE of THREAD is in the log, or will be before anybody sees it.  Writes it there if
 * the log was not written within the last LONG_CALL_NS; NS is the time now.
 */
static bool is_known_async(struct thread *thread, uint32_t node, int64_t ns)
{
    struct part_thread *part = thread->part;
    if (thread->live == &thread->unpublished || node < part->log.nodes)
        return true;
    /* A save that is under way is writing to the log. */
    if (part_save_is_under_way_async(thread))
        return false;
    if (ns < part->log_due_ns || !thread_has_stack_async(thread) || !part_file_check_async())
        return false;
    part->log_due_ns = ns + LONG_CALL_NS;
    return part_log_update_async(&part->log, thread, part_process_program_async(), &part->sink,
                                 part->buffer);
}

void part_note_sample_async(struct thread *thread, uint32_t node, int64_t ns)
{
    if (is_known_async(thread, node, ns) && part_thread_may_touch_live_async(thread))
        live_seen_async(thread->live, PART_SEEN_IN_PROGRAM, node, ns);
}

/*
 * Finds the call path of the MPI call under way, once, when the call has been running for
 * LONG_CALL_NS.
 */
static void find_call_async(struct thread *thread, int64_t ns)
{
    const struct live *live = thread->live;
    int64_t since_ns = clock_to_ns_async(live->since_ticks);
    if (live->call == 0 || ns - since_ns < LONG_CALL_NS || (int64_t)live->seen_ns >= since_ns ||
        borders_due_async(thread->next_border))
        return;
    uint32_t node = measure_find_async(thread, (enum mpi_call)(live->call - 1));
    if (is_known_async(thread, node, ns))
        live_seen_async(thread->live, PART_SEEN_IN_MPI, node, ns);
}

void part_look_in_mpi_async(struct thread *thread, int64_t ns)
{
    int error = errno;
    if (part_thread_may_touch_live_async(thread))
        find_call_async(thread, ns);
    if (ns >= thread->save_due_ns)
        part_save_sampled_async(thread, ns);
    errno = error;
}
