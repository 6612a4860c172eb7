/* What proposed series take away, of trees that are larger than what is added up at once. */
#include "encode/taken_away.h"

#include "tap.h"
#include "tests/unit/libprof/timed_thread.h"

#include <stdlib.h>

enum { PATHS = 5000, ITERATIONS = 7 };

static struct thread *thread;
static int64_t *expected; /* by cell */

static uint32_t path(uint64_t site)
{
    return cct_child_async(&thread->tree, CCT_ROOT, NODE_FUNCTION, 1, site << 48, LAYOUT_FRAME,
                           METRIC_none);
}

/* An iteration NUMBER of SERIES in which some call paths occur. */
static void add_iteration(uint32_t series, uint64_t number)
{
    struct queued_iteration entry = {.series = series};
    uint32_t *cells = calloc(PATHS, sizeof *cells);
    int64_t *values = calloc(PATHS, sizeof *values);
    for (uint64_t i = number; i < PATHS; i += 1 + number) {
        const size_t nth = entry.profile.cell_count++;
        cells[nth] = thread->tree.nodes[path(i + 1)].cell + (uint32_t)number % 2;
        values[nth] = (int64_t)(i * number) - 1000;
        expected[cells[nth]] += values[nth];
    }
    entry.profile.cells = cells;
    entry.profile.values = values;
    iteration_hand_over_async(thread, &entry);
    free(cells);
    free(values);
}

static void check(const struct proposal *proposed, const char *what)
{
    static int64_t room[PROPOSED_CELLS];
    const struct cct *tree = &thread->tree;
    struct taken_away taken = {.proposed = proposed, .values = room};
    struct encoder out = {0};
    uint32_t wrong = 0, moves = 0;
    for (int passes = 0; passes < 2; passes++)
        for (uint32_t node = 0; node < tree->node_count; node++) {
            const uint32_t end = taken.end;
            const int64_t *values = taken_away_async(&taken, tree, node, &out);
            moves += taken.end != end;
            for (unsigned n = 0; n < layout_table[tree->nodes[node].layout].cells; n++)
                wrong += values[n] != expected[tree->nodes[node].cell + n];
        }
    EQ_INT(wrong, 0, "%s: the sums are those of all clusters", what);
    OK(moves >= 2 * (tree->cell_count / PROPOSED_CELLS), "%s: of some call paths at a time",
       what);
}

int main(void)
{
    struct proposal proposed = {.count = 2};
    timed_start();
    thread = timed_attach();
    for (uint64_t i = 0; i < PATHS; i++)
        path(i + 1);
    expected = calloc(thread->tree.cell_count, sizeof *expected);
    for (uint32_t number = 0; number < proposed.count; number++) {
        struct series *series = &thread->iterations->series[number];
        NEED(series_begin_async(thread, series, false));
        for (uint64_t i = 0; i < ITERATIONS; i++)
            add_iteration(number, i + number);
        proposed.series[number] = *series;
    }
    check(&proposed, "two series");
    free(expected);
    return tap_done();
}
