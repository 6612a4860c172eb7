/* See part_events.h. */
#include "save/part_events.h"

#include "host/host.h"
#include "save/part_file.h"
#include "save/part_process.h"
#include "trace/trace.h"

#include <stdio.h>
#include <string.h>

/* The part's path with another ending; empty if it is too long. */
static char path[4400];

static void name_file(void)
{
    const char *part = part_file_path();
    const size_t stem = strlen(part) - strlen(PART_SUFFIX);
    const int length =
        snprintf(path, sizeof path, "%.*s%s", (int)stem, part, EVENT_FILE_SUFFIX);
    if (length < 0 || (size_t)length >= sizeof path)
        path[0] = '\0';
}

void part_events_start(void)
{
    /* Processes that each write a summary of their own write no trace. */
    if (!trace_is_on_async() || !config.number[SETTING_MERGE] || !part_file_exists_async())
        return;
    const struct chunk_file_owner owner = {part_process_number(), part_process_started()};
    name_file();
    if (*path)
        chunk_file_start(path, &owner, part_file_is_mapped_async());
}

void part_events_keep(void)
{
    if (!chunk_file_keep())
        message(1, "%s: not all events of this process could be written", path);
}

void part_events_remove(void)
{
    chunk_file_remove();
}

void part_events_forget_async(void)
{
    chunk_file_forget_async();
}
