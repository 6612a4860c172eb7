/* The report's chapter about waiting: who waits for whom, why, and what all wait for in the
 * end. See report.h. */
#include "report/report.h"
#include "report/waiting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS        6
#define INSTANCES    3
#define PATHS        5
#define VALUE_COLUMN 10
#define SHARE_COLUMN 8

/* What is waited for in all, by metric. */
static void add_sums(struct waiting *waiting)
{
    struct report *report = waiting->report;
    const struct summary *summary = report->summary;
    uint64_t *sums = allocate(summary->metric_count, sizeof *sums);
    struct text line = {0};
    for (size_t i = 0; i < waiting->table->pair_count; i++)
        if (selection_has(report->selection, waiting->table->pairs[i].location))
            sums[waiting->table->pairs[i].metric] += waiting->table->pairs[i].ns;
    const bool is_joined = report_is_joined(report);
    const long double all = is_joined ? waiting_total(report, "performance_impact") / 1e9L
                            : report->is_time ? report->all
                                              : 0;
    if (is_joined)
        report_add_traced(report, &line);
    text_addf(&line, "%sanks wait for each other for ", is_joined ? "r" : "R");
    waiting_add_time(&line, (long double)waiting->all_ns);
    if (all > 0) {
        text_add(&line, ", ");
        waiting_add_share(&line, (long double)waiting->all_ns / 1e9L, all);
        text_addf(&line, " of the%s time", is_joined ? "ir" : "");
    }
    for (const char *before = ": ";; before = ", ") {
        uint32_t most = 0;
        for (uint32_t m = 0; m < summary->metric_count; m++)
            most = sums[m] > sums[most] ? m : most;
        if ((long double)sums[most] <= WAITING_LEAST * (long double)waiting->all_ns)
            break;
        text_add(&line, before);
        waiting_add_time(&line, (long double)sums[most]);
        text_addf(&line, " %s", summary->metrics[most].name);
        sums[most] = 0;
    }
    text_add(&line, ".");
    waiting_add_sentence(report, &line);
    text_free(&line);
    free(sums);
}

/* What it costs that wavefronts come from another corner of the grid. */
static void add_refills(const struct waiting *waiting)
{
    static const struct {
        const char *metric, *words;
    } corners[] = {
        {"wavefront_refill_nw", "the north-west"},
        {"wavefront_refill_ne", "the north-east"},
        {"wavefront_refill_sw", "the south-west"},
        {"wavefront_refill_se", "the south-east"},
        {"wavefront_refill_nwu", "the north-west above"},
        {"wavefront_refill_nwd", "the north-west below"},
        {"wavefront_refill_neu", "the north-east above"},
        {"wavefront_refill_ned", "the north-east below"},
        {"wavefront_refill_swu", "the south-west above"},
        {"wavefront_refill_swd", "the south-west below"},
        {"wavefront_refill_seu", "the south-east above"},
        {"wavefront_refill_sed", "the south-east below"},
    };
    const long double all = waiting_total(waiting->report, "wavefront_refill");
    const char *before = ": ";
    struct text line = {0};
    if (all < WAITING_LEAST * (long double)waiting->all_ns || all == 0)
        return;
    waiting_add_time(&line, all);
    text_add(&line, " of it fill pipelines again, since wavefronts come from another corner of "
                    "the grid of processes");
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        const long double ns = waiting_total(waiting->report, corners[i].metric);
        if (ns < WAITING_LEAST * all)
            continue;
        text_add(&line, before);
        waiting_add_time(&line, ns);
        text_addf(&line, " from %s", corners[i].words);
        before = ", ";
    }
    text_add(&line, ".");
    waiting_add_sentence(waiting->report, &line);
    text_free(&line);
}

/* All waiting of one location for another one. */
struct couple {
    uint32_t waiter, cause;
    uint64_t count, ns, longest_ns;
};

static int compare_couples(const void *a, const void *b)
{
    const struct couple *one = a, *other = b;
    if (one->waiter != other->waiter)
        return one->waiter < other->waiter ? -1 : 1;
    return one->cause < other->cause ? -1 : one->cause > other->cause;
}

static int compare_lengths(const void *a, const void *b)
{
    const struct couple *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return compare_couples(a, b);
}

/* Adds up the pairs of call paths by who waits for whom; *COUNT of them, the longest first. */
static struct couple *find_couples(const struct waiting *waiting, size_t *count)
{
    const struct wait_table *table = waiting->table;
    struct couple *list = allocate(table->pair_count + 1, sizeof *list);
    size_t all = 0;
    *count = 0;
    for (size_t i = 0; i < table->pair_count; i++)
        if (selection_has(waiting->report->selection, table->pairs[i].location))
            list[all++] = (struct couple){table->pairs[i].location, table->pairs[i].cause,
                                          table->pairs[i].count, table->pairs[i].ns,
                                          table->pairs[i].longest_ns};
    if (all > 1)
        qsort(list, all, sizeof *list, compare_couples);
    for (size_t i = 0; i < all; i++) {
        struct couple *last = &list[*count];
        if (*count == 0 || compare_couples(last - 1, &list[i]) != 0) {
            *last = list[i];
            ++*count;
            continue;
        }
        last[-1].count += list[i].count;
        last[-1].ns += list[i].ns;
        last[-1].longest_ns =
            list[i].longest_ns > last[-1].longest_ns ? list[i].longest_ns : last[-1].longest_ns;
    }
    if (*count > 1)
        qsort(list, *count, sizeof *list, compare_lengths);
    return list;
}

static void add_subtitle(struct report *report, const char *title)
{
    text_addf(&report->text, "\n  %s\n", title);
}

static void add_couples(struct waiting *waiting)
{
    struct report *report = waiting->report;
    size_t count, shown = waiting_rows(report, PAIRS);
    struct couple *list = find_couples(waiting, &count);
    add_subtitle(report, "Who waits for whom");
    for (size_t i = 0; i < count && i < shown; i++) {
        struct text line = {0}, time = {0}, share = {0};
        waiting_add_time(&time, (long double)list[i].ns);
        waiting_add_share(&share, (long double)list[i].ns, (long double)waiting->all_ns);
        text_add_right(&line, text_string(&time), VALUE_COLUMN);
        text_add_right(&line, text_string(&share), SHARE_COLUMN);
        text_add(&line, "  ");
        waiting_add_place(&line, waiting, list[i].waiter);
        text_add(&line, " for ");
        waiting_add_place(&line, waiting, list[i].cause);
        text_addf(&line, ", %" PRIu64 " time%s, ", list[i].count,
                  list[i].count == 1 ? "" : "s");
        waiting_add_time(&line, (long double)list[i].longest_ns);
        text_add(&line, " at most\n");
        text_add(&report->text, text_string(&line));
        text_free(&line);
        text_free(&time);
        text_free(&share);
    }
    if (count > shown)
        text_addf(&report->text,
                  "  and %zu more; tsprof export --what waits lists them by call path\n",
                  count - shown);
    free(list);
}

static void add_instance(struct waiting *waiting, const struct long_wait *wait)
{
    struct report *report = waiting->report;
    struct text line = {0};
    waiting_add_time(&line, (long double)wait->ns);
    text_add(&line, ": ");
    waiting_add_place(&line, waiting, wait->location);
    text_add(&line, " ");
    waiting_add_node(&line, waiting, wait->node);
    if (wait->phase != SUMMARY_NONE)
        text_addf(&line, ", iteration %" PRIu64 " of %s", wait->iteration,
                  report->summary->phases[wait->phase].name);
    text_add(&line, ", for ");
    waiting_add_place(&line, waiting, wait->cause);
    text_add(&line, " ");
    waiting_add_node(&line, waiting, wait->cause_node);
    text_addf(&line, " (%s)", report->summary->metrics[wait->metric].name);
    waiting_add_sentence(report, &line);
    text_free(&line);
}

static int compare_instances(const void *a, const void *b)
{
    const struct long_wait *one = *(const struct long_wait *const *)a;
    const struct long_wait *other = *(const struct long_wait *const *)b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->begin_ns < other->begin_ns ? -1 : one->begin_ns > other->begin_ns;
}

static void add_instances(struct waiting *waiting)
{
    const struct wait_table *table = waiting->table;
    const struct long_wait **list = allocate(table->longest_count + 1, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < table->longest_count; i++)
        if (selection_has(waiting->report->selection, table->longest[i].location))
            list[count++] = &table->longest[i];
    if (count > 1)
        qsort(list, count, sizeof *list, compare_instances);
    if (count > 0)
        add_subtitle(waiting->report, "The longest waits");
    for (size_t i = 0; i < count && i < waiting_rows(waiting->report, INSTANCES); i++)
        add_instance(waiting, list[i]);
    free(list);
}

/* What a prediction says would gain most: facts, each seconds, a blank and a question. */
static void add_gains(struct report *report)
{
    char key[16], shown[QUANTITY_SIZE];
    const char *fact;
    for (unsigned i = 1; snprintf(key, sizeof key, "gain.%u", i) > 0 &&
                         (fact = summary_fact(report->summary, key)) != NULL;
         i++) {
        char *question;
        const double gain = strtod(fact, &question);
        struct text line = {0};
        if (i == 1)
            add_subtitle(report, "What would gain most, as predicted (tsprof whatif)");
        text_add_right(&line, format_quantity(shown, gain, "s"), VALUE_COLUMN);
        text_add(&line, "  ");
        text_add_shortened(&line, question + (*question == ' '),
                           report->columns > 32 ? report->columns - 16 : 16);
        text_addf(&report->text, "%s\n", text_string(&line));
        text_free(&line);
    }
}

/* A call path on the critical path. */
struct critical {
    uint32_t path;
    long double value, imbalance;
};

static int compare_critical(const void *a, const void *b)
{
    const struct critical *one = a, *other = b;
    if (one->value != other->value)
        return one->value > other->value ? -1 : 1;
    return one->path < other->path ? -1 : one->path > other->path;
}

static void add_critical(struct report *report, const struct critical *critical,
                         long double all)
{
    struct text line = {0}, share = {0};
    char shown[QUANTITY_SIZE];
    text_add_right(&report->text, format_quantity(shown, critical->value, "s"), VALUE_COLUMN);
    waiting_add_share(&share, critical->value, all);
    text_add_right(&report->text, text_string(&share), SHARE_COLUMN);
    text_add(&report->text, "  ");
    waiting_add_function(&line, report->tree, critical->path);
    if (critical->imbalance > 0) {
        text_add(&line, ", ");
        waiting_add_share(&line, critical->imbalance, critical->value);
        text_add(&line, " of it beyond the mean of all");
    }
    text_add_wrapped(&report->text, text_string(&line), VALUE_COLUMN + SHARE_COLUMN + 2,
                     VALUE_COLUMN + SHARE_COLUMN + 4, report->columns);
    text_free(&line);
    text_free(&share);
}

/* The chain of activities that determines how long all takes. */
static void add_critical_path(struct report *report)
{
    const uint32_t metric = summary_metric(report->summary, "critical_path");
    const uint32_t beyond = summary_metric(report->summary, "critical_path_imbalance");
    struct path_values *values = path_values_create(report->tree);
    long double all = 0;
    size_t count = 0;
    if (metric != SUMMARY_NONE && beyond != SUMMARY_NONE)
        scope_add_all(&report->scope, NULL, METRICS_INCLUSIVE, values);
    struct critical *list = allocate(values->count + 1, sizeof *list);
    for (size_t i = 0; i < values->count; i++) {
        const uint32_t path = values->list[i];
        list[count] = (struct critical){path, path_value(values, path, metric),
                                        path_value(values, path, beyond)};
        all += list[count].value;
        count += list[count].value > 0;
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare_critical);
    if (count > 0)
        add_subtitle(report, "The critical path, which determines how long all takes");
    for (size_t i = 0; i < count && i < waiting_rows(report, PATHS); i++)
        if (report->top || list[i].value >= WAITING_LEAST * all)
            add_critical(report, &list[i], all);
    free(list);
    path_values_free(values);
}

void report_waits(struct report *report)
{
    struct waiting waiting = {.report = report, .table = &report->summary->waits};
    if (waiting.table->pair_count == 0 || report->callpath ||
        report->scope.phase != SUMMARY_NONE)
        return;
    report_title(report, "Why ranks wait");
    text_add(&report->text, "\n");
    for (size_t i = 0; i < waiting.table->pair_count; i++)
        if (selection_has(report->selection, waiting.table->pairs[i].location))
            waiting.all_ns += waiting.table->pairs[i].ns;
    add_sums(&waiting);
    add_refills(&waiting);
    report_cut(report);
    report_clocks(report);
    report_culprits(&waiting);
    add_couples(&waiting);
    add_instances(&waiting);
    add_critical_path(report);
    add_gains(report);
}
