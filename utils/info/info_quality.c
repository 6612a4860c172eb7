/* How well clusters stand for their iterations.  See info.h. */
#include "accuracy/accuracy.h"
#include "base/base.h"
#include "file/file.h"
#include "info/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED        5 /* metrics by default; those that are judged are always listed */
#define LISTED_RANGES 6

/* A metric that has values, and its error. */
struct metric_error {
    uint32_t metric;
    bool judged;
    double error;
};

/* Judged metrics first, then the largest error. */
static int compare_errors(const void *a, const void *b)
{
    const struct metric_error *left = a, *right = b;
    if (left->judged != right->judged)
        return left->judged ? -1 : 1;
    if (left->error != right->error)
        return left->error > right->error ? -1 : 1;
    return (left->metric > right->metric) - (left->metric < right->metric);
}

/* The metrics with values but `time`, which stands for `execution`; for the caller to free. */
static struct metric_error *list_errors(const struct quality *quality, size_t *count)
{
    const struct summary *summary = quality->selection->summary;
    struct metric_error *list = allocate(summary->metric_count, sizeof *list);
    *count = 0;
    for (uint32_t m = 0; m < summary->metric_count; m++)
        if (quality->maxima[m] > 0 && strcmp(summary->metrics[m].name, "time") != 0)
            list[(*count)++] =
                (struct metric_error){m, quality->judged[m], quality_error(quality, m)};
    qsort(list, *count, sizeof *list, compare_errors);
    return list;
}

static void add_errors(struct text *text, const struct quality *quality, size_t most)
{
    size_t count, shown = 0;
    struct metric_error *list = list_errors(quality, &count);
    for (; shown < count && (shown < most || list[shown].judged); shown++) {
        char percent[QUANTITY_SIZE];
        text_addf(text, "%s%s %s %%", shown ? ", " : "",
                  quality->selection->summary->metrics[list[shown].metric].name,
                  format_percent(percent, list[shown].error, 1));
    }
    if (shown < count) {
        char percent[QUANTITY_SIZE];
        text_addf(text, ", %zu others at most %s %%", count - shown,
                  format_percent(percent, list[shown].error, 1));
    }
    free(list);
}

void info_errors_json(const struct selection *selection, uint32_t phase, size_t most)
{
    struct quality *quality = quality_create(selection, phase);
    size_t count = 0;
    struct metric_error *list = quality->clustered > 0 ? list_errors(quality, &count) : NULL;
    putchar('[');
    for (size_t i = 0; i < count && (!most || i < most || list[i].judged); i++) {
        fputs(i ? ",{\"metric\":" : "{\"metric\":", stdout);
        json_string(stdout, selection->summary->metrics[list[i].metric].name);
        fputs(",\"error\":", stdout);
        json_number(stdout, list[i].error);
        putchar('}');
    }
    putchar(']');
    free(list);
    quality_free(quality);
}

/* "3-17, 20, 22-25 ... (210 of 1000)". */
static void add_iterations(struct text *text, const struct iteration_set *set, uint64_t all)
{
    for (size_t i = 0; i < set->count && i < LISTED_RANGES; i++) {
        const struct range *range = &set->ranges[i];
        text_addf(text, "%s%" PRIu64, i ? ", " : "", range->first);
        if (range->last > range->first)
            text_addf(text, "-%" PRIu64, range->last);
    }
    text_addf(text, "%s (%" PRIu64 " of %" PRIu64 ")", set->count > LISTED_RANGES ? " ..." : "",
              set->iterations, all);
}

/* `auto`, or an error bound, has taken as many clusters as its memory holds. */
static void add_advice(struct text *text, const struct quality *quality)
{
    const char *asked = summary_fact(quality->selection->summary, "setting.CLUSTERS");
    if (asked && (strcmp(asked, "auto") == 0 || strchr(asked, '%')))
        text_addf(text, "a larger TSPROF_MEMORY, or TSPROF_CLUSTERS above %" PRIu64 ", helps",
                  quality->asked);
    else
        text_addf(text, "a larger TSPROF_CLUSTERS than %" PRIu64 ", or auto, helps",
                  quality->asked);
}

/* Prints what the errors mean and what to do about them; nothing if they are small. */
static void print_verdict(const struct quality *quality)
{
    struct iteration_set doubtful = quality_doubtful(quality);
    uint32_t worst = quality_verdict(quality);
    struct text text = {0};
    if (worst != SUMMARY_NONE)
        text_addf(&text, "TOO LARGE to trust single iterations, for %s; ",
                  quality->selection->summary->metrics[worst].name);
    else if (doubtful.count > 0)
        text_add(&text, "small, but ");
    if (doubtful.count > 0) {
        text_addf(&text, "above %g %% in the clusters of iterations ", 100 * QUALITY_LIMIT);
        add_iterations(&text, &doubtful,
                       selection_iterations(quality->selection, quality->phase));
        text_add(&text, worst != SUMMARY_NONE ? "; " : ": do not trust those; ");
    }
    if (text.length > 0) {
        add_advice(&text, quality);
        info_line("", &text);
    }
    free(doubtful.ranges);
}

/* Says how many call paths are shown where they did not occur, or that nobody knows. */
static void print_phantoms(const struct selection *selection, uint32_t phase)
{
    struct phantoms phantoms[PHANTOM_PATHS];
    struct text text = {0};
    phantoms_count(selection, phase, phantoms);
    if (phantoms[PHANTOMS_ALL].unknown > 0)
        text_add(&text, "not known: where call paths are shown, they may not have occurred");
    else if (!phantoms_add_text(phantoms, &text))
        text_add(&text, "none: every call path is shown where it occurred");
    info_line("phantoms", &text);
}

enum { LISTED_PATHS = 3 };

/* Names the call paths that means are off the most for. */
static void print_path_errors(const struct selection *selection, uint32_t phase, size_t most)
{
    const struct summary *summary = selection->summary;
    struct path_tree *tree = path_tree_of_nodes(summary);
    size_t count;
    struct path_error *list = path_errors_find(selection, phase, &count);
    for (size_t i = 0; i < count && i < most && list[i].rms > 0; i++) {
        char rms[QUANTITY_SIZE], percent[QUANTITY_SIZE];
        struct text text = {0};
        text_addf(&text, "%s, %s %% of the largest value, in %s of ",
                  format_quantity(rms, 1e-9L * (long double)list[i].rms, "s"),
                  format_percent(percent, list[i].rms, list[i].largest),
                  summary->metrics[list[i].metric].name);
        path_add_text(tree, list[i].node, ";", &text);
        info_line(i == 0 ? "path error" : "", &text);
    }
    free(list);
    path_tree_free(tree);
}

enum { LISTED_OUTLIERS = 3 };

/* Names iterations in which a call path took much longer than their clusters show. */
static void print_outliers(const struct selection *selection, uint32_t phase, size_t most)
{
    const struct summary *summary = selection->summary;
    struct path_tree *tree = path_tree_of_nodes(summary);
    size_t count;
    struct outlier *list = outliers_find(selection, phase, &count);
    for (size_t i = 0; i < count && i < most; i++) {
        const struct outlier *outlier = &list[i];
        const struct largest *largest = outlier->largest;
        char value[QUANTITY_SIZE], shown[QUANTITY_SIZE];
        struct text text = {0};
        text_addf(&text, "%s in iteration %" PRIu64 " on ",
                  format_quantity(value, 1e-9L * largest->value, "s"), largest->iteration);
        place_add_name(&text, outlier->location);
        text_addf(&text, ", shown as %s: %s of ",
                  format_quantity(shown, 1e-9L * (long double)outlier->shown, "s"),
                  summary->metrics[largest->metric].name);
        path_add_text(tree, largest->node, ";", &text);
        info_line("largest", &text);
    }
    if (count > most) {
        struct text text = {0};
        text_addf(&text, "%zu more call paths took longer in some iteration than is shown",
                  count - most);
        info_line("", &text);
    }
    free(list);
    path_tree_free(tree);
}

void info_quality(const struct selection *selection, size_t most)
{
    const struct summary *summary = selection->summary;
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        struct quality *quality = quality_create(selection, p);
        struct text text = {0};
        if (quality->iterations > 0) {
            text_addf(&text, "%s: ", summary->phases[p].name);
            if (quality->clustered == 0) {
                text_add(&text, "none, every iteration has a profile of its own");
            } else {
                text_add(&text, "root mean square, of the largest iteration: ");
                add_errors(&text, quality, most ? most : LISTED);
            }
            info_line("error", &text);
            print_verdict(quality);
            if (quality->clustered > 0) {
                print_path_errors(selection, p, most ? most : LISTED_PATHS);
                print_phantoms(selection, p);
            }
            print_outliers(selection, p, most ? most : LISTED_OUTLIERS);
        }
        quality_free(quality);
    }
}
