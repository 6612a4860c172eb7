/* Waiting where all processes of a window meet. */
#include "replay/engine.h"
#include "replay/member_waits.h"

enum { AT_CREATE, AT_FREE, AT_FENCE };

static const struct tsprof_metric metrics[] = {
    [AT_CREATE] = {"mpi_rma_wait_at_create", "mpi_other", "s",
                   "Waiting for the last process where a window is created"},
    [AT_FREE] = {"mpi_rma_wait_at_free", "mpi_other", "s",
                 "Waiting for the last process where a window is freed"},
    [AT_FENCE] = {"mpi_rma_wait_at_fence", "mpi_sync_rma_active", "s",
                  "Waiting for the last process in fences"},
};

static void on_collective(void *publisher, const struct tsprof_collective *collective)
{
    const int metric = collective->operation == TSPROF_WIN_CREATE  ? AT_CREATE
                       : collective->operation == TSPROF_WIN_FREE  ? AT_FREE
                       : collective->operation == TSPROF_WIN_FENCE ? AT_FENCE
                                                                   : -1;
    if (publisher && metric >= 0)
        publish_waits_for_all(publisher, (unsigned)metric, collective);
}

const struct tsprof_pattern window_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "windows",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = publisher_begin,
    .on_collective = on_collective,
    .end = publisher_end,
};
