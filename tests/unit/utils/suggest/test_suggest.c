/* What is worth a trace: what was put into a run, and not the same thing twice. */
#include "suggest/suggest.h"

#include "base/base.h"
#include "tap.h"
#include "tests/unit/utils/findings/findings_checks.h"

#include <stdlib.h>
#include <string.h>

/* Suggestions for a made summary. */
struct suggested {
    struct found found;
    struct suggestions *suggestions;
};

static void suggest(struct suggested *made, uint32_t ranks, uint64_t iterations,
                    made_rule *rule, size_t most)
{
    made->found = found_made(ranks, iterations, rule, 1);
    made->suggestions = suggestions_make(&made->found.selection, made->found.tree, 0, most);
    suggestions_write_text(made->suggestions, 100, stderr);
}

static void forget(struct suggested *made)
{
    suggestions_free(made->suggestions);
    found_forget(&made->found);
}

/* The first suggestion for REASON, or NULL. */
static const struct suggestion *find(const struct suggested *made, const char *reason)
{
    for (size_t i = 0; i < made->suggestions->count; i++)
        if (strcmp(made->suggestions->list[i].reason, reason) == 0)
            return &made->suggestions->list[i];
    return NULL;
}

static bool is_only(const struct suggestion *suggestion, uint64_t first, uint64_t last)
{
    return suggestion && suggestion->range_count == 1 && suggestion->ranges[0].first == first &&
           suggestion->ranges[0].last == last;
}

static size_t count_of(const struct suggested *made, const char *reason)
{
    size_t count = 0;
    for (size_t i = 0; i < made->suggestions->count; i++)
        count += strcmp(made->suggestions->list[i].reason, reason) == 0;
    return count;
}

static void check_setting(const struct suggested *made, const char *wanted, const char *what)
{
    struct text setting = {0};
    suggestions_add_setting(made->suggestions, &setting);
    OK(strcmp(text_string(&setting), wanted) == 0, "%s: %s", what, text_string(&setting));
    text_free(&setting);
}

static struct made_iteration steady(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank, (void)iteration;
    return flat(random);
}

static void test_a_steady_run_has_one_typical_iteration(void)
{
    struct suggested made;
    suggest(&made, 4, 300, steady, 8);
    EQ_INT(made.suggestions->count, 1, "one suggestion");
    const struct suggestion *typical = find(&made, "typical");
    OK(typical && strstr(text_string(&typical->text), "like all 300 iterations"),
       "which says that all are like it");
    forget(&made);
}

static struct made_iteration with_outlier(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= iteration == 57 && rank == 3 ? 3 : 1;
    return made;
}

static void test_an_outlier(void)
{
    struct suggested made;
    suggest(&made, 8, 300, with_outlier, 8);
    OK(is_only(find(&made, "slow_iterations"), 57, 57), "the slow iteration");
    EQ_INT(made.suggestions->count, 2, "and what it can be compared with, and no more");
    OK(made.suggestions->list[0].reason == find(&made, "typical")->reason,
       "what is typical first");
    forget(&made);
}

static struct made_iteration with_step(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= iteration >= 120 ? 1.5 : 1;
    return made;
}

static void test_a_step_has_its_border_and_both_sides(void)
{
    struct suggested made;
    suggest(&made, 4, 400, with_step, 8);
    OK(is_only(find(&made, "step"), 119, 120), "the last before it and the first after it");
    EQ_INT(count_of(&made, "typical"), 2, "a typical iteration of each side");
    if (made.suggestions->count == 3) {
        const struct range *first = &made.suggestions->list[0].ranges[0],
                           *other = &made.suggestions->list[2].ranges[0];
        OK((first->first >= 120) != (other->first >= 120), "one before it and one after it");
    }
    forget(&made);
}

static struct made_iteration with_drift(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= 1 + (double)iteration / 1000;
    return made;
}

static void test_a_drift_has_both_ends(void)
{
    struct suggested made;
    suggest(&made, 4, 1000, with_drift, 8);
    const struct suggestion *drift = find(&made, "drift");
    OK(drift && drift->range_count == 2 && drift->ranges[0].first <= 100 &&
           drift->ranges[1].last >= 899 && drift->ranges[1].last < 1000,
       "an iteration of its first tenth and one of its last");
    forget(&made);
}

static struct made_iteration for_a_while(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= iteration >= 300 && iteration < 420 ? 2 : 1;
    return made;
}

static void test_a_range_has_its_border(void)
{
    struct suggested made;
    suggest(&made, 4, 1000, for_a_while, 8);
    OK(is_only(find(&made, "range"), 299, 300), "the last before it and its first");
    forget(&made);
}

/* Rank 2 has more and more, the others less and less. */
static struct made_iteration growing(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    const double more = rank == 2 ? 3 : rank == 3 ? -1 : -0.5;
    made.solve *= 1 + 0.2 * more * (double)iteration / 400;
    return made;
}

/* The slowest rank's time grows with it, of which the same iterations tell. */
static void test_a_growing_imbalance_has_both_ends(void)
{
    struct suggested made;
    suggest(&made, 6, 400, growing, 8);
    const struct suggestion *growth = find(&made, "drift");
    OK(growth && strstr(text_string(&growth->text), "The imbalance of computation grows from "),
       "a growing imbalance is told with the drift that it is");
    OK(growth && growth->range_count == 2 && growth->ranges[0].first <= 40 &&
           growth->ranges[1].last >= 359 && growth->ranges[1].last < 400,
       "an iteration where it is small and one where it is large");
    EQ_INT(count_of(&made, "growing_imbalance"), 0, "and not twice");
    forget(&made);
}

/* The others have less and less, and wait for rank 2: iterations take as long as ever. */
static struct made_iteration emptying(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank == 2 ? 1 : 1 - 0.5 * (double)iteration / 400;
    return made;
}

static void test_a_growing_imbalance_alone_has_both_ends(void)
{
    struct suggested made;
    suggest(&made, 6, 400, emptying, 8);
    EQ_INT(count_of(&made, "drift"), 0, "iterations do not take longer");
    const struct suggestion *growth = find(&made, "growing_imbalance");
    OK(growth && growth->range_count == 2 && growth->ranges[0].first <= 40 &&
           growth->ranges[1].last >= 359 && growth->ranges[1].last < 400,
       "an iteration where the imbalance is small and one where it is large");
    forget(&made);
}

/* Each of four ranks has most for 100 iterations. */
static struct made_iteration moving(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank == iteration / 100 % 4 ? 1.6 : 1;
    return made;
}

static void test_a_rank_that_moves_has_one_of_each(void)
{
    struct suggested made;
    bool has[5] = {false};
    suggest(&made, 4, 500, moving, 8);
    const struct suggestion *turns = find(&made, "moving_rank");
    EQ_INT(turns ? turns->range_count : 0, 3, "three iterations");
    for (size_t i = 0; turns && i < turns->range_count; i++)
        has[turns->ranges[i].first / 100] = true;
    OK(has[0] + has[1] + has[2] + has[3] + has[4] == 3, "each of another rank's");
    forget(&made);
}

static struct made_iteration slow_for_a_while(uint32_t rank, uint64_t iteration,
                                              uint64_t *random)
{
    struct made_iteration made = flat(random);
    made.solve *= rank == 1 && iteration >= 100 && iteration < 250 ? 1.5 : 1;
    return made;
}

static struct made_iteration always_slow(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)iteration;
    struct made_iteration made = flat(random);
    made.solve *= rank == 1 ? 1.5 : 1;
    return made;
}

static void test_a_slow_rank_has_one_unless_it_always_is(void)
{
    struct suggested made;
    suggest(&made, 2, 600, slow_for_a_while, 8);
    const struct suggestion *slow = find(&made, "slow_ranks");
    OK(slow && slow->range_count == 1 && slow->ranges[0].first >= 100 &&
           slow->ranges[0].last < 250,
       "an iteration in which the rank is slow");
    forget(&made);
    suggest(&made, 6, 300, always_slow, 8);
    OK(!find(&made, "slow_ranks"), "none if it always is");
    forget(&made);
}

/* Three kinds of iterations, in turns of 40. */
static struct made_iteration kinds(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    static const double factors[] = {1, 1.6, 3};
    (void)rank;
    struct made_iteration made = flat(random);
    made.solve *= factors[iteration / 40 % 3];
    return made;
}

static void test_each_large_group_has_one(void)
{
    struct suggested made;
    suggest(&made, 4, 480, kinds, 20);
    bool has[3] = {false};
    for (size_t i = 0; i < made.suggestions->count; i++)
        if (strcmp(made.suggestions->list[i].reason, "typical") == 0)
            has[made.suggestions->list[i].ranges[0].first / 40 % 3] = true;
    EQ_INT(count_of(&made, "typical"), 3, "three typical iterations");
    OK(has[0] && has[1] && has[2], "one of each kind");
    forget(&made);
}

/* The same total on all ranks together, in other parts of the iteration. */
static struct made_iteration moved(uint32_t rank, uint64_t iteration, uint64_t *random)
{
    (void)rank;
    struct made_iteration made = flat(random);
    if (iteration % 40 >= 20) {
        made.send += made.solve / 2;
        made.solve /= 2;
    }
    return made;
}

static void test_groups_differ_by_what_they_do_not_by_time_alone(void)
{
    struct suggested made;
    suggest(&made, 4, 400, moved, 20);
    EQ_INT(count_of(&made, "typical"), 2, "two groups that take the same time");
    forget(&made);
}

static void test_as_many_as_were_asked_for(void)
{
    struct suggested made;
    suggest(&made, 4, 480, kinds, 2);
    EQ_INT(made.suggestions->count, 2, "two");
    OK(made.suggestions->left_out > 0, "it is known that there are more");
    forget(&made);
}

static void test_few_iterations_have_suggestions_too(void)
{
    struct suggested made;
    suggest(&made, 2, 3, steady, 8);
    EQ_INT(made.suggestions->count, 1, "of three alike, one");
    forget(&made);
    suggest(&made, 2, 1, steady, 8);
    check_setting(&made, "TSPROF_TRACE=step:0", "a single iteration is itself");
    EQ_INT(made.suggestions->size.all, 2, "a marker on each rank");
    EQ_INT(made.suggestions->size.most, 1, "one of them on a rank");
    forget(&made);
}

static void test_the_setting_has_each_iteration_once(void)
{
    struct suggested made;
    suggest(&made, 8, 300, with_outlier, 8);
    struct suggestions *list = made.suggestions;
    list->ranges = reallocate(list->ranges, 3, sizeof *list->ranges);
    list->ranges[0] = (struct range){12, 12};
    list->ranges[1] = (struct range){57, 57};
    list->ranges[2] = (struct range){100, 109};
    list->range_count = 3;
    check_setting(&made, "TSPROF_TRACE=step:12,57,100-109", "ranges");
    list->size.most = (double)(3 << 20);
    check_setting(&made, "TSPROF_TRACE=step:12,57,100-109 TSPROF_TRACE_MEMORY=72M",
                  "more memory where the default is too small");
    made.found.made->summary.phases[0].name = "it's a step";
    list->size.most = 1;
    check_setting(&made, "TSPROF_TRACE='it'\\''s a step:12,57,100-109'", "as a shell takes it");
    forget(&made);
}

int main(void)
{
    test_a_steady_run_has_one_typical_iteration();
    test_an_outlier();
    test_a_step_has_its_border_and_both_sides();
    test_a_drift_has_both_ends();
    test_a_range_has_its_border();
    test_a_growing_imbalance_has_both_ends();
    test_a_growing_imbalance_alone_has_both_ends();
    test_a_rank_that_moves_has_one_of_each();
    test_a_slow_rank_has_one_unless_it_always_is();
    test_each_large_group_has_one();
    test_groups_differ_by_what_they_do_not_by_time_alone();
    test_as_many_as_were_asked_for();
    test_few_iterations_have_suggestions_too();
    test_the_setting_has_each_iteration_once();
    return tap_done();
}
