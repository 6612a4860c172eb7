/* How saving ends: with the part left behind, or removed.  See part.h. */
#include "save/part.h"

#include "host/host.h"
#include "save/part_events.h"
#include "save/part_file.h"
#include "save/part_process.h"
#include "save/part_save.h"
#include "save/part_topologies.h"

static const char readme[] =
    "What tsprof had measured of a job that ended before it could write its summary.\n"
    "To recover it: tsprof merge DIRECTORY\n"
    "Where the hosts of the job have a directory each: tsprof merge DIRECTORY DIRECTORY...\n";

static void complain(enum part_ending ending)
{
    static const char *const texts[] = {
        [PART_NOT_WRITTEN] = "the summary is incomplete",
        [PART_UNFINISHED] = "a process ended without MPI_Finalize",
        [PART_ABORTED] = "MPI_Abort was called",
        [PART_NO_TRACE] = "the events are in no trace yet",
    };
    const char *directory = part_file_directory();
    /* The first process to write the README reports it for all. */
    int level = part_file_write_beside("README", readme) ? 1 : 2;
    if (part_process_is_spread())
        message(level,
                "%s: what was measured on %s is in %s; recover with: tsprof merge %s, and the "
                "directories of the other hosts if they have their own",
                texts[ending], part_process_host(), directory, directory);
    else
        message(level, "%s: what was measured is in %s; recover with: tsprof merge %s",
                texts[ending], directory, directory);
}

static bool save_last(struct thread *thread)
{
    /* What a save under way writes is older than what there is to write now. */
    part_save_drop_async(thread);
    bool saved = part_save_at_once_async(thread) == SAVE_DONE;
    if (saved && thread->number == 0)
        part_topologies_save(thread, true);
    return saved;
}

static bool save_each_last(void)
{
    bool whole = true;
    for (struct thread *each = thread_newest; each; each = each->next)
        if (!each->stuck && each->number < PART_THREADS)
            whole = save_last(each) && whole;
    return whole;
}

void part_save_all(void)
{
    if (part_process_prepared_async())
        save_each_last();
}

bool part_finish(enum part_ending ending)
{
    unsigned char bytes[16];
    struct encoder out = {.bytes = bytes, .capacity = sizeof bytes};
    if (!part_process_prepared_async())
        return false;
    bool whole = save_each_last();
    encode_u32(&out, ending);
    encode_u32(&out, part_process_left_out());
    whole = whole && part_file_check_async() &&
            part_file_write_async(PART_ENDING_AT, bytes, out.size);
    if (whole)
        part_events_keep();
    bus_guard_end_async();
    part_process_complain();
    if (whole)
        complain(ending);
    return whole;
}

void part_remove(void)
{
    if (part_process_has_opened()) {
        part_process_complain();
        part_events_remove();
        part_file_remove();
    }
    part_process_end_async();
}

void part_forget_async(void)
{
    part_process_end_async();
    part_events_forget_async();
    part_file_forget_async();
}
