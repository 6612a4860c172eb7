/* See findings_checks.h. */
#include "tests/unit/utils/findings/findings_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* To look into, once it is as it should be. */
struct found found_make(uint32_t ranks, uint64_t iterations, made_rule *rule, uint64_t seed)
{
    struct found found = {.made = allocate(1, sizeof *found.made)};
    made_fill(found.made, ranks, iterations, rule, seed);
    return found;
}

void found_in(struct found *found, const char *metric)
{
    struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    struct error error;
    if (!selection_make(&found->selection, &found->made->summary, &options, &error))
        printf("# %s\n", error.text);
    found->tree = path_tree_build(&found->made->summary);
    found->findings = findings_find(&found->selection, found->tree,
                                    summary_metric(&found->made->summary, metric), 0);
}

struct found found_made(uint32_t ranks, uint64_t iterations, made_rule *rule, uint64_t seed)
{
    struct found found = found_make(ranks, iterations, rule, seed);
    found_in(&found, "time");
    return found;
}

struct ranking *found_ranked(struct found *found)
{
    const struct thresholds thresholds = thresholds_default();
    const uint64_t count = selection_iterations(&found->selection, 0);
    found->scope = (struct scope){.selection = &found->selection,
                                  .phase = 0,
                                  .iterations = {0, count - 1},
                                  .count = count,
                                  .divisor = 1,
                                  .all_ranks = true,
                                  .all_threads = true};
    return ranking_make(&found->scope, found->tree,
                        summary_metric(&found->made->summary, "time"), true, &thresholds);
}

char *found_json(struct found *found)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    struct ranking *ranking = found_ranked(found);
    ranking_write_json(ranking, stream);
    fclose(stream);
    ranking_free(ranking);
    return bytes;
}

void found_forget(struct found *found)
{
    findings_free(found->findings);
    path_tree_free(found->tree);
    selection_free(&found->selection);
    made_free(found->made);
    free(found->made);
}

void found_show(const struct found *found)
{
    for (size_t i = 0; i < found->findings->count; i++)
        printf("# %s: %s\n", finding_kind_name(found->findings->list[i].kind),
               found->findings->list[i].sentence);
}

bool is_range(const struct range *range, uint64_t first, uint64_t last)
{
    bool good = range->first == first && range->last == last;
    if (!good)
        printf("# %ju-%ju is not %ju-%ju\n", (uintmax_t)range->first, (uintmax_t)range->last,
               (uintmax_t)first, (uintmax_t)last);
    return good;
}

bool is_about(double value, double wanted, double share)
{
    bool good = fabs(value - wanted) <= share * fabs(wanted);
    if (!good)
        printf("# %g is not about %g\n", value, wanted);
    return good;
}

bool has_cause(const struct found *found, const struct finding *finding, const char *metric,
               const char *region, double ms)
{
    const struct finding_cause *cause = &finding->cause;
    if (cause->metric == SUMMARY_NONE)
        return false;
    const char *is_metric = found->made->summary.metrics[cause->metric].name;
    const char *is_region = found->tree->paths[cause->path].name;
    bool good = strcmp(is_metric, metric) == 0 && strcmp(is_region, region) == 0 &&
                is_about(cause->value, ms / 1e3, 0.1);
    if (!good)
        printf("# the cause is %s in %s\n", is_metric, is_region);
    return good;
}

bool is_on(const struct finding *finding, uint32_t rank)
{
    return finding->rank_count == 1 && finding->ranks[0] == rank;
}

bool says(const struct finding *finding, const char *words)
{
    return strstr(finding->sentence, words);
}

/* 10 ms, and a little noise. */
struct made_iteration flat(uint64_t *random)
{
    return (struct made_iteration){.solve = 10 * MS * (1 + 0.01 * random_normal(random)),
                                   .send = 0.5 * MS};
}
