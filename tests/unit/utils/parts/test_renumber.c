/*
 * The largest values of call paths in the numbers of another summary: those of call paths that
 * become one are left out.
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

int main(void)
{
    test_largest_values();
    return tap_done();
}
