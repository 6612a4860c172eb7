/* A graph of block characters.  See graph.h. */
#include "report/graph.h"

#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL_COLUMNS 7
#define WIDEST        8 /* columns of one iteration when there are few */
#define EIGHTHS       8 /* a character cell can be filled in eighths */

/* The graph's values by column, in eighths of a row. */
struct bars {
    size_t count;
    unsigned *max, *mean, *min;
};

static size_t drawable(const struct graph *graph)
{
    return graph->columns > LABEL_COLUMNS + 1 ? graph->columns - LABEL_COLUMNS - 1 : 1;
}

static uint64_t end_of(const struct stretch *stretch)
{
    return stretch->first + stretch->length;
}

/* The iteration of the first value; there is one. */
static uint64_t first_of(const struct graph *graph)
{
    return graph->stretches[0].first;
}

static uint64_t count_of(const struct graph *graph)
{
    if (graph->stretch_count == 0)
        return 0;
    return end_of(&graph->stretches[graph->stretch_count - 1]) - first_of(graph);
}

static size_t bar_count(const struct graph *graph)
{
    size_t room = drawable(graph);
    uint64_t count = count_of(graph);
    if (count == 0)
        return 0;
    if (count > room)
        return room;
    size_t width = room / (size_t)count;
    return (size_t)count * (width < WIDEST ? width : WIDEST);
}

/* The iterations that column BAR of COUNT stands for: from *BEGIN up to before *END. */
static void bar_values(const struct graph *graph, size_t bar, size_t count, uint64_t *begin,
                       uint64_t *end)
{
    uint64_t all = count_of(graph), first = first_of(graph);
    *begin = first + (uint64_t)((unsigned __int128)bar * all / count);
    *end = first + (uint64_t)((unsigned __int128)(bar + 1) * all / count);
    if (*end == *begin)
        ++*end;
}

uint64_t graph_iterations_per_column(const struct graph *graph)
{
    uint64_t room = drawable(graph), count = count_of(graph);
    return count <= room ? 1 : (count + room - 1) / room;
}

static double top_of(const struct graph *graph)
{
    double top = 0;
    for (size_t i = 0; i < graph->stretch_count; i++)
        if (graph->stretches[i].max > top)
            top = graph->stretches[i].max;
    return top;
}

/* VALUE as a height in eighths of a row, at least 1 if it is positive. */
static unsigned height(const struct graph *graph, double value, double top)
{
    double eighths = value / top * graph->rows * EIGHTHS;
    if (!(value > 0))
        return 0;
    return eighths < 1 ? 1 : (unsigned)lround(eighths);
}

/* Computes the values of a column; *AT is its first stretch, and becomes its last one. */
static void fill_bar(const struct graph *graph, struct bars *bars, size_t bar, double top,
                     size_t *at)
{
    uint64_t begin, end;
    double max = 0, min = INFINITY, sum = 0, having = 0;
    bar_values(graph, bar, bars->count, &begin, &end);
    while (end_of(&graph->stretches[*at]) <= begin)
        ++*at;
    for (size_t i = *at; i < graph->stretch_count && graph->stretches[i].first < end; i++) {
        const struct stretch *stretch = &graph->stretches[i];
        uint64_t from = stretch->first > begin ? stretch->first : begin;
        uint64_t to = end_of(stretch) < end ? end_of(stretch) : end;
        if (isnan(stretch->max))
            continue;
        max = stretch->max > max ? stretch->max : max;
        min = stretch->min < min ? stretch->min : min;
        sum += stretch->mean * (double)(to - from);
        having += (double)(to - from);
    }
    bars->max[bar] = height(graph, max, top);
    bars->mean[bar] = having > 0 ? height(graph, sum / having, top) : 0;
    bars->min[bar] = having > 0 ? height(graph, min, top) : 0;
}

static struct bars make_bars(const struct graph *graph, double top)
{
    struct bars bars = {.count = bar_count(graph)};
    size_t at = 0;
    bars.max = allocate(bars.count, sizeof *bars.max);
    bars.mean = allocate(bars.count, sizeof *bars.mean);
    bars.min = allocate(bars.count, sizeof *bars.min);
    for (size_t b = 0; b < bars.count; b++)
        fill_bar(graph, &bars, b, top, &at);
    return bars;
}

/*
 * The character of the cell whose lowest eighth is BASE.  The top of the mean is drawn to the
 * eighth; cells below it are drawn as minimum if the minimum fills at least half of them.
 */
static const char *cell(const struct bars *bars, size_t bar, unsigned base)
{
    static const char *const blocks[] = {"", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
    unsigned mean = bars->mean[bar];
    if (mean >= base + EIGHTHS)
        return 2 * bars->min[bar] >= 2 * base + EIGHTHS ? GRAPH_MIN : GRAPH_MEAN;
    if (mean > base)
        return blocks[mean - base];
    return bars->max[bar] > base ? GRAPH_MAX : " ";
}

/* The row's cells, without blanks at its end; those above the means in the style of what
 * stands out. */
static void add_cells(struct text *text, const struct graph *graph, const struct bars *bars,
                      unsigned base)
{
    size_t used = bars->count;
    bool styled = false;
    while (used > 0 && bars->max[used - 1] <= base && bars->mean[used - 1] <= base)
        used--;
    for (size_t b = 0; b < used; b++) {
        const char *shown = cell(bars, b, base);
        bool above = strcmp(shown, GRAPH_MAX) == 0;
        if (above != styled)
            text_add(text,
                     above ? graph->palette->begin[STYLE_ATTENTION] : graph->palette->end);
        styled = above;
        text_add(text, shown);
    }
    text_add(text, styled ? graph->palette->end : "");
}

static void add_label(struct text *text, double value, const char *unit)
{
    char label[QUANTITY_SIZE];
    text_add_right(text, format_quantity(label, value, unit), LABEL_COLUMNS);
    text_add(text, "┤");
}

static void add_row(struct text *text, const struct graph *graph, const struct bars *bars,
                    double top, unsigned row)
{
    bool labelled = row == graph->rows || 2 * row == graph->rows;
    if (labelled) {
        add_label(text, top * row / graph->rows, graph->unit);
    } else {
        text_add_repeated(text, " ", LABEL_COLUMNS);
        text_add(text, "│");
    }
    add_cells(text, graph, bars, (row - 1) * EIGHTHS);
    text_add(text, "\n");
}

/* The line below the graph: the first and the last iteration under their columns, with a title
 * between them if it fits. */
static void add_axis(struct text *text, const struct graph *graph, size_t columns)
{
    char first[32], last[32];
    static const char title[] = "iteration";
    uint64_t count = count_of(graph);
    snprintf(first, sizeof first, "%" PRIu64, first_of(graph));
    snprintf(last, sizeof last, "%" PRIu64, first_of(graph) + count - 1);
    text_add_right(text, "0", LABEL_COLUMNS);
    text_add(text, "└");
    text_add_repeated(text, "─", columns);
    text_add(text, "\n");
    text_add_repeated(text, " ", LABEL_COLUMNS + 1);
    text_add(text, first);
    size_t used = strlen(first);
    if (columns >= used + strlen(title) + strlen(last) + 4) {
        size_t middle = (columns - strlen(title)) / 2;
        middle = middle > used + 1 ? middle : used + 2;
        text_add_repeated(text, " ", middle - used);
        text_add(text, title);
        used = middle + strlen(title);
    }
    if (count > 1) {
        text_add_repeated(text, " ",
                          columns > used + strlen(last) ? columns - used - strlen(last) : 1);
        text_add(text, last);
    }
    text_add(text, "\n");
}

void graph_add(struct text *text, const struct graph *graph)
{
    double top = top_of(graph);
    if (!(top > 0) || isinf(top))
        return;
    struct bars bars = make_bars(graph, top);
    for (unsigned row = graph->rows; row > 0; row--)
        add_row(text, graph, &bars, top, row);
    add_axis(text, graph, bars.count);
    free(bars.max);
    free(bars.mean);
    free(bars.min);
}
