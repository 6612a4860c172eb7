/* Waiting within locks of windows. */
#include "replay/engine.h"
#include "replay/member_waits.h"

enum { SYNC_COMPETITION, COMM_COMPETITION, SYNC_PROGRESS, COMM_PROGRESS };

static const struct tsprof_metric metrics[] = {
    [SYNC_COMPETITION] = {"mpi_rma_sync_lock_competition", "mpi_sync_rma_passive", "s",
                          "Synchronization waiting for a lock that another process holds"},
    [COMM_COMPETITION] = {"mpi_rma_comm_lock_competition", "mpi_rma_communication", "s",
                          "One-sided transfers waiting for a lock that another process holds"},
    [SYNC_PROGRESS] = {"mpi_rma_sync_wait_for_progress", "mpi_sync_rma_passive", "s",
                       "Synchronization waiting until the target calls MPI"},
    [COMM_PROGRESS] = {"mpi_rma_comm_wait_for_progress", "mpi_rma_communication", "s",
                       "One-sided transfers waiting until the target calls MPI"},
};

/* Whether it is the lock that was waited for, and not the target, which came before. */
static bool has_competed(const struct tsprof_locked *locked)
{
    return locked->holder.path != TSPROF_NONE &&
           (locked->progress.path == TSPROF_NONE ||
            locked->holder.time_ns >= locked->progress.time_ns);
}

static void on_locked(void *context, const struct tsprof_locked *locked)
{
    const struct publisher *publisher = context;
    const bool competes = has_competed(locked);
    const struct tsprof_point cause = competes ? locked->holder : locked->progress;
    if (!publisher || cause.path == TSPROF_NONE || !locked->call->blocks)
        return;
    const unsigned metric = competes
                                ? (locked->is_transfer ? COMM_COMPETITION : SYNC_COMPETITION)
                                : (locked->is_transfer ? COMM_PROGRESS : SYNC_PROGRESS);
    publisher->functions->publish(
        publisher->analysis,
        &(struct tsprof_severity){.metric = metric,
                                  .call = locked->call,
                                  .amount = cause.time_ns - locked->call->enter.time_ns,
                                  .cause = cause});
}

const struct tsprof_pattern lock_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "locks",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = publisher_begin,
    .on_locked = on_locked,
    .end = publisher_end,
};
