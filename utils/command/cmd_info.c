/* tsprof info: what a summary holds, how it was measured, and whether its numbers add up. */
#include "command/command.h"
#include "command/open_subject.h"

#include "info/info.h"
#include "parts/parts.h"
#include "print/print.h"
#include "query/query.h"

#include <string.h>

/* MOST: as info_quality.  Returns whether the numbers add up. */
static bool print_info(const struct summary *summary, const struct selection *selection,
                       size_t most)
{
    info_run(summary);
    info_trace(summary);
    info_hosts(summary);
    info_topologies(summary);
    info_setup(summary);
    info_tables(summary);
    info_selected(selection);
    if (!summary->derived) {
        info_cost(selection);
        info_stalls(selection);
    }
    info_counters(selection);
    info_phases(selection);
    info_loops(selection);
    info_quality(selection, most);
    if (summary->location_count > info_count_ranks(summary) ||
        selection_locations(selection) < summary->location_count)
        info_threads(selection);
    info_notes(summary);
    return info_checks(summary);
}

static int print_summary(const struct summary *summary, const struct selection *selection,
                         const struct options *options)
{
    struct output_file output;
    struct error error;
    output_open(&output, NULL, summary->path, &error);
    bool exact = options->format && strcmp(options->format, "json") == 0
                     ? info_json(selection, (size_t)options->top)
                     : print_info(summary, selection, (size_t)options->top);
    if (output_close(&output, &error))
        return exact ? EXIT_DONE : EXIT_DATA;
    complain("%s", error.text);
    return EXIT_DATA;
}

int cmd_info(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct selection selection;
    struct error error;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (options.format && strcmp(options.format, "text") != 0 &&
        strcmp(options.format, "json") != 0) {
        complain("info: --format takes text or json, not \"%s\"", options.format);
        return EXIT_USAGE;
    }
    struct subject subject;
    int status = EXIT_DATA;
    if (!open_subject(&subject, &options))
        return EXIT_DATA;
    struct summary *summary = subject.summary;
    if (!selection_make(&selection, summary, &options, &error)) {
        complain("%s", error.text);
        status = EXIT_USAGE;
    } else {
        status = print_summary(summary, &selection, &options);
        selection_free(&selection);
    }
    subject_close(&subject);
    return status;
}
