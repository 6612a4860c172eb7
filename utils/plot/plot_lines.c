/* Three lines and the area between them.  See plot_lines.h. */
#include "plot/plot_lines.h"

#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Between the largest and the smallest, or below a line alone. */
#define COLOR_BETWEEN 0xe4eef6u
#define LINE_WIDTH    1.5

static const struct {
    const char *class;
    rgb color;
} styles[LINES] = {[LINE_HIGH] = {"high", COLOR_VERMILION},
                   [LINE_MIDDLE] = {"middle", COLOR_BLUE},
                   [LINE_LOW] = {"low", COLOR_GREEN}};

void lines_begin(struct lines *lines, const struct plot *plot, uint64_t first, uint64_t end)
{
    *lines = (struct lines){.division = divide(first, end, (size_t)frame_least_width(plot)),
                            .statistics = {STATISTIC_MAX, plot->statistic, STATISTIC_MIN}};
    for (size_t l = 0; l < LINES; l++)
        bins_begin(&lines->bins[l], &lines->division, lines->statistics[l] == STATISTIC_MEDIAN);
}

void lines_free(struct lines *lines)
{
    for (size_t l = 0; l < LINES; l++)
        bins_free(&lines->bins[l]);
}

void lines_add(struct lines *lines, uint64_t at, uint64_t length, struct tally *over)
{
    for (size_t l = 0; l < LINES; l++)
        bins_add(&lines->bins[l], at, length, tally_value(over, lines->statistics[l]));
}

static void add_note(const struct lines *lines, struct plot *plot, const char *things)
{
    const char *middle = statistic_name(plot->statistic);
    if (lines->division.each == 1)
        return;
    text_addf(&plot->notes,
              "Each column of the graph stands for %" PRIu64 " %ss: ", lines->division.each,
              things);
    if (lines->alone)
        text_addf(&plot->notes, "the %s of their values.\n", middle);
    else
        text_addf(&plot->notes,
                  "the largest maximum, the %s of the %ss and the smallest minimum.\n", middle,
                  middle);
}

static void find_ends(double *const values[LINES], size_t count, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < count; i++) {
        *low = fmin(*low, values[LINE_LOW][i]);
        *high = fmax(*high, values[LINE_HIGH][i]);
    }
}

static void draw_group(const struct frame *frame, const struct lines *lines, size_t line,
                       const double *values)
{
    canvas_begin_group(frame->plot->canvas, styles[line].class, "");
    frame_steps(frame, &lines->division, values, styles[line].color, LINE_WIDTH);
    canvas_end_group(frame->plot->canvas);
}

static void draw_values(const struct frame *frame, const struct lines *lines,
                        double *const values[LINES])
{
    struct canvas *canvas = frame->plot->canvas;
    double *zero = NULL;
    /* Without zero on the axis, an area below the line would have no meaningful lower end. */
    if (lines->alone)
        zero = allocate(lines->division.count, sizeof *zero);
    if (!lines->alone || frame->plot->scale == SCALE_ZERO) {
        canvas_begin_group(canvas, "between", "");
        frame_band(frame, &lines->division, zero ? zero : values[LINE_LOW],
                   values[zero ? LINE_MIDDLE : LINE_HIGH], COLOR_BETWEEN);
        canvas_end_group(canvas);
    }
    free(zero);
    /* The middle last: where lines coincide it is the one that is seen, as in the page. */
    const size_t order[LINES] = {LINE_HIGH, LINE_LOW, LINE_MIDDLE};
    for (size_t i = 0; i < LINES; i++)
        if (!lines->alone || order[i] == LINE_MIDDLE)
            draw_group(frame, lines, order[i], values[order[i]]);
}

static void draw_picture(const struct lines *lines, struct plot *plot,
                         const struct lines_words *words, double *const values[LINES])
{
    const struct legend_item legend[LINES] = {
        {styles[LINE_HIGH].color, words->over, true},
        {styles[LINE_MIDDLE].color, statistic_name(plot->statistic), true},
        {styles[LINE_LOW].color, "minimum", true}};
    struct frame frame;
    struct text title = {0};
    double low, high;
    find_ends(values, lines->division.count, &low, &high);
    text_addf(&title, "%s %s", plot->summary->metrics[plot->metric].name, plot->each);
    struct axis across =
        axis_of_numbers(words->things, &lines->division, frame_least_width(plot), NUMBER_ROOM);
    struct axis up = axis_of_values(plot, &title, low, high);
    frame_begin(&frame, plot, &across, &up, legend, lines->alone ? 0 : LINES, 0);
    frame_grid(&frame);
    draw_values(&frame, lines, values);
    frame_end(&frame);
    text_free(&title);
}

void lines_draw(struct lines *lines, struct plot *plot, const struct lines_words *words)
{
    double *values[LINES];
    for (size_t l = 0; l < LINES; l++)
        values[l] = bins_values(&lines->bins[l], lines->statistics[l]);
    add_note(lines, plot, words->things);
    draw_picture(lines, plot, words, values);
    for (size_t l = 0; l < LINES; l++)
        free(values[l]);
}
