/* tsprof info: what a summary holds, how it was measured, and whether its numbers add up. */
#include "command/command.h"

#include "accuracy/accuracy.h"
#include "info/info.h"
#include "parts/parts.h"
#include "print/print.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NOTES 20

static void print_fact(const struct summary *summary, const char *label, const char *key)
{
    const char *value = summary_fact(summary, key);
    struct text text = {0};
    if (!value || !value[0])
        return;
    text_add(&text, value);
    info_line(label, &text);
}

static void print_file(const struct summary *summary)
{
    struct text text = {0};
    char size[QUANTITY_SIZE];
    text_addf(&text, "%s, %s, format version %u, %s", summary->path,
              format_quantity(size, (long double)summary->bytes, "bytes"), FORMAT_VERSION,
              summary->state == FORMAT_COMPLETE
                  ? "complete"
                  : "partial: not every process finished its measurement");
    info_line("file", &text);
}

/* What a summary was made from that was not measured itself. */
static void print_derivation(const struct summary *summary)
{
    static const char prefix[] = "operand.";
    const char *label = "of";
    if (!summary->derived)
        return;
    struct text text = {0};
    const char *ranks = summary_fact(summary, "derived.ranks");
    text_addf(&text, "%s%s", summary->derived,
              ranks && strcmp(ranks, "summed") == 0 ? ", summed over all ranks" : "");
    info_line("derived", &text);
    for (size_t i = 0; i < summary->fact_count; i++)
        if (strncmp(summary->facts[i].key, prefix, strlen(prefix)) == 0) {
            text_add(&text, summary->facts[i].value);
            info_line(label, &text);
            label = "";
        }
}

static int64_t longest_wall_ns(const struct summary *summary)
{
    int64_t longest = 0;
    for (size_t i = 0; i < summary->location_count; i++)
        if (summary->locations[i].wall_ns > longest)
            longest = summary->locations[i].wall_ns;
    return longest;
}

static void print_times(const struct summary *summary)
{
    struct text text = {0};
    char wall[QUANTITY_SIZE];
    const char *start = summary_fact(summary, "start"), *end = summary_fact(summary, "end");
    text_addf(&text, "%s measured",
              format_quantity(wall, (long double)longest_wall_ns(summary) / 1e9L, "s"));
    if (start)
        text_addf(&text, ", from %s", start);
    if (end)
        text_addf(&text, " to %s", end);
    info_line("time", &text);
}

/* Ranks in the file, selected or not. */
static size_t count_ranks(const struct summary *summary)
{
    size_t ranks = 0;
    for (size_t i = 0; i < summary->location_count; i++)
        ranks += i == 0 || summary->locations[i].rank != summary->locations[i - 1].rank;
    return ranks;
}

static void print_places(const struct summary *summary)
{
    struct text text = {0};
    size_t ranks = count_ranks(summary);
    text_addf(&text, "%zu", ranks);
    if (summary->location_count != ranks)
        text_addf(&text, " with %zu threads in all", summary->location_count);
    text_addf(&text, " on %zu host%s", summary->host_count,
              summary->host_count == 1 ? "" : "s");
    info_line("ranks", &text);
}

/* Facts "setting.NAME" with their sources. */
static void print_settings(const struct summary *summary)
{
    static const char prefix[] = "setting.", suffix[] = ".source";
    const char *label = "settings";
    for (size_t i = 0; i < summary->fact_count; i++) {
        const struct fact *fact = &summary->facts[i];
        struct text text = {0}, source_key = {0};
        size_t length = strlen(fact->key);
        bool is_source =
            length > strlen(suffix) && strcmp(fact->key + length - strlen(suffix), suffix) == 0;
        if (strncmp(fact->key, prefix, strlen(prefix)) != 0 || is_source)
            continue;
        text_addf(&source_key, "%s%s", fact->key, suffix);
        const char *source = summary_fact(summary, text_string(&source_key));
        text_addf(&text, "%s = %s (%s)", fact->key + strlen(prefix),
                  fact->value[0] ? fact->value : "nothing", source ? source : "unknown");
        info_line(label, &text);
        text_free(&source_key);
        label = "";
    }
}

static void print_clock(const struct summary *summary)
{
    struct text text = {0};
    const char *clock = summary_fact(summary, "clock"), *hz = summary_fact(summary, "clock_hz");
    char frequency[QUANTITY_SIZE];
    if (!clock)
        return;
    text_add(&text, clock);
    if (hz && strtoull(hz, NULL, 10) > 0)
        text_addf(&text, ", %sHz",
                  format_quantity(frequency, (long double)strtoull(hz, NULL, 10), "occ"));
    info_line("clock", &text);
}

static void print_tables(const struct summary *summary)
{
    struct text text = {0};
    bool *used = metrics_in_use(summary);
    size_t metrics = 0;
    for (size_t m = 0; m < summary->metric_count; m++)
        metrics += used[m];
    free(used);
    text_addf(&text, "%zu nodes in the call tree, %zu regions, %zu modules, %zu of %zu metrics",
              summary->node_count, summary->region_count, summary->module_count, metrics,
              summary->metric_count);
    info_line("holds", &text);
}

static void print_notes(const struct summary *summary)
{
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        size_t count = place_note_count(location);
        all += count;
        for (size_t n = 0; n < count && shown < MAX_NOTES; n++, shown++) {
            struct text text = {0};
            place_add_name(&text, location);
            text_addf(&text, ": %s", place_note(location, n));
            info_line("note", &text);
        }
    }
    if (shown < all) {
        struct text text = {0};
        text_addf(&text, "and %zu more", all - shown);
        info_line("note", &text);
    }
}

/* Prints a check that PROMISE describes and frees it; returns whether it holds. */
static bool print_check(const char *label, const char *promise, struct check check)
{
    struct text text = {0};
    bool holds = check_holds(&check);
    text_addf(&text, "%s: %s on %zu of %zu locations", holds ? "exact" : "NOT EXACT", promise,
              check.good_locations, check.locations);
    if (check.clusters)
        text_addf(&text, " and in %zu of %zu clusters", check.good_clusters, check.clusters);
    if (!holds)
        text_addf(&text, "; first: %s", text_string(&check.first));
    info_line(label, &text);
    text_free(&check.first);
    return holds;
}

/* Says what the lines that follow are about if that is not the whole run. */
static void print_selected(const struct selection *selection)
{
    struct text text = {0};
    size_t locations = selection_locations(selection);
    if (locations == selection->summary->location_count)
        return;
    text_addf(&text, "%zu of %zu threads, in the lines up to their table", locations,
              selection->summary->location_count);
    info_line("selected", &text);
}

static bool print_info(const struct summary *summary, const struct selection *selection,
                       size_t most)
{
    print_file(summary);
    print_derivation(summary);
    print_fact(summary, "program", "program");
    print_fact(summary, "command", "command");
    print_fact(summary, "job", "jobid");
    if (!summary->derived)
        print_times(summary);
    print_places(summary);
    print_fact(summary, "missing", "missing_ranks");
    info_hosts(summary);
    info_topologies(summary);
    print_fact(summary, "MPI", "mpi");
    print_fact(summary, "tsprof", "tsprof");
    print_settings(summary);
    print_clock(summary);
    print_fact(summary, "timer", "timer");
    print_fact(summary, "PAPI", "papi");
    print_tables(summary);
    print_selected(selection);
    if (!summary->derived)
        info_cost(selection);
    info_counters(selection);
    info_phases(selection);
    info_loops(selection);
    info_quality(selection, most);
    if (summary->location_count > count_ranks(summary) ||
        selection_locations(selection) < summary->location_count)
        info_threads(selection);
    print_notes(summary);
    bool good = print_check("accounting", "computation + MPI + overhead = wall time",
                            check_accounting(summary));
    struct check counting = check_counters(summary);
    if (counting.locations > 0)
        good &=
            print_check("counting", "counters of all call paths = what was counted", counting);
    return print_check("totals", "outside iterations + clusters = whole run, cell by cell,",
                       check_totals(summary)) &&
           good;
}

/* MOST: as info_quality. */
static int print_summary(const struct summary *summary, const struct selection *selection,
                         size_t most)
{
    struct output_file output;
    struct error error;
    output_open(&output, NULL, summary->path, &error);
    bool exact = print_info(summary, selection, most);
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
    struct subject subject;
    int status = EXIT_DATA;
    if (!subject_open(&subject, options.file, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    struct summary *summary = subject.summary;
    if (!selection_make(&selection, summary, &options, &error)) {
        complain("%s", error.text);
        status = EXIT_USAGE;
    } else {
        status = print_summary(summary, &selection, (size_t)options.top);
        selection_free(&selection);
    }
    subject_close(&subject);
    return status;
}
