/* A graph of block characters.  See graph.h. */
#include "graph.h"

#include "memory.h"

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
    unsigned *max, *mean;
};

static size_t drawable(const struct graph *graph)
{
    return graph->columns > LABEL_COLUMNS + 1 ? graph->columns - LABEL_COLUMNS - 1 : 1;
}

static size_t bar_count(const struct graph *graph)
{
    size_t room = drawable(graph);
    if (graph->count == 0)
        return 0;
    if (graph->count > room)
        return room;
    size_t width = room / graph->count;
    return graph->count * (width < WIDEST ? width : WIDEST);
}

/* The values that column BAR of COUNT stands for: from *BEGIN up to before *END. */
static void bar_values(const struct graph *graph, size_t bar, size_t count, size_t *begin,
                       size_t *end)
{
    *begin = (size_t)((unsigned __int128)bar * graph->count / count);
    *end = (size_t)((unsigned __int128)(bar + 1) * graph->count / count);
    if (*end == *begin)
        ++*end;
}

size_t graph_iterations_per_column(const struct graph *graph)
{
    size_t room = drawable(graph);
    return graph->count <= room ? 1 : (graph->count + room - 1) / room;
}

static double top_of(const struct graph *graph)
{
    double top = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->max[i] > top)
            top = graph->max[i];
    return top;
}

/* VALUE as a height in eighths of a row; what is there at all is at least one high. */
static unsigned height(const struct graph *graph, double value, double top)
{
    double eighths = value / top * graph->rows * EIGHTHS;
    if (!(value > 0))
        return 0;
    return eighths < 1 ? 1 : (unsigned)lround(eighths);
}

static struct bars make_bars(const struct graph *graph, double top)
{
    struct bars bars = {.count = bar_count(graph)};
    bars.max = allocate(bars.count, sizeof *bars.max);
    bars.mean = allocate(bars.count, sizeof *bars.mean);
    for (size_t b = 0; b < bars.count; b++) {
        size_t begin, end, having = 0;
        double max = 0, sum = 0;
        bar_values(graph, b, bars.count, &begin, &end);
        for (size_t i = begin; i < end; i++) {
            if (isnan(graph->max[i]))
                continue;
            max = graph->max[i] > max ? graph->max[i] : max;
            sum += graph->mean[i];
            having++;
        }
        bars.max[b] = height(graph, max, top);
        bars.mean[b] = having ? height(graph, sum / (double)having, top) : 0;
    }
    return bars;
}

static const char *cell(unsigned max, unsigned mean, unsigned base)
{
    static const char *const blocks[] = {"", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
    if (mean >= base + EIGHTHS)
        return "█";
    if (mean > base)
        return blocks[mean - base];
    return max > base ? "░" : " ";
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
    struct text line = {0};
    if (labelled) {
        add_label(&line, top * row / graph->rows, graph->unit);
    } else {
        text_add_repeated(&line, " ", LABEL_COLUMNS);
        text_add(&line, "│");
    }
    for (size_t b = 0; b < bars->count; b++)
        text_add(&line, cell(bars->max[b], bars->mean[b], (row - 1) * EIGHTHS));
    while (line.length && line.bytes[line.length - 1] == ' ')
        line.bytes[--line.length] = '\0';
    text_addf(text, "%s\n", text_string(&line));
    text_free(&line);
}

/* The line below: first and last iteration under their columns, a title between if it fits. */
static void add_axis(struct text *text, const struct graph *graph, size_t columns)
{
    char first[32], last[32];
    static const char title[] = "iteration";
    snprintf(first, sizeof first, "%" PRIu64, graph->first);
    snprintf(last, sizeof last, "%" PRIu64, graph->first + graph->count - 1);
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
    if (graph->count > 1) {
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
}
