/* Where computation without samples was, and how call paths are shown. */
#include "findings/findings_paths.h"
#include "query/query.h"
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <string.h>

static struct made_iteration rule(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration, (void)random;
    return (struct made_iteration){.solve = MS};
}

/* What is on a call path. */
struct place {
    enum made_node node;
    long double computation, samples;
};

static void put(struct path_values *values, const struct path_tree *tree, const char *metric,
                enum made_node node, long double value)
{
    const uint32_t path = tree->of_node[node];
    path_values_touch(values, path);
    for (uint32_t m = summary_metric(tree->summary, metric); m != SUMMARY_NONE;
         m = tree->summary->metrics[m].parent)
        values->sums[path * values->metric_count + m] += value;
}

static long double in(const struct path_values *values, const struct path_tree *tree,
                      const char *metric, enum made_node node)
{
    return values->sums[tree->of_node[node] * values->metric_count +
                        summary_metric(tree->summary, metric)];
}

static void test_spread(const char *what, const struct place *own, size_t count,
                        const long double wanted[3])
{
    static const enum made_node nodes[] = {MADE_step, MADE_solve, MADE_write};
    struct found found = found_made(2, 8, rule, 1);
    struct path_values *values = path_values_create(found.tree);
    for (size_t i = 0; i < count; i++) {
        put(values, found.tree, "computation", own[i].node, own[i].computation);
        put(values, found.tree, "samples", own[i].node, own[i].samples);
    }
    paths_spread(values);
    for (size_t i = 0; i < 3; i++)
        OK(is_about((double)in(values, found.tree, "computation", nodes[i]), (double)wanted[i],
                    1e-9) &&
               is_about((double)in(values, found.tree, "time", nodes[i]), (double)wanted[i],
                        1e-9),
           "%s, path %zu: %g", what, i,
           (double)in(values, found.tree, "computation", nodes[i]));
    path_values_free(values);
    found_forget(&found);
}

/* Functions that tell when they are entered need no samples. */
static void test_unsampled(void)
{
    struct found found = found_made(2, 8, rule, 1);
    struct path_values *values = path_values_create(found.tree);
    const struct summary *summary = found.tree->summary;
    const uint32_t step = found.tree->of_node[MADE_step],
                   solve = found.tree->of_node[MADE_solve];
    const uint32_t time = summary_metric(summary, "time"),
                   computation = summary_metric(summary, "computation"),
                   visits = summary_metric(summary, "visits");
    put(values, found.tree, "computation", MADE_step, 12000);
    put(values, found.tree, "overhead", MADE_step, 500);
    put(values, found.tree, "computation", MADE_solve, 3000);
    put(values, found.tree, "samples", MADE_solve, 3);
    OK(path_is_unsampled(values, step) && !path_is_unsampled(values, solve), "without samples");
    OK(path_unsampled(values, step, time) == path_value(values, step, computation) &&
           path_unsampled(values, step, visits) == 0 &&
           path_unsampled(values, solve, time) == 0,
       "it is that part of what computation is a part of");
    summary->regions[summary->nodes[MADE_step].region].group = FORMAT_TOLD_GROUP;
    OK(!path_is_unsampled(values, step) && path_unsampled(values, step, time) == 0,
       "of functions that tell all is their own");
    path_values_free(values);
    found_forget(&found);
}

/* Call paths that end in the same function are told apart by its caller. */
static void test_frames(void)
{
    static const struct {
        size_t columns;
        const char *shown;
    } cases[] = {{50, "main > step > solve > MPI_Allreduce"},
                 {34, "main > … > solve > MPI_Allreduce"},
                 {28, "… > solve > MPI_Allreduce"},
                 {5, "… > solve > MPI_Allreduce"}};
    struct found found = found_made(2, 8, rule, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        path_add_frames(found.tree, found.tree->of_node[MADE_wait], NAMES_BRIEF,
                        cases[i].columns, &text);
        OK(strcmp(text_string(&text), cases[i].shown) == 0, "in %zu columns: %s",
           cases[i].columns, text_string(&text));
        text_free(&text);
    }
    found_forget(&found);
}

int main(void)
{
    static const struct place some[] = {{MADE_step, 12000, 0},
                                        {MADE_solve, 3000, 3},
                                        {MADE_write, 1000, 1}},
                              at_it[] = {{MADE_step, 12000, 4},
                                         {MADE_solve, 3000, 3},
                                         {MADE_write, 1000, 1}},
                              none[] = {{MADE_step, 12000, 0}, {MADE_solve, 3000, 0}};
    test_spread("by samples below", some, 3, (const long double[]){0, 12000, 4000});
    test_spread("samples of the path itself stay", at_it, 3,
                (const long double[]){4000, 9000, 3000});
    test_spread("without samples nothing moves", none, 2,
                (const long double[]){12000, 3000, 0});
    test_unsampled();
    test_frames();
    return tap_done();
}
