/*
 * The largest values of call paths in the numbers of another summary: those of call paths that
 * become one are left out.  In how many iterations those occurred has bounds.
 */
#include "parts/renumber.h"

#include "assemble/resolve.h"
#include "tap.h"

static void test_largest_values(void)
{
    struct largest largest[] = {{.node = 3, .metric = 1, .value = 30, .iteration = 7},
                                {.node = 1, .metric = 1, .value = 10, .iteration = 5},
                                {.node = 2, .metric = 1, .value = 20, .iteration = 6},
                                {.node = 2, .metric = 0, .value = 21, .iteration = 8}};
    struct series series = {
        .parent_phase = SUMMARY_NONE, .largest = largest, .largest_count = 4};
    struct location location = {.series = &series, .series_count = 1};
    const uint32_t nodes[] = {0, 9, 9 | RESOLVED_LEFT_OUT, 4}, phases[] = {0},
                   metrics[] = {5, 6};
    location_renumber(&location, &(struct renumbering){nodes, phases, metrics, 7});
    NEED(series.largest_count == 2);
    EQ_INT(largest[0].node, 4, "a call path has its new number");
    EQ_INT(largest[0].metric, 6, "and the metric's");
    EQ_INT(largest[0].value, 30, "its value");
    EQ_INT(largest[0].iteration, 7, "and its iteration");
    EQ_INT(largest[1].node, 9, "two that became one");
    EQ_INT(largest[1].metric, 5, "have none but of what only one of them had");
}

static const struct occurrence *said_of(const struct cluster *cluster, uint32_t node)
{
    for (size_t i = 0; i < cluster->occurrence_count; i++)
        if (cluster->occurrences[i].node == node)
            return &cluster->occurrences[i];
    return NULL;
}

/* Of ten iterations; nodes 1 to 6 have values but for 5, of 2 nothing is told: it is in all. */
static void test_presence(void)
{
    struct cell cells[] = {{1, 0, 9}, {2, 0, 9}, {3, 0, 9}, {4, 0, 9}, {6, 0, 9}};
    struct occurrence told[] = {{1, 3, 3}, {3, 4, 4}, {4, 9, 9}, {5, 10, 10}, {6, 2, 2}};
    struct cluster cluster = {.size = 10,
                              .sums = {cells, 5},
                              .occurrences = told,
                              .occurrence_count = 5,
                              .presence_known = true};
    struct series series = {
        .parent_phase = SUMMARY_NONE, .clusters = &cluster, .cluster_count = 1};
    struct location location = {.series = &series, .series_count = 1};
    /* 1 and 2 become one, 3 and 4, and 6 is a frame that is left out below 5. */
    const uint32_t nodes[] = {0, 21, 21, 22, 22, 23, 23 | RESOLVED_LEFT_OUT}, phases[] = {0},
                   metrics[] = {0};
    location_renumber(&location, &(struct renumbering){nodes, phases, metrics, 7});
    OK(!said_of(&cluster, 21), "what becomes one with what is in all is in all");
    const struct occurrence *joined = said_of(&cluster, 22);
    NEED(joined);
    EQ_INT(joined->least, 9, "what becomes one is there at least as often as either");
    EQ_INT(joined->most, 10, "and at most as often as both");
    OK(!said_of(&cluster, 23), "what is left out adds nothing to what it is left out below");
    EQ_INT(cluster.occurrence_count, 1, "nothing else is told");
}

int main(void)
{
    test_largest_values();
    test_presence();
    return tap_done();
}
