/* The metric tree of a CUBE file.  See cubex_metrics.h. */
#include "cubex/cubex_metrics.h"

#include "print/print.h"
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

struct name {
    const char *metric, *unique, *shown;
};

static const struct name names[] = {
#define NAME(metric, unique, shown) {#metric, unique, shown},
#include "cubex/cubex_metrics.def"
#undef NAME
};

static const struct name *find_name(const char *metric)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].metric, metric) == 0)
            return &names[i];
    return NULL;
}

static bool is_taken(const struct cubex_metrics *metrics, const char *unique)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->list[i].unique, unique) == 0)
            return true;
    return false;
}

/* WANTED, or a similar name if a metric has that name already. */
static char *make_unique(const struct cubex_metrics *metrics, const char *wanted)
{
    struct text name = {0};
    text_add(&name, wanted);
    text_add(&name, "");
    for (unsigned i = 2; is_taken(metrics, text_string(&name)); i++) {
        text_clear(&name);
        text_addf(&name, "%s_%u", wanted, i);
    }
    return name.bytes;
}

/* The closest of the metrics above SOURCE that is in the file. */
static uint32_t find_parent(const struct cubex_metrics *metrics, uint32_t source,
                            const uint32_t *place)
{
    uint32_t above = metrics->summary->metrics[source].parent;
    while (above != SUMMARY_NONE && place[above] == SUMMARY_NONE)
        above = metrics->summary->metrics[above].parent;
    return above == SUMMARY_NONE ? SUMMARY_NONE : place[above];
}

static void add_metric(struct cubex_metrics *metrics, uint32_t source, uint32_t *place)
{
    const char *own = metrics->summary->metrics[source].name;
    const struct name *name = find_name(own);
    struct cubex_metric metric = {source,
                                  find_parent(metrics, source, place),
                                  name ? name->shown : own,
                                  make_unique(metrics, name ? name->unique : own),
                                  false,
                                  false};
    place[source] = (uint32_t)metrics->count;
    metrics->list[metrics->count++] = metric;
}

/* The metric of the summary that follows SOURCE in a walk through its tree, each node before
 * those below it. */
static uint32_t next_in_tree(const struct summary *summary, const uint32_t *first_child,
                             const uint32_t *sibling, uint32_t source)
{
    if (first_child[source] != SUMMARY_NONE)
        return first_child[source];
    while (source != SUMMARY_NONE && sibling[source] == SUMMARY_NONE)
        source = summary->metrics[source].parent;
    return source == SUMMARY_NONE ? SUMMARY_NONE : sibling[source];
}

/* Lists WANTED metrics in the order of the tree. */
static void add_in_order(struct cubex_metrics *metrics, const bool *wanted)
{
    const struct summary *summary = metrics->summary;
    size_t count = summary->metric_count;
    uint32_t *first_child = allocate(count, sizeof *first_child);
    uint32_t *sibling = allocate(count, sizeof *sibling);
    uint32_t *place = allocate(count, sizeof *place), root = SUMMARY_NONE;
    memset(first_child, 0xff, count * sizeof *first_child);
    memset(place, 0xff, count * sizeof *place);
    for (uint32_t m = (uint32_t)count; m-- > 0;) {
        uint32_t parent = summary->metrics[m].parent;
        uint32_t *list = parent == SUMMARY_NONE ? &root : &first_child[parent];
        sibling[m] = *list;
        *list = m;
    }
    for (uint32_t m = root; m != SUMMARY_NONE;
         m = next_in_tree(summary, first_child, sibling, m))
        if (wanted[m])
            add_metric(metrics, m, place);
    free(first_child);
    free(sibling);
    free(place);
}

/* Parents come before their parts, so one pass is enough. */
static void mark_counted(struct cubex_metrics *metrics, const bool *wanted)
{
    const struct summary *summary = metrics->summary;
    metrics->counted = allocate(summary->metric_count, sizeof *metrics->counted);
    for (uint32_t m = 0; m < summary->metric_count; m++) {
        uint32_t parent = summary->metrics[m].parent;
        metrics->counted[m] = wanted[m] || (parent != SUMMARY_NONE && metrics->counted[parent]);
    }
}

void cubex_metrics_make(struct cubex_metrics *metrics, const struct selection *selection)
{
    const struct summary *summary = selection->summary;
    bool *wanted = metrics_in_use(summary), any = false;
    for (size_t m = 0; m < summary->metric_count; m++) {
        if (selection->metrics)
            wanted[m] = selection->metrics[m];
        any |= wanted[m];
    }
    /* A CUBE file has at least one. */
    if (!any && summary->metric_count)
        wanted[0] = true;
    *metrics = (struct cubex_metrics){.summary = summary};
    metrics->list = allocate(summary->metric_count, sizeof *metrics->list);
    add_in_order(metrics, wanted);
    mark_counted(metrics, wanted);
    free(wanted);
}

void cubex_metrics_free(struct cubex_metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++)
        free(metrics->list[i].unique);
    free(metrics->list);
    free(metrics->counted);
    *metrics = (struct cubex_metrics){0};
}

static const struct metric_entry *source_of(const struct cubex_metrics *metrics, size_t metric)
{
    return &metrics->summary->metrics[metrics->list[metric].source];
}

const char *cubex_metric_type(const struct cubex_metrics *metrics, size_t metric)
{
    const struct metric_entry *source = source_of(metrics, metric);
    if (source->scale || metrics->list[metric].fraction)
        return "DOUBLE";
    return metrics->list[metric].negative ? "INT64" : "UINT64";
}

const char *cubex_metric_unit(const struct cubex_metrics *metrics, size_t metric)
{
    const struct metric_entry *source = source_of(metrics, metric);
    return strcmp(source->unit, "s") == 0 ? "sec" : source->unit;
}
