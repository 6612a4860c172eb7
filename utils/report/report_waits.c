/* The report's chapter about waiting: who waits for whom, why, and what all wait for in the
 * end. See report.h. */
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CULPRITS     5
#define PAIRS        6
#define INSTANCES    3
#define PATHS        5
#define LEAST_SHARE  0.01L /* of all waiting, for a sentence of its own */
#define MOST_OF      0.9L  /* of a delay: it is said in which iterations so much of it is */
#define VALUE_COLUMN 10
#define SHARE_COLUMN 8

/* What somebody did on NODE made WAITER wait in WAITING. */
struct blame {
    uint32_t cause, node, waiter, waiting;
    uint64_t ns;
};

/* All that somebody made others wait for by what it did on NODE. */
struct culprit {
    const struct blame *blames;
    size_t count, waiters; /* locations that waited */
    uint64_t ns;
    long double later_ns; /* what those made others wait for in turn */
};

/* Whether a metric is a delay, and one of what waiting caused later. */
struct delay_kind {
    bool is_delay, is_later;
};

struct waiting {
    struct report *report;
    const struct wait_table *table;
    struct delay_kind *kinds; /* by metric */
    struct blame *blames;
    size_t blame_count;
    uint64_t all_ns;
};

/* Whether METRIC is ROOT or part of it. */
static bool is_part(const struct summary *summary, uint32_t metric, uint32_t root)
{
    while (metric != root && metric != SUMMARY_NONE)
        metric = summary->metrics[metric].parent;
    return metric == root;
}

static void add_place(struct text *line, const struct waiting *waiting, uint32_t location)
{
    if (location == SUMMARY_NONE)
        text_add(line, "somebody unknown");
    else
        place_add_name(line, &waiting->report->summary->locations[location]);
}

static void add_time(struct text *line, long double ns)
{
    char shown[QUANTITY_SIZE];
    text_add(line, format_quantity(shown, ns / 1e9L, "s"));
}

static void add_share(struct text *line, long double part, long double whole)
{
    char shown[QUANTITY_SIZE];
    text_addf(line, "%s %%", format_percent(shown, part, whole));
}

static void add_sentence(struct report *report, struct text *line)
{
    text_add(&report->text, "  ");
    text_add_wrapped(&report->text, text_string(line), 2, 4, report->columns);
    text_clear(line);
}

/* Longer names are those of C++ templates. */
enum { NAME_COLUMNS = 64 };

/* Adds "assemble (solver.c:120)", and of a function of MPI, which many call, the one that calls
 * it: "MPI_Send in exchange (halo.c:31)". */
static void add_function(struct text *line, const struct path_tree *tree, uint32_t path)
{
    const uint32_t parent = tree->paths[path].parent;
    struct text place = {0};
    text_add_shortened(line, path_region(tree, path)->name, NAME_COLUMNS);
    if (path_region(tree, path)->kind == REGION_MPI && parent != SUMMARY_NONE && parent != 0) {
        text_add(line, " in ");
        text_add_shortened(line, path_region(tree, parent)->name, NAME_COLUMNS);
    }
    path_add_place(tree, path, &place);
    if (place.length) {
        text_add(line, " (");
        text_add_escaped(line, text_string(&place));
        text_add(line, ")");
    }
    text_free(&place);
}

/* Adds "in assemble (solver.c:120)". */
static void add_node(struct text *line, const struct waiting *waiting, uint32_t node)
{
    const struct path_tree *tree = waiting->report->tree;
    text_add(line, "in ");
    add_function(line, tree, tree->of_node[node]);
}

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
    text_add(&line, "Ranks wait for each other for ");
    add_time(&line, (long double)waiting->all_ns);
    if (report->is_time && report->all > 0) {
        text_add(&line, ", ");
        add_share(&line, (long double)waiting->all_ns / 1e9L, report->all);
        text_add(&line, " of the time");
    }
    for (const char *before = ": ";; before = ", ") {
        uint32_t most = 0;
        for (uint32_t m = 0; m < summary->metric_count; m++)
            most = sums[m] > sums[most] ? m : most;
        if ((long double)sums[most] <= LEAST_SHARE * (long double)waiting->all_ns)
            break;
        text_add(&line, before);
        add_time(&line, (long double)sums[most]);
        text_addf(&line, " %s", summary->metrics[most].name);
        sums[most] = 0;
    }
    text_add(&line, ".");
    add_sentence(report, &line);
    text_free(&line);
    free(sums);
}

static int compare_blames(const void *a, const void *b)
{
    const struct blame *one = a, *other = b;
    if (one->cause != other->cause)
        return one->cause < other->cause ? -1 : 1;
    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    if (one->waiter != other->waiter)
        return one->waiter < other->waiter ? -1 : 1;
    return one->waiting < other->waiting ? -1 : one->waiting > other->waiting;
}

/* Lists what selected locations waited for because of what others did. */
static void collect(struct waiting *waiting)
{
    const struct wait_table *table = waiting->table;
    size_t room = 0;
    for (size_t i = 0; i < table->pair_count; i++)
        room += table->pairs[i].reason_count;
    waiting->blames = allocate(room + 1, sizeof *waiting->blames);
    for (size_t i = 0; i < table->pair_count; i++) {
        const struct wait_pair *pair = &table->pairs[i];
        if (!selection_has(waiting->report->selection, pair->location))
            continue;
        waiting->all_ns += pair->ns;
        for (size_t r = 0; r < pair->reason_count; r++)
            if (!pair->reasons[r].is_indirect && pair->cause != SUMMARY_NONE)
                waiting->blames[waiting->blame_count++] =
                    (struct blame){pair->cause, pair->reasons[r].node, pair->location,
                                   pair->node, pair->reasons[r].ns};
    }
    if (waiting->blame_count > 1)
        qsort(waiting->blames, waiting->blame_count, sizeof *waiting->blames, compare_blames);
}

static void find_kinds(struct waiting *waiting)
{
    const struct summary *summary = waiting->report->summary;
    const uint32_t delay = summary_metric(summary, "delay");
    waiting->kinds = allocate(summary->metric_count, sizeof *waiting->kinds);
    for (uint32_t m = 0; m < summary->metric_count && delay != SUMMARY_NONE; m++) {
        const char *end = strrchr(summary->metrics[m].name, '_');
        const bool is_delay = is_part(summary, m, delay);
        waiting->kinds[m] =
            (struct delay_kind){is_delay, is_delay && end && strcmp(end, "_longterm") == 0};
    }
}

/* The delays of NODE in PROFILE, in nanoseconds: all, or LATER: those of waiting. */
static long double delay_in(const struct waiting *waiting, const struct profile *profile,
                            uint32_t node, bool later)
{
    size_t low = 0, high = profile->count;
    long double sum = 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (profile->cells[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < profile->count && profile->cells[low].node == node; low++) {
        const struct delay_kind kind = waiting->kinds[profile->cells[low].metric];
        if (later ? kind.is_later : kind.is_delay)
            sum += (long double)profile->cells[low].value;
    }
    return sum;
}

static int compare_culprits(const void *a, const void *b)
{
    const struct culprit *one = a, *other = b;
    const long double first = (long double)one->ns + one->later_ns;
    const long double second = (long double)other->ns + other->later_ns;
    if (first != second)
        return first > second ? -1 : 1;
    return one->blames < other->blames ? -1 : one->blames > other->blames;
}

/* Adds up what each has caused on each call path; *COUNT of them, for the caller to free(). */
static struct culprit *find_culprits(const struct waiting *waiting, size_t *count)
{
    struct culprit *list = allocate(waiting->blame_count + 1, sizeof *list);
    const struct summary *summary = waiting->report->summary;
    *count = 0;
    for (size_t i = 0; i < waiting->blame_count; i++) {
        const struct blame *blame = &waiting->blames[i];
        const bool is_first =
            i == 0 || blame[-1].cause != blame->cause || blame[-1].node != blame->node;
        if (is_first)
            list[(*count)++] = (struct culprit){
                .blames = blame,
                .later_ns = delay_in(waiting, &summary->locations[blame->cause].whole,
                                     blame->node, true)};
        struct culprit *culprit = &list[*count - 1];
        culprit->count++;
        culprit->waiters += is_first || blame[-1].waiter != blame->waiter;
        culprit->ns += blame->ns;
    }
    if (*count > 1)
        qsort(list, *count, sizeof *list, compare_culprits);
    return list;
}

/* Between which iterations most of a delay is, and between which there are profiles. */
struct extent {
    uint64_t first, last, traced_first, traced_last;
    long double sum;
};

/* Between which iterations of SERIES most of the delay of NODE is. */
static struct extent extent_of(const struct waiting *waiting, const struct series *series,
                               uint32_t node)
{
    struct extent extent = {UINT64_MAX, 0, UINT64_MAX, 0, 0};
    long double *values = allocate(series->run_count + 1, sizeof *values);
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->cluster == SUMMARY_NONE)
            continue;
        const struct cluster *cluster = &series->clusters[run->cluster];
        values[i] = delay_in(waiting, &cluster->sums, node, false) /
                    (long double)cluster->size * (long double)run->length;
        extent.sum += values[i];
        extent.traced_first =
            run->first < extent.traced_first ? run->first : extent.traced_first;
        extent.traced_last = run->first + run->length - 1;
    }
    const long double rest = (1 - MOST_OF) / 2 * extent.sum;
    long double before = 0;
    for (size_t i = 0; i < series->run_count; i++) {
        const bool has_begun = before + values[i] > rest;
        const bool is_over = before >= extent.sum - rest;
        if (has_begun && !is_over && values[i] > 0) {
            const struct run *run = &series->runs[i];
            extent.first = run->first < extent.first ? run->first : extent.first;
            extent.last = run->first + run->length - 1;
        }
        before += values[i];
    }
    free(values);
    return extent;
}

/* Adds ", most of it in iterations 40-90 of timestep", unless it is in most of them. */
static void add_iterations(struct text *line, const struct waiting *waiting,
                           const struct culprit *culprit)
{
    const struct summary *summary = waiting->report->summary;
    const struct location *location = &summary->locations[culprit->blames->cause];
    struct extent best = {0};
    uint32_t phase = SUMMARY_NONE;
    for (size_t i = 0; i < location->series_count; i++) {
        const struct extent extent =
            extent_of(waiting, &location->series[i], culprit->blames->node);
        if (extent.sum > best.sum) {
            best = extent;
            phase = location->series[i].phase;
        }
    }
    if (phase == SUMMARY_NONE || best.first > best.last ||
        2 * (best.last - best.first) >= best.traced_last - best.traced_first)
        return;
    text_addf(line, ", most of it in iteration%s %" PRIu64, best.first == best.last ? "" : "s",
              best.first);
    if (best.last > best.first)
        text_addf(line, "-%" PRIu64, best.last);
    text_addf(line, " of %s", summary->phases[phase].name);
}

/* The node where those wait most who wait because of CULPRIT. */
static uint32_t where_waited(const struct waiting *waiting, const struct culprit *culprit)
{
    uint64_t *sums = allocate(waiting->report->summary->node_count, sizeof *sums);
    uint32_t most = culprit->blames->waiting;
    for (size_t i = 0; i < culprit->count; i++)
        sums[culprit->blames[i].waiting] += culprit->blames[i].ns;
    for (size_t i = 0; i < culprit->count; i++)
        if (sums[culprit->blames[i].waiting] > sums[most])
            most = culprit->blames[i].waiting;
    free(sums);
    return most;
}

static void add_culprit(struct waiting *waiting, const struct culprit *culprit)
{
    struct report *report = waiting->report;
    const uint32_t node = culprit->blames->node;
    const struct region_entry *region = path_region(report->tree, report->tree->of_node[node]);
    struct text line = {0}, who = {0};
    place_add_name(&who, &report->summary->locations[culprit->blames->cause]);
    text_addf(&line, "R%s makes ", text_string(&who) + 1);
    if (culprit->waiters == 1)
        add_place(&line, waiting, culprit->blames->waiter);
    else
        text_addf(&line, "%zu others", culprit->waiters);
    text_add(&line, " wait for ");
    add_time(&line, (long double)culprit->ns);
    text_add(&line, " (");
    add_share(&line, (long double)culprit->ns, (long double)waiting->all_ns);
    text_add(&line, ")");
    add_iterations(&line, waiting, culprit);
    text_addf(&line, ": it %s longer ", region->kind == REGION_MPI ? "spends" : "computes");
    add_node(&line, waiting, node);
    text_add(&line, "; ");
    if (culprit->waiters == 1)
        add_place(&line, waiting, culprit->blames->waiter);
    else
        text_add(&line, "they");
    text_addf(&line, " wait%s mostly ", culprit->waiters == 1 ? "s" : "");
    add_node(&line, waiting, where_waited(waiting, culprit));
    if (culprit->later_ns > 0) {
        text_add(&line, ". Others waited for those in turn, for ");
        add_time(&line, culprit->later_ns);
    }
    text_add(&line, ".");
    add_sentence(report, &line);
    text_free(&line);
    text_free(&who);
}

static size_t rows_of(const struct report *report, size_t usual)
{
    return report->top ? report->top : usual;
}

static void add_culprits(struct waiting *waiting)
{
    size_t count;
    struct culprit *list = find_culprits(waiting, &count);
    for (size_t i = 0; i < count && i < rows_of(waiting->report, CULPRITS); i++)
        if (waiting->report->top || (long double)list[i].ns + list[i].later_ns >=
                                        LEAST_SHARE * (long double)waiting->all_ns)
            add_culprit(waiting, &list[i]);
    free(list);
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
    size_t count, shown = rows_of(report, PAIRS);
    struct couple *list = find_couples(waiting, &count);
    add_subtitle(report, "Who waits for whom");
    for (size_t i = 0; i < count && i < shown; i++) {
        struct text line = {0}, time = {0}, share = {0};
        add_time(&time, (long double)list[i].ns);
        add_share(&share, (long double)list[i].ns, (long double)waiting->all_ns);
        text_add_right(&line, text_string(&time), VALUE_COLUMN);
        text_add_right(&line, text_string(&share), SHARE_COLUMN);
        text_add(&line, "  ");
        add_place(&line, waiting, list[i].waiter);
        text_add(&line, " for ");
        add_place(&line, waiting, list[i].cause);
        text_addf(&line, ", %" PRIu64 " time%s, ", list[i].count,
                  list[i].count == 1 ? "" : "s");
        add_time(&line, (long double)list[i].longest_ns);
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
    add_time(&line, (long double)wait->ns);
    text_add(&line, ": ");
    add_place(&line, waiting, wait->location);
    text_add(&line, " ");
    add_node(&line, waiting, wait->node);
    if (wait->phase != SUMMARY_NONE)
        text_addf(&line, ", iteration %" PRIu64 " of %s", wait->iteration,
                  report->summary->phases[wait->phase].name);
    text_add(&line, ", for ");
    add_place(&line, waiting, wait->cause);
    text_add(&line, " ");
    add_node(&line, waiting, wait->cause_node);
    text_addf(&line, " (%s)", report->summary->metrics[wait->metric].name);
    add_sentence(report, &line);
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
    for (size_t i = 0; i < count && i < rows_of(waiting->report, INSTANCES); i++)
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
    text_add_right(&line, format_quantity(shown, critical->value, "s"), VALUE_COLUMN);
    add_share(&share, critical->value, all);
    text_add_right(&line, text_string(&share), SHARE_COLUMN);
    text_add(&line, "  ");
    add_function(&line, report->tree, critical->path);
    if (critical->imbalance > 0) {
        text_add(&line, ", ");
        add_share(&line, critical->imbalance, critical->value);
        text_add(&line, " of it beyond the mean of all");
    }
    text_add(&line, "\n");
    text_add(&report->text, text_string(&line));
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
    for (size_t i = 0; i < count && i < rows_of(report, PATHS); i++)
        if (report->top || list[i].value >= LEAST_SHARE * all)
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
    find_kinds(&waiting);
    collect(&waiting);
    add_sums(&waiting);
    report_clocks(report);
    add_culprits(&waiting);
    add_couples(&waiting);
    add_instances(&waiting);
    add_critical_path(report);
    add_gains(report);
    free(waiting.kinds);
    free(waiting.blames);
}
