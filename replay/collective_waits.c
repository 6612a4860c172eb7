/* Waiting in barriers and collective communication. */
#include "replay/engine.h"
#include "replay/member_waits.h"

enum {
    BARRIER_WAIT,
    BARRIER_COMPLETION,
    NXN_WAIT,
    NXN_COMPLETION,
    LATE_BROADCAST,
    EARLY_REDUCE,
    EARLY_SCAN,
    NEIGHBORS_WAIT,
    FILE_WAIT
};

static const struct tsprof_metric metrics[] = {
    [BARRIER_WAIT] = {"mpi_barrier_wait", "mpi_sync_collective", "s",
                      "Waiting in barriers for the last process to come"},
    [BARRIER_COMPLETION] = {"mpi_barrier_completion", "mpi_sync_collective", "s",
                            "Time in barriers after the first process has left"},
    [NXN_WAIT] = {"mpi_wait_nxn", "mpi_collective", "s",
                  "Waiting for the last process in operations in which all wait for all"},
    [NXN_COMPLETION] = {"mpi_nxn_completion", "mpi_collective", "s",
                        "Time in such operations after the first process has left"},
    [LATE_BROADCAST] = {"mpi_latebroadcast", "mpi_collective", "s",
                        "Waiting for the root in operations from one to all"},
    [EARLY_REDUCE] = {"mpi_earlyreduce", "mpi_collective", "s",
                      "Roots that wait for the first process in operations from all to one"},
    [EARLY_SCAN] = {"mpi_earlyscan", "mpi_collective", "s",
                    "Waiting for processes of lower ranks in scans"},
    [NEIGHBORS_WAIT] = {"mpi_wait_neighbors", "mpi_collective", "s",
                        "Waiting for neighbours in operations among them"},
    [FILE_WAIT] = {"mpi_io_wait", "mpi_io_collective", "s",
                   "Waiting for the last process in collective operations on files"},
};

static void on_barrier(const struct publisher *publisher,
                       const struct tsprof_collective *collective)
{
    publish_waits_for_all(publisher, BARRIER_WAIT, collective);
    publish_completions(publisher, BARRIER_COMPLETION, collective);
}

static void on_n_to_n(const struct publisher *publisher,
                      const struct tsprof_collective *collective)
{
    publish_waits_for_all(publisher, NXN_WAIT, collective);
    publish_completions(publisher, NXN_COMPLETION, collective);
}

static void on_one_to_n(const struct publisher *publisher,
                        const struct tsprof_collective *collective)
{
    if (collective->root == TSPROF_NONE)
        return;
    const struct tsprof_member *root = &collective->members[collective->root];
    for (size_t i = 0; i < collective->member_count; i++)
        if (waits_for(collective, &collective->members[i], root))
            publish_member_wait(publisher, LATE_BROADCAST, &collective->members[i], root);
}

/* It has begun its work when the first has come. */
static void on_n_to_one(const struct publisher *publisher,
                        const struct tsprof_collective *collective)
{
    const struct tsprof_member *first = NULL;
    if (collective->root == TSPROF_NONE)
        return;
    const struct tsprof_member *root = &collective->members[collective->root];
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        if (waits_for(collective, root, member) &&
            (!first || member->start.time_ns < first->start.time_ns))
            first = member;
    }
    if (first)
        publish_member_wait(publisher, EARLY_REDUCE, root, first);
}

static void on_scan(const struct publisher *publisher,
                    const struct tsprof_collective *collective)
{
    const struct tsprof_member *latest = NULL;
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i];
        if (latest)
            publish_member_wait(publisher, EARLY_SCAN, member, latest);
        if (!latest || member->start.time_ns > latest->start.time_ns)
            latest = member;
    }
}

static void on_neighbors(const struct publisher *publisher,
                         const struct tsprof_collective *collective)
{
    for (size_t i = 0; i < collective->member_count; i++) {
        const struct tsprof_member *member = &collective->members[i], *latest = NULL;
        for (size_t k = 0; k < member->source_count; k++) {
            const struct tsprof_member *source = &collective->members[member->sources[k]];
            if (source != member && (!latest || source->start.time_ns > latest->start.time_ns))
                latest = source;
        }
        if (latest)
            publish_member_wait(publisher, NEIGHBORS_WAIT, member, latest);
    }
}

static void on_file_operation(const struct publisher *publisher,
                              const struct tsprof_collective *collective)
{
    publish_waits_for_all(publisher, FILE_WAIT, collective);
}

static void on_collective(void *publisher, const struct tsprof_collective *collective)
{
    static void (*const handlers[TSPROF_OPERATIONS])(const struct publisher *,
                                                     const struct tsprof_collective *) = {
        [TSPROF_BARRIER] = on_barrier,
        [TSPROF_N_TO_N] = on_n_to_n,
        [TSPROF_ONE_TO_N] = on_one_to_n,
        [TSPROF_N_TO_ONE] = on_n_to_one,
        [TSPROF_SCAN] = on_scan,
        [TSPROF_NEIGHBORS] = on_neighbors,
        [TSPROF_FILE_OPERATION] = on_file_operation,
    };
    if (publisher && handlers[collective->operation])
        handlers[collective->operation](publisher, collective);
}

const struct tsprof_pattern collective_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "collective",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = publisher_begin,
    .on_collective = on_collective,
    .end = publisher_end,
};
