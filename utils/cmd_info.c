/* tsprof info: what a summary holds, how it was measured, and whether its numbers add up. */
#include "checks.h"
#include "command.h"
#include "iterations.h"
#include "options.h"
#include "output.h"
#include "settings.h"
#include "sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 13
#define MAX_NOTES     20

/* Prints the line "LABEL   TEXT" with TEXT escaped, and frees it. */
static void print_line(const char *label, struct text *text)
{
    struct text line = {0};
    text_add_left(&line, label, LABEL_COLUMNS);
    text_add_escaped(&line, text_string(text));
    printf("%s\n", text_string(&line));
    text_free(&line);
    text_free(text);
}

static void print_fact(const struct summary *summary, const char *label, const char *key)
{
    const char *value = summary_fact(summary, key);
    struct text text = {0};
    if (!value || !value[0])
        return;
    text_add(&text, value);
    print_line(label, &text);
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
    print_line("file", &text);
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
    print_line("time", &text);
}

static void print_places(const struct summary *summary, const struct selection *all)
{
    struct text text = {0};
    text_addf(&text, "%zu", all->rank_count);
    if (summary->location_count != all->rank_count)
        text_addf(&text, " with %zu threads in all", summary->location_count);
    text_addf(&text, " on %zu host%s", summary->host_count,
              summary->host_count == 1 ? "" : "s");
    for (size_t i = 0; i < summary->host_count && i < 8; i++)
        text_addf(&text, "%s%s", i ? ", " : ": ", summary->hosts[i]);
    text_add(&text, summary->host_count > 8 ? ", ..." : "");
    print_line("ranks", &text);
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
        print_line(label, &text);
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
    print_line("clock", &text);
}

static uint64_t total_cost(const struct summary *summary, const char *key)
{
    uint64_t total = 0;
    for (size_t i = 0; i < summary->location_count; i++)
        total += location_cost(&summary->locations[i], key);
    return total;
}

static uint64_t most_cost(const struct summary *summary, const char *key)
{
    uint64_t most = 0;
    for (size_t i = 0; i < summary->location_count; i++)
        if (location_cost(&summary->locations[i], key) > most)
            most = location_cost(&summary->locations[i], key);
    return most;
}

static void print_calls(const struct summary *summary)
{
    struct text text = {0};
    uint64_t calls = total_cost(summary, "calls");
    uint32_t overhead = summary_metric(summary, "overhead");
    long double cost = 0, wall = 0;
    char percent[QUANTITY_SIZE], memory[QUANTITY_SIZE];
    for (size_t i = 0; i < summary->location_count && overhead != SUMMARY_NONE; i++) {
        int64_t *values = profile_inclusive(summary, &summary->locations[i].whole);
        cost += shown_value(summary, overhead, (long double)values[overhead], 1);
        wall += (long double)summary->locations[i].wall_ns / 1e9L;
        free(values);
    }
    text_addf(
        &text, "%" PRIu64 " calls measured; overhead %s %% of the run; memory %s per process",
        calls, format_percent(percent, cost, wall),
        format_quantity(memory, (long double)most_cost(summary, "memory_bytes"), "bytes"));
    print_line("cost", &text);
}

static void print_samples(const struct summary *summary)
{
    struct text text = {0};
    uint64_t samples = total_cost(summary, "samples");
    uint64_t unused = total_cost(summary, "samples_in_mpi");
    uint64_t period_ns = most_cost(summary, "sample_period_ns");
    long double spent_ns = (long double)total_cost(summary, "handler_ns");
    char each[QUANTITY_SIZE] = "0", period[QUANTITY_SIZE];
    if (samples + unused > 0)
        format_quantity(each, spent_ns / 1e9L / (long double)(samples + unused), "s");
    text_addf(&text, "%" PRIu64 " taken", samples);
    if (period_ns)
        text_addf(&text, " every %s",
                  format_quantity(period, (long double)period_ns / 1e9L, "s"));
    text_addf(&text,
              ", %" PRIu64 " not used (in MPI or tsprof), %s each in the handler, %" PRIu64
              " not walked to the root",
              unused, each, total_cost(summary, "unwind_failures"));
    print_line("samples", &text);
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
    print_line("holds", &text);
}

/* Smallest and largest of something over ranks. */
struct span {
    uint64_t low, high;
    bool any;
};

static void span_add(struct span *span, uint64_t value)
{
    span->low = !span->any || value < span->low ? value : span->low;
    span->high = !span->any || value > span->high ? value : span->high;
    span->any = true;
}

static void add_span(struct text *text, const struct span *span, const char *one,
                     const char *many)
{
    if (span->low == span->high)
        text_addf(text, "%" PRIu64 " %s", span->low, span->low == 1 ? one : many);
    else
        text_addf(text, "%" PRIu64 " to %" PRIu64 " %s", span->low, span->high, many);
}

/* "hybrid" or "hybrid, none": those that are in force on some rank. */
static void add_equivalences(struct text *text, const bool *seen, size_t count)
{
    const char *separator = "";
    for (size_t i = 0; i < count; i++)
        if (seen[i]) {
            text_addf(text, "%s%s", separator, setting_equivalence_name(i));
            separator = " and ";
        }
}

static void print_series(const struct summary *summary, const struct selection *all,
                         uint32_t phase)
{
    struct span iterations = {0}, clusters = {0}, classes = {0};
    bool equivalences[8] = {false};
    uint64_t lost = 0, ranks = 0;
    uint32_t nested_in = SUMMARY_NONE;
    for (size_t r = 0; r < all->rank_count; r++) {
        const struct series *series = rank_series(summary, &all->ranks[r], phase);
        if (!series)
            continue;
        ranks++;
        span_add(&iterations, series->iterations);
        span_add(&clusters, series->cluster_count);
        span_add(&classes, series->classes);
        equivalences[series->equivalence % 8] = true;
        lost += series->lost;
        if (series->parent_phase != SUMMARY_NONE)
            nested_in = series->parent_phase;
    }
    struct text text = {0};
    text_addf(&text, "%s: ", summary->phases[phase].name);
    add_span(&text, &iterations, "iteration", "iterations");
    text_addf(&text, " on %" PRIu64 " rank%s, ", ranks, ranks == 1 ? "" : "s");
    add_span(&text, &clusters, "cluster", "clusters");
    text_add(&text, ", ");
    add_span(&text, &classes, "class", "classes");
    text_add(&text, ", equivalence ");
    add_equivalences(&text, equivalences, 8);
    if (nested_in != SUMMARY_NONE)
        text_addf(&text, ", nested in %s", summary->phases[nested_in].name);
    if (lost)
        text_addf(&text, ", %" PRIu64 " lost", lost);
    print_line("phase", &text);
}

static void print_phases(const struct summary *summary, const struct selection *all)
{
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        if (all->phases[p]) {
            print_series(summary, all, p);
            continue;
        }
        struct text text = {0};
        text_addf(&text, "%s: instances summed", summary->phases[p].name);
        print_line("phase", &text);
    }
}

static void print_notes(const struct summary *summary)
{
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < summary->location_count; i++) {
        const struct location *location = &summary->locations[i];
        all += location->note_count;
        for (size_t n = 0; n < location->note_count && shown < MAX_NOTES; n++, shown++) {
            struct text text = {0};
            text_addf(&text, "rank %u", location->rank);
            if (location->thread)
                text_addf(&text, " thread %u", location->thread);
            text_addf(&text, ": %s", location->notes[n]);
            print_line("note", &text);
        }
    }
    if (shown < all) {
        struct text text = {0};
        text_addf(&text, "and %zu more", all - shown);
        print_line("note", &text);
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
    print_line(label, &text);
    text_free(&check.first);
    return holds;
}

static bool print_info(const struct summary *summary, const struct selection *all)
{
    print_file(summary);
    print_fact(summary, "program", "program");
    print_fact(summary, "command", "command");
    print_fact(summary, "job", "jobid");
    print_times(summary);
    print_places(summary, all);
    print_fact(summary, "MPI", "mpi");
    print_fact(summary, "tsprof", "tsprof");
    print_settings(summary);
    print_clock(summary);
    print_calls(summary);
    print_samples(summary);
    print_tables(summary);
    print_phases(summary, all);
    print_notes(summary);
    bool good = print_check("accounting", "computation + MPI + overhead = wall time",
                            check_accounting(summary));
    return print_check("totals", "outside iterations + clusters = whole run, cell by cell,",
                       check_totals(summary)) &&
           good;
}

int cmd_info(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct selection all;
    struct error error;
    struct output output;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    struct summary *summary = summary_read(options.file, &error);
    bool good = summary && selection_make(&all, summary, &options, &error) &&
                output_open(&output, NULL, summary->path, &error);
    if (good) {
        bool exact = print_info(summary, &all);
        selection_free(&all);
        summary_free(summary);
        if (output_close(&output, &error))
            return exact ? EXIT_DONE : EXIT_DATA;
    } else {
        summary_free(summary);
    }
    complain("%s", error.text);
    return EXIT_DATA;
}
