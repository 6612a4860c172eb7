/* Waiting in epochs between MPI_Win_post, start, complete and wait. */
#include "replay/engine.h"
#include "replay/member_waits.h"

#include <stdlib.h>

enum { SYNC_LATE_POST, COMM_LATE_POST, EARLY_WAIT, LATE_COMPLETE, PAIRS, UNNEEDED_PAIRS };

static const struct tsprof_metric metrics[] = {
    [SYNC_LATE_POST] = {"mpi_rma_sync_late_post", "mpi_sync_rma_active", "s",
                        "MPI_Win_start or MPI_Win_complete waiting for MPI_Win_post"},
    [COMM_LATE_POST] = {"mpi_rma_comm_late_post", "mpi_rma_communication", "s",
                        "One-sided transfers waiting for MPI_Win_post"},
    [EARLY_WAIT] = {"mpi_rma_early_wait", "mpi_sync_rma_active", "s",
                    "MPI_Win_wait waiting for the last MPI_Win_complete"},
    [LATE_COMPLETE] = {"mpi_rma_late_complete", "mpi_rma_early_wait", "s",
                       "The part of it after the last access, before MPI_Win_complete"},
    [PAIRS] = {"mpi_rma_pairsync_count", NULL, "occ",
               "Pairs of processes that epochs of windows and fences synchronized"},
    [UNNEEDED_PAIRS] = {"mpi_rma_pairsync_unneeded_count", "mpi_rma_pairsync_count", "occ",
                        "Pairs of those that exchanged nothing in the epoch"},
};

static void publish_until(const struct publisher *publisher, unsigned metric,
                          const struct tsprof_call *call, struct tsprof_point cause)
{
    publisher->functions->publish(
        publisher->analysis,
        &(struct tsprof_severity){.metric = metric,
                                  .call = call,
                                  .amount = cause.time_ns - call->enter.time_ns,
                                  .cause = cause});
}

/* The last of the partners of TARGET (TSPROF_NONE: of all) to be ready while CALL lasts. */
static const struct tsprof_partner *latest_partner(const struct tsprof_epoch *epoch,
                                                   const struct tsprof_call *call,
                                                   uint32_t target)
{
    const struct tsprof_partner *latest = NULL;
    for (size_t i = 0; i < epoch->partner_count; i++) {
        const struct tsprof_partner *partner = &epoch->partners[i];
        if ((target == TSPROF_NONE || partner->process == target) &&
            partner->ready.time_ns > call->enter.time_ns &&
            partner->ready.time_ns < call->leave_ns &&
            (!latest || partner->ready.time_ns > latest->ready.time_ns))
            latest = partner;
    }
    return latest;
}

static void count(const struct publisher *publisher, unsigned metric,
                  const struct tsprof_call *call, uint64_t amount)
{
    if (amount > 0)
        publisher->functions->publish(
            publisher->analysis, &(struct tsprof_severity){.metric = metric,
                                                           .call = call,
                                                           .amount = amount,
                                                           .cause = {.path = TSPROF_NONE}});
}

/* Both ends of an epoch count whom it joined. */
static void count_pairs(const struct publisher *publisher, const struct tsprof_epoch *epoch)
{
    const struct tsprof_call *call = epoch->calls[epoch->call_count - 1];
    uint64_t unneeded = 0;
    for (size_t i = 0; i < epoch->partner_count; i++)
        unneeded += !epoch->partners[i].is_used;
    count(publisher, PAIRS, call, epoch->partner_count - unneeded);
    count(publisher, UNNEEDED_PAIRS, call, unneeded);
}

static void on_access(const struct publisher *publisher, const struct tsprof_epoch *epoch)
{
    for (size_t i = 0; i < epoch->call_count; i++) {
        const struct tsprof_partner *partner =
            latest_partner(epoch, epoch->calls[i], epoch->targets[i]);
        if (partner)
            publish_until(publisher,
                          epoch->targets[i] == TSPROF_NONE ? SYNC_LATE_POST : COMM_LATE_POST,
                          epoch->calls[i], partner->ready);
    }
}

static void on_exposure(const struct publisher *publisher, const struct tsprof_epoch *epoch)
{
    const struct tsprof_call *call = epoch->calls[0];
    const struct tsprof_partner *last = latest_partner(epoch, call, TSPROF_NONE);
    if (!last || !call->blocks)
        return;
    publish_until(publisher, EARLY_WAIT, call, last->ready);
    const uint64_t since =
        last->last_ns > call->enter.time_ns ? last->last_ns : call->enter.time_ns;
    count(publisher, LATE_COMPLETE, call, last->ready.time_ns - since);
}

static void on_epoch(void *publisher, const struct tsprof_epoch *epoch)
{
    if (!publisher)
        return;
    count_pairs(publisher, epoch);
    if (epoch->is_exposure)
        on_exposure(publisher, epoch);
    else
        on_access(publisher, epoch);
}

static bool has_target(const struct tsprof_member *member, size_t target)
{
    for (size_t i = 0; i < member->transfer_count; i++)
        if (member->transfers[i].target == target)
            return true;
    return false;
}

/* With how many the members have exchanged something since the fence before, in PARTNERS. */
static void count_partners(const struct tsprof_collective *collective, size_t *partners)
{
    for (size_t i = 0; i < collective->member_count; i++)
        for (size_t j = 0; j < collective->members[i].transfer_count; j++) {
            const uint32_t target = collective->members[i].transfers[j].target;
            if (target >= collective->member_count)
                continue;
            partners[i]++;
            if (target != i && !has_target(&collective->members[target], i))
                partners[target]++;
        }
}

/* A fence joins each process with all of the window, itself as well. */
static void on_collective(void *publisher, const struct tsprof_collective *collective)
{
    const size_t count_of_all = collective->member_count;
    if (!publisher || collective->operation != TSPROF_WIN_FENCE)
        return;
    size_t *partners = calloc(count_of_all, sizeof *partners);
    if (partners)
        count_partners(collective, partners);
    else
        patterns_fail(((const struct publisher *)publisher)->analysis->replay);
    for (size_t i = 0; partners && i < count_of_all; i++) {
        count(publisher, PAIRS, collective->members[i].call, partners[i]);
        count(publisher, UNNEEDED_PAIRS, collective->members[i].call,
              count_of_all - partners[i]);
    }
    free(partners);
}

const struct tsprof_pattern epoch_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "epochs",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = publisher_begin,
    .on_collective = on_collective,
    .on_epoch = on_epoch,
    .end = publisher_end,
};
