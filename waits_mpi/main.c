/*
 * tsprof-waits: `tsprof waits` as an MPI program, for traces that are too large for one
 * process.
 *
 *     mpirun -n 64 tsprof-waits TRACE -o OUT.tsprof
 *
 * Each process reads the events of some processes of the trace; the first one writes what all
 * have found, which is what the command would have written.
 */
#include "waits_mpi/mpi_team.h"

#include "utils/command/write_waits.h"
#include "utils/predict/predict.h"
#include "utils/print/print.h"
#include "utils/waits/waits.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const enum option_id taken[] = {OPTION_OUTPUT, OPTION_FORCE,   OPTION_WITH,
                                       OPTION_MASTER, OPTION_PATTERN, OPTION_HELP};

/* Its messages and its help are those of `tsprof waits`, which takes more. */
static const struct command command = {
    .name = "waits",
    .synopsis = "TRACE -o OUT [--with RUN] [OPTION...]",
    .text = "Find out from a trace why ranks wait",
    .details = "As an MPI program: mpirun -n N tsprof-waits TRACE -o OUT. Its processes share\n"
               "the search, and the first one writes OUT, which is what the command writes.\n"
               "All must see TRACE. --pattern is for the command only. doc/waits.md says what\n"
               "is divided, and what is not.\n",
    .options = taken,
    .operands = OPERANDS_FILES};

static struct team team;
static bool has_ended;

/* Whoever ends without the others, as for want of memory, ends them; but if they know of it
 * they end by themselves, and what this one has said is not followed by what launchers say. */
static void end_all(void)
{
    if (has_ended)
        return;
    if (team.has_failed)
        MPI_Finalize();
    else
        MPI_Abort(MPI_COMM_WORLD, EXIT_DATA);
}

static bool is_first(void)
{
    return team.self == 0;
}

/* Whether there is anything to do, and if not, the exit status, with a message. */
static bool read_options(int argc, char **argv, struct options *options, int *status)
{
    const enum options_result result = options_parse(&command, argc, argv, options);
    *status = result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (result != OPTIONS_RUN)
        return false;
    if (!options->output)
        complain("waits: -o OUT is missing; see tsprof waits --help");
    else if (options->pattern_count > 0)
        complain("waits: patterns of yours are looked for by the command, tsprof waits, only");
    else
        return true;
    return false;
}

/* Where STREAM goes is where nothing is seen; returns where it went. */
static int silence(FILE *stream)
{
    const int before = dup(fileno(stream)), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, fileno(stream));
        close(nowhere);
    }
    return before;
}

static void restore(FILE *stream, int before)
{
    fflush(stream);
    if (before >= 0) {
        dup2(before, fileno(stream));
        close(before);
    }
}

/* What is wrong with the command line, or its help, is said once. */
static bool read_options_of(int argc, char **argv, struct options *options, int *status)
{
    if (is_first())
        return read_options(argc, argv, options, status);
    const int out = silence(stdout), err = silence(stderr);
    const bool runs = read_options(argc, argv, options, status);
    restore(stdout, out);
    restore(stderr, err);
    return runs;
}

static int search(const struct options *options)
{
    struct waits_search wanted = {.master = options->master,
                                  .master_given = options->master_given};
    struct error error;
    struct summary *summary =
        waits_find_shared(options->file, &wanted, &gains_listener, &team, &error);
    uint64_t good = error.text[0] == '\0';
    if (!good && is_first())
        complain("%s", error.text);
    if (good && is_first())
        good = write_waits(options, summary);
    summary_free(summary);
    /* All have the same exit status. */
    uint64_t bad = !good;
    return team_sum(&team, &bad, 1) && bad == 0 ? EXIT_DONE : EXIT_DATA;
}

int main(int argc, char **argv)
{
    struct options options;
    int status;
    MPI_Init(&argc, &argv);
    atexit(end_all);
    team = mpi_team();
    if (read_options_of(argc, argv, &options, &status))
        status = search(&options);
    has_ended = true;
    MPI_Finalize();
    return status;
}
