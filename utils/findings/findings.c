/* Findings of all phases, in order.  See finding.h. */
#include "findings/finding.h"

#include "base/base.h"
#include "findings/findings_look.h"

#include <math.h>
#include <stdlib.h>

const char *finding_kind_name(enum finding_kind kind)
{
    static const char *const names[FINDING_KINDS] = {
        [FINDING_SLOW_ITERATIONS] = "slow_iterations",
        [FINDING_PERIOD] = "period",
        [FINDING_RANGE] = "range",
        [FINDING_STEP] = "step",
        [FINDING_DRIFT] = "drift",
        [FINDING_SLOW_RANKS] = "slow_ranks",
        [FINDING_MOVING_RANK] = "moving_rank",
        [FINDING_IMBALANCE] = "imbalance",
        [FINDING_GROWING_IMBALANCE] = "growing_imbalance",
        [FINDING_IDLE_RANKS] = "idle_ranks",
    };
    return names[kind];
}

void finding_clear(struct finding *finding)
{
    free(finding->iterations);
    free(finding->ranks);
    free(finding->parts);
    free(finding->sentence);
}

/* Of iterations the gain is what they have more than usual; searches over ranks have set it. */
static void set_gain(struct finding *finding, const struct look *look, double wall_s)
{
    if (!look->is_time)
        finding->gain = 0;
    else if (finding->gain <= 0)
        finding->gain = finding->excess;
    if (wall_s > 0)
        finding->gain = fmin(finding->gain, wall_s);
}

static bool is_preempted(const struct finding *finding, const struct summary *summary)
{
    return finding->cause.metric != SUMMARY_NONE &&
           finding->cause.metric == summary_metric(summary, "preempted");
}

/* Of the findings from FIRST on keeps those that lack of processors is the cause of, or that
 * are seen in times with it alone; or else the others. */
static void keep(struct collection *collection, const struct summary *summary, size_t first,
                 bool preempted)
{
    size_t kept = first;
    for (size_t i = first; i < collection->count; i++)
        if ((is_preempted(&collection->list[i], summary) || collection->list[i].stretched) ==
            preempted)
            collection->list[kept++] = collection->list[i];
        else
            finding_clear(&collection->list[i]);
    collection->count = kept;
}

/* Where times are corrected since processors are lacking, that there are none in some
 * iterations, or more and more seldom, is still to be seen. */
static void find_preempted(struct collection *collection, struct look *look)
{
    const size_t first = collection->count;
    look_exchange(look);
    find_outliers(collection, look);
    find_levels(collection, look);
    keep(collection, look->selection->summary, first, true);
    look_exchange(look);
}

/* Whether one of the findings from FIRST on is the same period, by corrected times. */
static bool is_found_again(const struct collection *collection, size_t first,
                           const struct finding *finding)
{
    for (size_t i = first; i < collection->count; i++)
        if (collection->list[i].kind == finding->kind && collection->list[i].corrected &&
            collection->list[i].period == finding->period &&
            collection->list[i].path == finding->path)
            return true;
    return false;
}

/* Of the findings from FIRST on drops those that are seen in times with lack of processors,
 * where they are seen without it as well. */
static void drop_stretched(struct collection *collection, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < collection->count; i++)
        if (collection->list[i].stretched &&
            is_found_again(collection, i + 1, &collection->list[i]))
            finding_clear(&collection->list[i]);
        else
            collection->list[kept++] = collection->list[i];
    collection->count = kept;
}

static void look_at(struct collection *collection, const struct selection *selection,
                    const struct path_tree *tree, uint32_t phase, uint32_t metric,
                    double wall_s)
{
    struct look look;
    size_t first = collection->count, first_program;
    if (!look_open(&look, selection, tree, phase, metric))
        return;
    if (look.corrected)
        find_preempted(collection, &look);
    first_program = collection->count;
    find_outliers(collection, &look);
    find_levels(collection, &look);
    if (look.corrected) {
        keep(collection, selection->summary, first_program, false);
        drop_stretched(collection, first);
    }
    find_ranks(collection, &look);
    find_inside(collection, &look);
    find_in_statements(collection, &look);
    for (size_t i = first; i < collection->count; i++) {
        struct finding *finding = &collection->list[i];
        finding->share = look.total > 0 ? fmin(finding->excess / look.total, 1) : 0;
        set_gain(finding, &look, wall_s);
        finding_write_sentence(finding, &look, wall_s);
    }
    look_close(&look);
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *left = a, *right = b;
    if (left->share != right->share)
        return left->share > right->share ? -1 : 1;
    if (left->phase != right->phase)
        return left->phase < right->phase ? -1 : 1;
    return (left->kind > right->kind) - (left->kind < right->kind);
}

struct findings *findings_find(const struct selection *selection, const struct path_tree *tree,
                               uint32_t metric, double wall_s)
{
    struct findings *findings = allocate(1, sizeof *findings);
    struct collection collection = {0};
    for (uint32_t p = 0; p < selection->summary->phase_count; p++)
        if (selection->phases[p])
            look_at(&collection, selection, tree, p, metric, wall_s);
    *findings = (struct findings){selection->summary, tree, collection.list, collection.count};
    if (findings->count > 1)
        qsort(findings->list, findings->count, sizeof *findings->list, compare_findings);
    return findings;
}

void findings_free(struct findings *findings)
{
    if (!findings)
        return;
    for (size_t i = 0; i < findings->count; i++)
        finding_clear(&findings->list[i]);
    free(findings->list);
    free(findings);
}
