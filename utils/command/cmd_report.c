/* tsprof report: a summary described on a terminal. */
#include "command/command.h"
#include "command/open_subject.h"

#include "parts/parts.h"
#include "print/print.h"
#include "query/query.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NOTES 10

static int64_t longest_wall_ns(const struct report *report)
{
    int64_t longest = 0;
    for (size_t i = 0; i < report->summary->location_count; i++)
        if (report->summary->locations[i].wall_ns > longest)
            longest = report->summary->locations[i].wall_ns;
    return longest;
}

/* Adds "LABEL: VALUE" in one line, or nothing for an unknown value. */
static void add_fact(struct report *report, const char *label, const char *key)
{
    const char *value = summary_fact(report->summary, key);
    if (!value || !value[0])
        return;
    text_addf(&report->text, "%s: ", label);
    text_add_shortened(&report->text, value, report->columns - strlen(label) - 2);
    text_add(&report->text, "\n");
}

/* What a summary was made from that was not measured itself. */
static void add_operands(struct report *report)
{
    static const char prefix[] = "operand.";
    for (size_t i = 0; i < report->summary->fact_count; i++) {
        const struct fact *fact = &report->summary->facts[i];
        if (strncmp(fact->key, prefix, strlen(prefix)) != 0)
            continue;
        text_add(&report->text, "  ");
        text_add_wrapped(&report->text, fact->value, 2, 4, report->columns);
    }
}

/* Which part of the summary is shown, if not all of it. */
static void add_selection(struct report *report)
{
    const struct scope *scope = &report->scope;
    struct text line = {0};
    if (scope->phase != SUMMARY_NONE || !scope->all_ranks || !scope->all_threads) {
        text_add(&line, "selected: ");
        scope_add_text(scope, &line);
        text_add_wrapped(&report->text, text_string(&line), 0, 2, report->columns);
    }
    if (report->callpath) {
        text_clear(&line);
        text_addf(&line, "call paths: %s and what it calls", report->callpath);
        text_add_wrapped(&report->text, text_string(&line), 0, 2, report->columns);
    }
    text_free(&line);
}

static void add_title(struct report *report)
{
    const struct summary *summary = report->summary;
    const char *program = summary_fact(summary, "program"),
               *start = summary_fact(summary, "start");
    char wall[QUANTITY_SIZE];
    size_t ranks = report->selection->rank_count;
    text_add(&report->text, report->palette->begin[STYLE_TITLE]);
    text_add_shortened(&report->text, program ? program : "program", 32);
    text_add(&report->text, report->palette->end);
    text_addf(&report->text, "%s: %zu rank%s",
              summary_is_of_trace(summary) ? ", as traced" : "", ranks, ranks == 1 ? "" : "s");
    if (selection_has_threads(report->selection))
        text_addf(&report->text, " with %zu threads", selection_locations(report->selection));
    text_addf(&report->text, " on %zu host%s, ", summary->host_count,
              summary->host_count == 1 ? "" : "s");
    text_add_shortened(
        &report->text,
        summary->derived
            ? summary->derived
            : format_quantity(wall, (long double)longest_wall_ns(report) / 1e9L, "s"),
        16);
    if (start && !summary->derived) {
        text_add(&report->text, ", ");
        text_add_shortened(&report->text, start, 24);
    }
    text_add(&report->text, "\n");
    add_operands(report);
    add_fact(report, "command", "command");
    if (selection_has_threads(report->selection))
        text_add(&report->text, "Values of a rank are sums over its threads; "
                                "--thread 0 shows the first alone.\n");
    if (summary->state == FORMAT_PARTIAL)
        report_warn(report, "This summary is partial: not every process finished its "
                            "measurement.");
    add_selection(report);
    add_fact(report, "no data for ranks", "missing_ranks");
    if (report->live) {
        text_add(&report->text, "\n");
        live_add_text(report->live, summary, report->columns, &report->text);
    }
}

static void add_notes(struct report *report)
{
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < report->summary->location_count; i++) {
        const struct location *location = &report->summary->locations[i];
        size_t count = place_note_count(location);
        all += count;
        for (size_t n = 0; n < count && shown < MAX_NOTES; n++, shown++) {
            struct text note = {0};
            if (shown == 0) {
                report_title(report, "Notes");
                text_add(&report->text, "\n");
            }
            place_add_name(&note, location);
            text_addf(&note, ": %s", place_note(location, n));
            text_add(&report->text, "  ");
            text_add_wrapped(&report->text, text_string(&note), 2, 4, report->columns);
            text_free(&note);
        }
    }
    if (shown < all)
        text_addf(&report->text, "  and %zu more; tsprof info lists them\n", all - shown);
}

/* Who calls the function NAME; false if there is no such function. */
static bool fill_callers(struct report *report, const char *name, struct error *error)
{
    struct function_list *functions = functions_of(report->tree);
    bool *wanted = functions_find(functions, name, error);
    if (wanted) {
        add_title(report);
        report_callers(report, functions, wanted);
    }
    free(wanted);
    functions_free(functions);
    return wanted != NULL;
}

static void fill_flat(struct report *report)
{
    add_title(report);
    report_flat(report);
}

static void fill_report(struct report *report)
{
    add_title(report);
    report_efficiency(report);
    report_findings(report);
    report_iterations(report);
    report_more_findings(report);
    report_waits(report);
    report_metrics(report);
    report_paths(report);
    if (!report->summary->derived)
        report_samples(report);
    report_trace(report);
    report_trust(report);
    add_notes(report);
}

/* Says what the report is about; false if the summary has no such metric. */
static bool choose_metric(struct report *report, const struct options *options,
                          struct error *error)
{
    const char *name = options->metric_count ? options->metrics[0] : "time";
    report->metric = summary_metric(report->summary, name);
    report->is_time = strcmp(name, "time") == 0;
    return report->metric != SUMMARY_NONE ||
           error_set(error, "%s: has no metric \"%s\"; choose one with --metric",
                     report->summary->path, name);
}

/*
 * Removes everything but the call path that is asked for from SUMMARY, which is the report's.
 * Before that it computes what shares are of.
 */
static bool choose_callpath(struct report *report, struct summary *summary, struct error *error)
{
    size_t count;
    report_measure(report);
    if (!report->callpath)
        return true;
    bool *nodes = callpath_find(report->tree, report->callpath, &count, error);
    if (!nodes)
        return false;
    summary_restrict(summary, nodes);
    free(nodes);
    return true;
}

static bool choose_sort(struct report *report, const char *name, struct error *error)
{
    static const char *const names[REPORT_SORTS] = {[SORT_VALUE] = "value",
                                                    [SORT_IMBALANCE] = "imbalance",
                                                    [SORT_NAME] = "name",
                                                    [SORT_VISITS] = "visits"};
    while (name && report->sort < REPORT_SORTS && strcmp(name, names[report->sort]) != 0)
        report->sort++;
    return report->sort < REPORT_SORTS ||
           error_set(error,
                     "report: invalid value for --sort: %s; it takes value, imbalance, name or "
                     "visits",
                     name);
}

/* From where on communication stands out, and which rank is a master. */
static bool choose_thresholds(struct thresholds *thresholds, const struct report *report,
                              const struct options *options, struct error *error)
{
    const struct selection *selection = report->selection;
    size_t r = 0;
    *thresholds = thresholds_default();
    for (size_t i = 0; i < options->threshold_count; i++)
        if (!thresholds_read(thresholds, options->thresholds[i], error))
            return false;
    if (!options->master_given)
        return true;
    thresholds->master_given = true;
    thresholds->master = (uint32_t)options->master;
    while (r < selection->rank_count && selection->ranks[r].rank != thresholds->master)
        r++;
    return r < selection->rank_count ||
           error_set(error,
                     "report: invalid value for --master: %s: there is no rank %u among "
                     "those that are shown",
                     report->summary->path, thresholds->master);
}

/* For scripts: what stands out. */
static bool wants_json(const struct options *options)
{
    return options->format && strcmp(options->format, "json") == 0;
}

static bool choose_format(const struct options *options, struct error *error)
{
    return !options->format || wants_json(options) || strcmp(options->format, "text") == 0 ||
           error_set(error, "report: invalid value for --format: %s; it takes text or json",
                     options->format);
}

static bool choose_palette(struct report *report, const char *when, struct error *error)
{
    report->palette = palette_for(when);
    return report->palette ||
           error_set(error,
                     "report: invalid value for --color: %s; it takes auto, always or never",
                     when);
}

/*
 * Tables are of the whole run, or of the iterations of one phase.  Of several phases that were
 * chosen each has its iterations shown, and tables are of the whole run.
 */
static bool choose_scope(struct report *report, const struct options *options,
                         struct error *error)
{
    struct options wanted = *options;
    wanted.sum = true;
    if (options->phase_count > 1 && !options->iterations_given)
        wanted.phase_count = 0;
    return scope_make(&report->scope, report->selection, &wanted, error);
}

/* What OPTIONS ask for; false if it is about a function that is not there. */
static bool fill(struct report *report, const struct options *options, struct error *error)
{
    report->columns = terminal_columns();
    if (wants_json(options))
        return true;
    if (options->callers)
        return fill_callers(report, options->callers, error);
    if (options->flat)
        fill_flat(report);
    else
        fill_report(report);
    return true;
}

static int print_report(struct report *report, const struct options *options)
{
    struct output_file output;
    struct error error;
    if (!fill(report, options, &error)) {
        text_free(&report->text);
        complain("%s", error.text);
        return EXIT_USAGE;
    }
    output_open(&output, NULL, report->summary->path, &error);
    if (wants_json(options))
        report_write_findings(report, output.stream);
    else
        fputs(text_string(&report->text), output.stream);
    text_free(&report->text);
    if (output_close(&output, &error))
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

static int report_subject(struct subject *subject, const struct options *options)
{
    struct selection selection;
    struct error error;
    if (!selection_make(&selection, subject->summary, options, &error)) {
        complain("%s", error.text);
        return EXIT_USAGE;
    }
    struct path_tree *tree = path_tree_build(subject->summary);
    struct report report = {.summary = subject->summary,
                            .selection = &selection,
                            .tree = tree,
                            .live = subject->of_parts ? &subject->merged.live : NULL,
                            .callpath = options->callpath,
                            .names = options->full_names ? NAMES_FULL : NAMES_BRIEF,
                            .top = (size_t)options->top};
    struct thresholds thresholds;
    report.thresholds = &thresholds;
    int status = EXIT_DONE;
    if (!choose_metric(&report, options, &error))
        status = options->metric_count ? EXIT_USAGE : EXIT_DATA;
    else if (!choose_sort(&report, options->sort, &error) ||
             !choose_palette(&report, options->colors, &error) ||
             !choose_format(options, &error) ||
             !choose_thresholds(&thresholds, &report, options, &error) ||
             !choose_scope(&report, options, &error) ||
             !choose_callpath(&report, subject->summary, &error))
        status = EXIT_USAGE;
    if (status == EXIT_DONE)
        status = print_report(&report, options);
    else
        complain("%s", error.text);
    path_tree_free(tree);
    selection_free(&selection);
    return status;
}

int cmd_report(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct subject subject;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!open_subject(&subject, &options))
        return EXIT_DATA;
    int status = report_subject(&subject, &options);
    subject_close(&subject);
    return status;
}
