/* Waiting where MPI is started and ended. */
#include "replay/engine.h"
#include "replay/member_waits.h"

enum { INIT_COMPLETION, FINALIZE_WAIT };

static const struct tsprof_metric metrics[] = {
    [INIT_COMPLETION] = {"mpi_init_completion", "mpi_setup", "s",
                         "Time in MPI_Init after the first process has left it"},
    [FINALIZE_WAIT] = {"mpi_finalize_wait", "mpi_setup", "s",
                       "Waiting in MPI_Finalize for the last process to come"},
};

static void on_collective(void *publisher, const struct tsprof_collective *collective)
{
    if (publisher && collective->operation == TSPROF_INIT)
        publish_completions(publisher, INIT_COMPLETION, collective);
    if (publisher && collective->operation == TSPROF_FINALIZE)
        publish_waits_for_all(publisher, FINALIZE_WAIT, collective);
}

const struct tsprof_pattern setup_pattern = {
    .version = TSPROF_PATTERN_VERSION,
    .name = "setup",
    .metrics = metrics,
    .metric_count = sizeof metrics / sizeof *metrics,
    .begin = publisher_begin,
    .on_collective = on_collective,
    .end = publisher_end,
};
