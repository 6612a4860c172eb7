/* Waiting where all processes of a window meet. */
#include "replay/engine.h"
#include "replay/member_waits.h"

#include <stdlib.h>

enum { AT_CREATE, AT_FREE, AT_FENCE, EARLY_FENCE };

static const struct tsprof_metric metrics[] = {
    [AT_CREATE] = {"mpi_rma_wait_at_create", "mpi_other", "s",
                   "Waiting for the last process where a window is created"},
    [AT_FREE] = {"mpi_rma_wait_at_free", "mpi_other", "s",
                 "Waiting for the last process where a window is freed"},
    [AT_FENCE] = {"mpi_rma_wait_at_fence", "mpi_sync_rma_active", "s",
                  "Waiting for the last process in fences"},
    [EARLY_FENCE] = {"mpi_rma_early_fence", "mpi_rma_wait_at_fence", "s",
                     "The part of it until the last transfer to the process has ended"},
};

static void publish_early_fence(const struct publisher *publisher,
                                const struct tsprof_call *fence,
                                const struct tsprof_call *transfer)
{
    const uint64_t until =
        transfer->leave_ns < fence->leave_ns ? transfer->leave_ns : fence->leave_ns;
    if (until > fence->enter.time_ns)
        publisher->functions->publish(
            publisher->analysis,
            &(struct tsprof_severity){.metric = EARLY_FENCE,
                                      .call = fence,
                                      .amount = until - fence->enter.time_ns,
                                      .cause = transfer->enter});
}

/* Transfers to the other processes, each of which waits for the last to itself. */
static void publish_early_fences(const struct publisher *publisher,
                                 const struct tsprof_collective *collective)
{
    const size_t count = collective->member_count;
    const struct tsprof_call **last = calloc(count, sizeof(struct tsprof_call *));
    if (!last)
        patterns_fail(publisher->analysis->replay);
    for (size_t i = 0; last && i < count; i++)
        for (size_t j = 0; j < collective->members[i].transfer_count; j++) {
            const struct tsprof_transfer *transfer = &collective->members[i].transfers[j];
            const uint32_t target = transfer->target;
            if (target < count && target != i &&
                (!last[target] || transfer->call->leave_ns > last[target]->leave_ns))
                last[target] = transfer->call;
        }
    for (size_t i = 0; last && i < count; i++)
        if (last[i])
            publish_early_fence(publisher, collective->members[i].call, last[i]);
    free(last);
}

static void on_collective(void *publisher, const struct tsprof_collective *collective)
{
    const int metric = collective->operation == TSPROF_WIN_CREATE  ? AT_CREATE
                       : collective->operation == TSPROF_WIN_FREE  ? AT_FREE
                       : collective->operation == TSPROF_WIN_FENCE ? AT_FENCE
                                                                   : -1;
    if (!publisher || metric < 0 || !all_have_met(collective))
        return;
    publish_waits_for_all(publisher, (unsigned)metric, collective);
    if (metric == AT_FENCE)
        publish_early_fences(publisher, collective);
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
