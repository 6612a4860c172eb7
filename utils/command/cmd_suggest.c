/* tsprof suggest: which iterations are worth a trace. */
#include "command/command.h"
#include "command/open_subject.h"

#include "parts/parts.h"
#include "print/print.h"
#include "query/query.h"
#include "suggest/suggest.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_COUNT 8

enum notation { NOTATION_TEXT, NOTATION_JSON, NOTATIONS };

static enum notation choose_notation(const char *name)
{
    static const char *const names[NOTATIONS] = {"text", "json"};
    enum notation notation = NOTATION_TEXT;
    while (name && notation < NOTATIONS && strcmp(name, names[notation]) != 0)
        notation++;
    if (notation == NOTATIONS)
        complain("suggest: there is no format \"%s\"; --format takes text or json", name);
    return notation;
}

/* The seconds that iterations of PHASE take, summed over the selected ranks. */
static double time_in(const struct selection *selection, uint32_t phase)
{
    double sum = 0;
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct series *series =
            rank_series(selection->summary, &selection->ranks[r], phase);
        for (size_t c = 0; series && c < series->cluster_count; c++)
            sum += (double)series->clusters[c].wall_ns * 1e-9;
    }
    return sum;
}

/* The selected phase whose iterations take most time; SUMMARY_NONE if there is none. */
static uint32_t longest_phase(const struct selection *selection)
{
    uint32_t best = SUMMARY_NONE;
    double most = -1;
    for (uint32_t p = 0; p < selection->summary->phase_count; p++) {
        if (!selection->phases[p] || selection_iterations(selection, p) == 0)
            continue;
        const double time = time_in(selection, p);
        if (time > most) {
            most = time;
            best = p;
        }
    }
    return best;
}

/* Whether SUMMARY can say something; the phase in *PHASE. */
static bool choose_phase(const struct selection *selection, const struct options *options,
                         uint32_t *phase, struct error *error)
{
    const struct summary *summary = selection->summary;
    if (summary->derived)
        return error_set(error,
                         "%s: was calculated from other summaries, so its iterations are "
                         "none of a run that could be traced",
                         summary->path);
    if (summary_metric(summary, "time") == SUMMARY_NONE)
        return error_set(error, "%s: has no metric \"time\"", summary->path);
    *phase =
        options->phase_count ? selection_phase(selection, error) : longest_phase(selection);
    if (options->phase_count && *phase == SUMMARY_NONE)
        return false;
    return *phase != SUMMARY_NONE ||
           error_set(error,
                     "%s: has no iterations to choose from; TSPROF_TRACE=all keeps the "
                     "events of the whole run",
                     summary->path);
}

static bool print_suggestions(const struct selection *selection, uint32_t phase,
                              const struct options *options, enum notation notation,
                              struct error *error)
{
    struct output_file output;
    struct path_tree *tree = path_tree_build(selection->summary);
    struct suggestions *suggestions = suggestions_make(
        selection, tree, phase, options->top ? (size_t)options->top : USUAL_COUNT);
    bool good = output_open(&output, NULL, selection->summary->path, error);
    if (good && suggestions->count == 0) {
        output_close(&output, error);
        good = error_set(error, "%s: no iteration of those chosen has a profile",
                         selection->summary->path);
    } else if (good) {
        if (notation == NOTATION_JSON)
            suggestions_write_json(suggestions, output.stream);
        else
            suggestions_write_text(suggestions, terminal_columns(), output.stream);
        good = output_close(&output, error);
    }
    suggestions_free(suggestions);
    path_tree_free(tree);
    return good;
}

static int suggest_for(const struct summary *summary, const struct options *options,
                       enum notation notation)
{
    struct selection selection;
    struct error error;
    uint32_t phase = SUMMARY_NONE;
    int status = EXIT_DONE;
    if (!selection_make(&selection, summary, options, &error)) {
        complain("%s", error.text);
        return EXIT_USAGE;
    }
    if (!choose_phase(&selection, options, &phase, &error) ||
        !print_suggestions(&selection, phase, options, notation, &error)) {
        complain("%s", error.text);
        status = EXIT_DATA;
    }
    selection_free(&selection);
    return status;
}

int cmd_suggest(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct subject subject;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    const enum notation notation = choose_notation(options.format);
    if (notation == NOTATIONS)
        return EXIT_USAGE;
    if (!open_subject(&subject, &options))
        return EXIT_DATA;
    int status = suggest_for(subject.summary, &options, notation);
    subject_close(&subject);
    return status;
}
