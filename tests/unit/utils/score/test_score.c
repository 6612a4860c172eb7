/* What a filter hides: as little as possible, and enough. */
#include "score/score.h"

#include "base/base.h"
#include "common/filter.h"
#include "common/format.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { TIME, COMPUTATION, VISITS, METRICS };

/* Each node has a region of its own. */
enum { ROOT, MAIN, STEP, MPI, TINY, SMALL, LARGE, OTHER, NODES };

enum { RANKS = 2, CELLS = 2 * NODES };

/* A run that is made up, of two ranks. */
struct made {
    struct summary summary;
    struct metric_entry metrics[METRICS];
    struct region_entry regions[NODES];
    struct call_node nodes[NODES];
    struct location locations[RANKS];
    struct cell cells[RANKS][CELLS];
    struct cost_fact costs[RANKS][2];
};

static void make_metrics(struct made *made)
{
    made->metrics[TIME] = (struct metric_entry){"time", SUMMARY_NONE, "s", 9, 0, ""};
    made->metrics[COMPUTATION] = (struct metric_entry){"computation", TIME, "s", 9, 1, ""};
    made->metrics[VISITS] = (struct metric_entry){"visits", SUMMARY_NONE, "occ", 0, 1, ""};
}

/* main calls step, which calls MPI and all others. */
static void make_tree(struct made *made)
{
    static const struct {
        const char *name;
        enum format_region_kind kind;
        const char *group;
        uint32_t parent;
    } nodes[NODES] = {
        [ROOT] = {FORMAT_ROOT_NAME, REGION_ARTIFICIAL, "", SUMMARY_NONE},
        [MAIN] = {"main", REGION_FUNCTION, FORMAT_TOLD_GROUP, ROOT},
        [STEP] = {"step", REGION_FUNCTION, FORMAT_TOLD_GROUP, MAIN},
        [MPI] = {"MPI_Send", REGION_MPI, "P2P", STEP},
        [TINY] = {"field<int>::operator[](int)", REGION_FUNCTION, FORMAT_TOLD_GROUP, STEP},
        [SMALL] = {"small # of", REGION_FUNCTION, FORMAT_TOLD_GROUP, STEP},
        [LARGE] = {"large", REGION_FUNCTION, FORMAT_TOLD_GROUP, STEP},
        [OTHER] = {"other", REGION_FUNCTION, "", LARGE},
    };
    for (uint32_t n = 0; n < NODES; n++) {
        made->regions[n] = (struct region_entry){.name = nodes[n].name,
                                                 .kind = nodes[n].kind,
                                                 .file = "",
                                                 .module = SUMMARY_NONE,
                                                 .group = nodes[n].group};
        made->nodes[n] = (struct call_node){nodes[n].parent, n, 0};
    }
}

static void make_location(struct made *made, uint32_t rank, const int64_t *visits,
                          const int64_t *times_ns)
{
    struct location *location = &made->locations[rank];
    *location = (struct location){.rank = rank,
                                  .host = SUMMARY_NONE,
                                  .ending = "",
                                  .whole = {made->cells[rank], 0},
                                  .costs = made->costs[rank],
                                  .cost_count = 2};
    uint64_t entries = 0;
    for (uint32_t n = 0; n < NODES; n++) {
        made->cells[rank][location->whole.count++] = (struct cell){n, COMPUTATION, times_ns[n]};
        made->cells[rank][location->whole.count++] = (struct cell){n, VISITS, visits[n]};
        location->wall_ns += times_ns[n];
        entries += made->regions[n].group[0] == 'I' ? (uint64_t)visits[n] : 0;
    }
    made->costs[rank][0] = (struct cost_fact){"entries", entries};
    made->costs[rank][1] = (struct cost_fact){"telling_ns", 50 * entries};
}

/* 1 s on each rank; rank 1 visits what is tiny more often. */
static const int64_t usual_visits[NODES] = {1, 1, 1000, 2000, 4000000, 400000, 1000, 7};
static const int64_t more_visits[NODES] = {1, 1, 1000, 2000, 6000000, 400000, 1000, 7};
static const int64_t usual_ns[NODES] = {0,         1000000,   99000000,  100000000,
                                        200000000, 100000000, 400000000, 100000000};

static void make(struct made *made)
{
    *made = (struct made){0};
    make_metrics(made);
    make_tree(made);
    make_location(made, 0, usual_visits, usual_ns);
    make_location(made, 1, more_visits, usual_ns);
    made->summary = (struct summary){.path = "made.tsprof",
                                     .metrics = made->metrics,
                                     .metric_count = METRICS,
                                     .regions = made->regions,
                                     .region_count = NODES,
                                     .nodes = made->nodes,
                                     .node_count = NODES,
                                     .locations = made->locations,
                                     .location_count = RANKS};
}

static struct score *score_of(const struct made *made, double cost_ns)
{
    struct error error;
    struct score *score = score_make(&made->summary, cost_ns, &error);
    OK(score, "there is a score");
    return score;
}

static const struct score_function *find(const struct score *score, const char *name)
{
    for (size_t i = 0; i < score->count; i++)
        if (strcmp(score->functions[i].name, name) == 0)
            return &score->functions[i];
    return NULL;
}

static bool hides(const struct score *score, const char *name)
{
    const struct score_function *function = find(score, name);
    return function && function->hidden;
}

static bool near(long double a, long double b)
{
    return a > b * (1 - 1e-9L) && a < b * (1 + 1e-9L);
}

static void test_types_and_costs(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 0);
    EQ_INT(score->source, SCORE_MEASURED, "the cost was measured");
    OK(near(score->visit_ns, 50), "it is that of the facts");
    EQ_INT(score->count, 6, "functions whose visits are known");
    EQ_INT(score->instrumented, 5, "those that are instrumented");
    EQ_INT(find(score, "main")->type, SCORE_COM, "main is on a path to MPI");
    EQ_INT(find(score, "step")->type, SCORE_COM, "so is step");
    EQ_INT(find(score, "large")->type, SCORE_USR, "large is not");
    EQ_INT(find(score, "MPI_Send")->type, SCORE_MPI, "MPI");
    OK(!find(score, "other"), "visits of what is not instrumented are not known");
    OK(near(score->types[SCORE_USR].visits, 4401000 + 6401000), "visits");
    OK(near(score->types[SCORE_USR].cost_s, 10802000 * 50e-9L), "cost");
    OK(near(score->types[SCORE_USR].bytes, 10802000 * 24.0L), "bytes of a trace");
    OK(near(score->types[SCORE_USR].most_bytes, 6401000 * 24.0L), "on the rank with most");
    OK(near(score->types[SCORE_SAMPLED].time_s, 0.2L), "time that samples tell of");
    OK(near(score->types[SCORE_ALL].time_s, 2), "all time");
    OK(near(score->now.all, 10804002 * 50e-9L / 2), "share of all");
    OK(near(score->now.most, 6402001 * 50e-9L), "share of the worst");
    EQ_INT(score->now.most_rank, 1, "which that is");
    OK(score->nameless == 0, "all have names");
    score_free(score);
}

static void test_the_least_loss_is_hidden_first(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 0);
    /* small costs 20 ms of 1 s; what is left of tiny 5 ns * 6 M = 30 ms. */
    score_choose(score, 0.09);
    OK(score->reached && score->hidden_count == 1, "one is enough");
    OK(hides(score, "field<int>::operator[](int)"), "it is tiny");
    OK(score->hidden.most <= 0.09L, "the promise is kept");
    score_choose(score, 0.06);
    OK(score->reached && score->hidden_count == 2, "two are needed");
    OK(hides(score, "small # of") && !hides(score, "large"), "small is the next");
    score_choose(score, 0.5);
    OK(score->reached && score->hidden_count == 0, "nothing is hidden if it is cheap");
    score_free(score);
}

static void test_paths_to_mpi_come_last(void)
{
    struct made made;
    make(&made);
    int64_t visits[NODES];
    memcpy(visits, usual_visits, sizeof visits);
    visits[STEP] = visits[TINY] = 1000000;
    visits[SMALL] = 100000;
    make_location(&made, 0, visits, usual_ns);
    make_location(&made, 1, visits, usual_ns);
    struct score *score = score_of(&made, 0);
    /* step costs 50 ms, others 55 ms */
    score_choose(score, 0.08);
    OK(score->reached && !hides(score, "step"), "others are enough");
    score_choose(score, 0.02);
    OK(score->reached && hides(score, "step"), "they are not");
    OK(!hides(score, "main"), "main costs nothing");
    score_free(score);
}

static void test_what_cannot_be_reached(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 0);
    score_choose(score, 0.001);
    OK(!score->reached, "hidden functions cost something as well");
    score_free(score);
}

/* All that the score says, in one line. */
static char *text_of(const struct score *score, double share, const char *filter)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    score_write_text(score, share, filter, 3, 10000, stream);
    fclose(stream);
    return text;
}

static void test_a_cost_that_cannot_be(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 1000);
    score_choose(score, 0.01);
    char *text = text_of(score, 0.01, NULL);
    OK(score->impossible && !score->reached, "visits would take longer than the run");
    OK(strstr(text, "would have taken longer") && strstr(text, "--cost NS says another"),
       "which is said: %s", text);
    OK(!strstr(text, "100 % ") && !strstr(text, "would be left"), "instead of a share");
    free(text);
    score_free(score);
    score = score_of(&made, 50);
    OK(!score->impossible, "but not where there is time for it");
    score_free(score);
}

static void test_the_setting_is_for_shells(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 0);
    score_choose(score, 0.09);
    char *text = text_of(score, 0.09, "my file's.filter");
    OK(strstr(text, "\n    TSPROF_FILTER='my file'\\''s.filter'\n"), "a name with blanks: %s",
       text);
    free(text);
    text = text_of(score, 0.09, "plain.filter");
    OK(strstr(text, "\n    TSPROF_FILTER=plain.filter\n"), "one without");
    free(text);
    score_free(score);
}

static void test_calls_from_what_is_hidden_take_a_walk(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 0);
    score_choose(score, 0.06);
    const long double before = score->hidden.most;
    score_free(score);
    made.nodes[LARGE].parent = SMALL;
    score = score_of(&made, 0);
    score_choose(score, 0.06);
    OK(hides(score, "small # of") && !hides(score, "large"), "a hidden function calls others");
    OK(score->hidden.most > before + 1000 * 300e-9L &&
           score->hidden.most < before + 1000 * 500e-9L,
       "each of these calls costs more");
    score_free(score);
}

static void test_visits_without_path_stay(void)
{
    struct made made;
    make(&made);
    made.costs[0][0].value += 2000000;
    made.costs[0][1].value += 50 * 2000000;
    struct score *score = score_of(&made, 0);
    OK(near(score->nameless, 2000000), "they are counted");
    score_choose(score, 0.05);
    OK(!score->reached && score->hidden.most > 0.1L, "and no filter hides them");
    score_free(score);
}

static void test_where_the_cost_comes_from(void)
{
    struct made made;
    make(&made);
    struct score *score = score_of(&made, 200);
    OK(score->source == SCORE_GIVEN && near(score->visit_ns, 200), "from the user");
    score_free(score);
    made.costs[0][1].value = made.costs[1][1].value = 0;
    score = score_of(&made, 0);
    OK(score->source == SCORE_ASSUMED && near(score->visit_ns, SCORE_ASSUMED_NS), "assumed");
    score_free(score);
}

static void test_nothing_is_instrumented(void)
{
    struct made made;
    make(&made);
    for (size_t n = 0; n < NODES; n++)
        if (made.regions[n].kind == REGION_FUNCTION)
            made.regions[n].group = "";
    made.costs[0][0].value = made.costs[1][0].value = 0;
    struct score *score = score_of(&made, 0);
    score_choose(score, 0.01);
    OK(score->instrumented == 0 && score->now.most == 0, "then it costs nothing");
    OK(near(score->types[SCORE_SAMPLED].time_s, 1.8L), "and all else is sampled");
    score_free(score);
}

static void test_what_has_no_score(void)
{
    struct made made;
    struct error error;
    make(&made);
    made.summary.derived = "diff";
    OK(!score_make(&made.summary, 0, &error), "a difference has none: %s", error.text);
    make(&made);
    made.metrics[VISITS].name = "something";
    OK(!score_make(&made.summary, 0, &error), "nor what has no visits: %s", error.text);
}

/* The rules of a filter hide what the score says, by names that are no patterns. */
static void test_the_filter_hides_it(void)
{
    struct made made;
    struct filter filter;
    char *text;
    size_t size;
    make(&made);
    struct score *score = score_of(&made, 0);
    score_choose(score, 0.06);
    FILE *stream = open_memstream(&text, &size);
    score_write_filter(score, 0.06, stream);
    fclose(stream);
    OK(filter_read(&filter, text, size, NULL, NULL), "it is a filter");
    EQ_INT(filter.count, 2, "with a rule for each");
    for (size_t i = 0; i < score->count; i++) {
        const struct filter_function function = {.name = score->functions[i].name};
        EQ_INT(filter_excludes(&filter, &function), score->functions[i].hidden, "%s",
               score->functions[i].name);
    }
    const struct filter_function other = {.name = "field<int>::operatori(int)"};
    OK(!filter_excludes(&filter, &other), "brackets are no pattern");
    filter_free(&filter);
    free(text);
    score_free(score);
}

int main(void)
{
    test_types_and_costs();
    test_the_least_loss_is_hidden_first();
    test_paths_to_mpi_come_last();
    test_what_cannot_be_reached();
    test_a_cost_that_cannot_be();
    test_the_setting_is_for_shells();
    test_calls_from_what_is_hidden_take_a_walk();
    test_visits_without_path_stay();
    test_where_the_cost_comes_from();
    test_nothing_is_instrumented();
    test_what_has_no_score();
    test_the_filter_hides_it();
    return tap_done();
}
