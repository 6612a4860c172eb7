/* The table of locations.  See info.h. */
#include "file/file.h"
#include "info/info.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ROWS 20

struct column {
    const char *title;
    size_t columns;
};

static const struct column columns[] = {{"rank", 5},         {"thread", 7}, {"wall", 9},
                                        {"computation", 12}, {"MPI", 9},    {"overhead", 9},
                                        {"samples", 8},      {"calls", 9},  {"iterations", 12}};

#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

/* One row being built, from the left. */
struct row {
    struct text text;
    size_t cells;
};

static void add_cell(struct row *row, const char *cell)
{
    text_add_right(&row->text, cell, columns[row->cells++].columns);
}

static void add_count(struct row *row, uint64_t count)
{
    char cell[QUANTITY_SIZE];
    snprintf(cell, sizeof cell, "%" PRIu64, count);
    add_cell(row, cell);
}

/* The value of a metric that the summary may not have. */
static void add_metric(struct row *row, const struct summary *summary, const int64_t *values,
                       const char *name)
{
    char cell[QUANTITY_SIZE] = "-";
    uint32_t metric = summary_metric(summary, name);
    if (metric != SUMMARY_NONE)
        format_quantity(cell, shown_value(summary, metric, (long double)values[metric], 1),
                        summary->metrics[metric].unit);
    add_cell(row, cell);
}

static void print_row(struct row *row)
{
    printf("%s\n", text_string(&row->text));
    text_free(&row->text);
}

/* "36", or "36 of 40" where the thread was absent from some or their profiles were lost. */
static void add_iterations(struct row *row, const struct location *location)
{
    uint64_t all = 0, lost = 0;
    char cell[QUANTITY_SIZE];
    for (size_t i = 0; i < location->series_count; i++) {
        all += location->series[i].iterations;
        lost += location->series[i].lost;
    }
    if (lost)
        snprintf(cell, sizeof cell, " %" PRIu64 " of %" PRIu64, all - lost, all);
    else
        snprintf(cell, sizeof cell, "%" PRIu64, all);
    add_cell(row, cell);
}

static void print_location(const struct summary *summary, const struct location *location)
{
    struct row row = {{0}, 0};
    char wall[QUANTITY_SIZE];
    int64_t *values = profile_inclusive(summary, &location->whole);
    add_count(&row, location->rank);
    add_count(&row, location->thread);
    add_cell(&row, format_quantity(wall, (long double)location->wall_ns / 1e9L, "s"));
    add_metric(&row, summary, values, "computation");
    add_metric(&row, summary, values, "mpi");
    add_metric(&row, summary, values, "overhead");
    add_metric(&row, summary, values, "samples");
    add_count(&row, location_cost(location, "calls"));
    add_iterations(&row, location);
    print_row(&row);
    free(values);
}

void info_threads(const struct selection *selection)
{
    struct row head = {{0}, 0};
    size_t shown = 0, all = selection_locations(selection);
    while (head.cells < COLUMN_COUNT)
        add_cell(&head, columns[head.cells].title);
    print_row(&head);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count && shown < MOST_ROWS; i++, shown++)
            print_location(selection->summary,
                           &selection->summary->locations[selection->ranks[r].first + i]);
    if (shown < all)
        printf("  and %zu more; --rank and --thread choose\n", all - shown);
}
