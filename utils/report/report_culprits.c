/* Who makes others wait, and by what.  See report.h. */
#include "report/waiting.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CULPRITS 5
#define REASONS  3    /* of one culprit, in a sentence */
#define MOST_OF  0.9L /* of a delay: it is said in which iterations so much of it is */

/* What somebody did on NODE made WAITER wait in WAITING. */
struct blame {
    uint32_t cause, node, waiter, waiting;
    uint64_t ns;
};

/* All that somebody made others wait for by what it did on NODE. */
struct reason {
    uint32_t node;
    uint64_t ns;
};

/* All that somebody made others wait for. */
struct culprit {
    const struct blame *blames;
    size_t count, waiters;  /* locations that waited */
    struct reason *reasons; /* the largest first */
    size_t reason_count;
    uint64_t ns;
    long double later_ns; /* what those made others wait for in turn */
};

/* Whether a metric is a delay, and one of what waiting caused later. */
struct delay_kind {
    bool is_delay, is_later;
};

struct blaming {
    const struct waiting *waiting;
    struct delay_kind *kinds; /* by metric */
    struct blame *blames;     /* by who caused it and where, then by who waited and where */
    size_t blame_count;
    struct reason *reasons; /* those of all culprits */
};

/* Whether METRIC is ROOT or part of it. */
static bool is_part(const struct summary *summary, uint32_t metric, uint32_t root)
{
    while (metric != root && metric != SUMMARY_NONE)
        metric = summary->metrics[metric].parent;
    return metric == root;
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
static void collect(struct blaming *blaming)
{
    const struct wait_table *table = blaming->waiting->table;
    size_t room = 0;
    for (size_t i = 0; i < table->pair_count; i++)
        room += table->pairs[i].reason_count;
    blaming->blames = allocate(room + 1, sizeof *blaming->blames);
    for (size_t i = 0; i < table->pair_count; i++) {
        const struct wait_pair *pair = &table->pairs[i];
        if (!selection_has(blaming->waiting->report->selection, pair->location))
            continue;
        for (size_t r = 0; r < pair->reason_count; r++)
            if (!pair->reasons[r].is_indirect && pair->cause != SUMMARY_NONE)
                blaming->blames[blaming->blame_count++] =
                    (struct blame){pair->cause, pair->reasons[r].node, pair->location,
                                   pair->node, pair->reasons[r].ns};
    }
    if (blaming->blame_count > 1)
        qsort(blaming->blames, blaming->blame_count, sizeof *blaming->blames, compare_blames);
}

static void find_kinds(struct blaming *blaming)
{
    const struct summary *summary = blaming->waiting->report->summary;
    const uint32_t delay = summary_metric(summary, "delay");
    blaming->kinds = allocate(summary->metric_count, sizeof *blaming->kinds);
    for (uint32_t m = 0; m < summary->metric_count && delay != SUMMARY_NONE; m++) {
        const char *end = strrchr(summary->metrics[m].name, '_');
        const bool is_delay = is_part(summary, m, delay);
        blaming->kinds[m] =
            (struct delay_kind){is_delay, is_delay && end && strcmp(end, "_longterm") == 0};
    }
}

/* The delays of NODE in PROFILE, in nanoseconds: all, or LATER: those of waiting. */
static long double delay_in(const struct blaming *blaming, const struct profile *profile,
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
        const struct delay_kind kind = blaming->kinds[profile->cells[low].metric];
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

static int compare_reasons(const void *a, const void *b)
{
    const struct reason *one = a, *other = b;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

/* Adds up the blames of CULPRIT by call path; its reasons follow those of others at *USED. */
static void find_reasons(const struct blaming *blaming, struct culprit *culprit, size_t *used)
{
    const struct summary *summary = blaming->waiting->report->summary;
    const struct location *cause = &summary->locations[culprit->blames->cause];
    culprit->reasons = &blaming->reasons[*used];
    for (size_t i = 0; i < culprit->count; i++) {
        const struct blame *blame = &culprit->blames[i];
        if (i == 0 || blame[-1].node != blame->node) {
            culprit->reasons[culprit->reason_count++] = (struct reason){blame->node, 0};
            culprit->later_ns += delay_in(blaming, &cause->whole, blame->node, true);
        }
        culprit->reasons[culprit->reason_count - 1].ns += blame->ns;
        culprit->ns += blame->ns;
    }
    *used += culprit->reason_count;
    if (culprit->reason_count > 1)
        qsort(culprit->reasons, culprit->reason_count, sizeof *culprit->reasons,
              compare_reasons);
}

static size_t count_waiters(const struct blaming *blaming, const struct culprit *culprit)
{
    bool *waits = allocate(blaming->waiting->report->summary->location_count, sizeof *waits);
    size_t count = 0;
    for (size_t i = 0; i < culprit->count; i++) {
        count += !waits[culprit->blames[i].waiter];
        waits[culprit->blames[i].waiter] = true;
    }
    free(waits);
    return count;
}

/* Adds up what each has caused; *COUNT of them, for the caller to free(). */
static struct culprit *find_culprits(struct blaming *blaming, size_t *count)
{
    struct culprit *list = allocate(blaming->blame_count + 1, sizeof *list);
    size_t used = 0;
    *count = 0;
    blaming->reasons = allocate(blaming->blame_count + 1, sizeof *blaming->reasons);
    for (size_t i = 0; i < blaming->blame_count; i++) {
        const struct blame *blame = &blaming->blames[i];
        if (i == 0 || blame[-1].cause != blame->cause)
            list[(*count)++] = (struct culprit){.blames = blame};
        list[*count - 1].count++;
    }
    for (size_t i = 0; i < *count; i++) {
        find_reasons(blaming, &list[i], &used);
        list[i].waiters = count_waiters(blaming, &list[i]);
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
static struct extent extent_of(const struct blaming *blaming, const struct series *series,
                               uint32_t node)
{
    struct extent extent = {UINT64_MAX, 0, UINT64_MAX, 0, 0};
    long double *values = allocate(series->run_count + 1, sizeof *values);
    for (size_t i = 0; i < series->run_count; i++) {
        const struct run *run = &series->runs[i];
        if (run->cluster == SUMMARY_NONE)
            continue;
        const struct cluster *cluster = &series->clusters[run->cluster];
        values[i] = delay_in(blaming, &cluster->sums, node, false) /
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

/* Adds ", most of it in iterations 40-90 of timestep" to what CAUSE did on NODE, unless it is
 * in most of them. */
static bool add_iterations(struct text *line, const struct blaming *blaming, uint32_t cause,
                           uint32_t node)
{
    const struct summary *summary = blaming->waiting->report->summary;
    const struct location *location = &summary->locations[cause];
    struct extent best = {0};
    uint32_t phase = SUMMARY_NONE;
    for (size_t i = 0; i < location->series_count; i++) {
        const struct extent extent = extent_of(blaming, &location->series[i], node);
        if (extent.sum > best.sum) {
            best = extent;
            phase = location->series[i].phase;
            report_traced_extent(blaming->waiting->report, summary->phases[phase].name,
                                 &best.traced_first, &best.traced_last);
        }
    }
    if (phase == SUMMARY_NONE || best.first > best.last ||
        2 * (best.last - best.first) >= best.traced_last - best.traced_first)
        return false;
    text_addf(line, ", most of it in iteration%s %" PRIu64, best.first == best.last ? "" : "s",
              best.first);
    if (best.last > best.first)
        text_addf(line, "-%" PRIu64, best.last);
    text_addf(line, " of %s", summary->phases[phase].name);
    return true;
}

/* The node where those wait most who wait because of CULPRIT. */
static uint32_t where_waited(const struct blaming *blaming, const struct culprit *culprit)
{
    uint64_t *sums = allocate(blaming->waiting->report->summary->node_count, sizeof *sums);
    uint32_t most = culprit->blames->waiting;
    for (size_t i = 0; i < culprit->count; i++)
        sums[culprit->blames[i].waiting] += culprit->blames[i].ns;
    for (size_t i = 0; i < culprit->count; i++)
        if (sums[culprit->blames[i].waiting] > sums[most])
            most = culprit->blames[i].waiting;
    free(sums);
    return most;
}

/* How many of a culprit's reasons are told. */
static size_t told_reasons(const struct blaming *blaming, const struct culprit *culprit)
{
    size_t count = 1;
    while (count < culprit->reason_count && count < REASONS &&
           (long double)culprit->reasons[count].ns >=
               WAITING_LEAST * (long double)blaming->waiting->all_ns)
        count++;
    return count;
}

static void add_verb(struct text *line, const struct blaming *blaming, uint32_t node)
{
    const struct path_tree *tree = blaming->waiting->report->tree;
    const struct region_entry *region = path_region(tree, tree->of_node[node]);
    text_addf(line, "it %s longer ", region->kind == REGION_MPI ? "spends" : "computes");
    waiting_add_node(line, blaming->waiting, node);
}

/* Adds ": it computes longer in assemble", or each reason with what it made others wait for. */
static void add_reasons(struct text *line, const struct blaming *blaming,
                        const struct culprit *culprit)
{
    const size_t told = told_reasons(blaming, culprit);
    if (told == 1) {
        add_iterations(line, blaming, culprit->blames->cause, culprit->reasons[0].node);
        text_add(line, ": ");
        add_verb(line, blaming, culprit->reasons[0].node);
        return;
    }
    for (size_t i = 0; i < told; i++) {
        text_add(line, i == 0 ? ": for " : i + 1 == told ? ", and for " : ", for ");
        waiting_add_time(line, (long double)culprit->reasons[i].ns);
        if (add_iterations(line, blaming, culprit->blames->cause, culprit->reasons[i].node))
            text_add(line, ",");
        text_add(line, " ");
        add_verb(line, blaming, culprit->reasons[i].node);
    }
}

/* "rank 3", or how many there are. */
static void add_waiters(struct text *line, const struct blaming *blaming,
                        const struct culprit *culprit, const char *many)
{
    if (culprit->waiters == 1)
        waiting_add_place(line, blaming->waiting, culprit->blames->waiter);
    else
        text_add(line, many);
}

static void add_culprit(const struct blaming *blaming, const struct culprit *culprit)
{
    const struct waiting *waiting = blaming->waiting;
    struct text line = {0}, who = {0};
    char others[32];
    snprintf(others, sizeof others, "%zu others", culprit->waiters);
    place_add_name(&who, &waiting->report->summary->locations[culprit->blames->cause]);
    text_addf(&line, "R%s makes ", text_string(&who) + 1);
    add_waiters(&line, blaming, culprit, others);
    text_add(&line, " wait for ");
    waiting_add_time(&line, (long double)culprit->ns);
    text_add(&line, " (");
    waiting_add_share(&line, (long double)culprit->ns, (long double)waiting->all_ns);
    text_add(&line, ")");
    add_reasons(&line, blaming, culprit);
    text_add(&line, "; ");
    add_waiters(&line, blaming, culprit, "they");
    text_addf(&line, " wait%s mostly ", culprit->waiters == 1 ? "s" : "");
    waiting_add_node(&line, waiting, where_waited(blaming, culprit));
    if (culprit->later_ns >= WAITING_LEAST * (long double)waiting->all_ns) {
        text_add(&line, ". Others waited for those in turn, for ");
        waiting_add_time(&line, culprit->later_ns);
    }
    text_add(&line, ".");
    waiting_add_sentence(waiting->report, &line);
    text_free(&line);
    text_free(&who);
}

void report_culprits(const struct waiting *waiting)
{
    struct blaming blaming = {.waiting = waiting};
    size_t count;
    find_kinds(&blaming);
    collect(&blaming);
    struct culprit *list = find_culprits(&blaming, &count);
    for (size_t i = 0; i < count && i < waiting_rows(waiting->report, CULPRITS); i++)
        if (waiting->report->top || (long double)list[i].ns + list[i].later_ns >=
                                        WAITING_LEAST * (long double)waiting->all_ns)
            add_culprit(&blaming, &list[i]);
    free(list);
    free(blaming.reasons);
    free(blaming.blames);
    free(blaming.kinds);
}
