/* A bar of colours with its values.  See plot_bar.h. */
#include "plot/plot_bar.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

#define GAP        16.0
#define BAR_WIDTH  16.0
#define TICK       4.0
#define CAP        8.0
#define MOST_TICKS 8
#define QUARTERS   4

/* The bar being drawn: where its ticks begin, how high it is, and what values are divided by.
 */
struct bar {
    struct plot *plot;
    const struct color_scale *scale;
    double x, y, height, factor;
    double widest; /* label so far */
};

static void draw_tick(struct bar *bar, double share, const char *label)
{
    struct canvas *canvas = bar->plot->canvas;
    struct font font = {.size = LABEL_SIZE, .color = COLOR_TEXT};
    double y = bar->y + bar->height * (1 - share);
    canvas_move(canvas, bar->x, y);
    canvas_line(canvas, bar->x + TICK, y);
    canvas_stroke(canvas, COLOR_FRAME, 1);
    canvas_text(canvas, bar->x + TICK + 3, y + LABEL_SIZE * 0.35, &font, label);
    bar->widest = fmax(bar->widest, canvas_text_width(canvas, &font, label));
}

/* Formats the value at SHARE with three digits. */
static void draw_value(struct bar *bar, double share)
{
    char label[TICK_SIZE];
    double value = color_scale_value(bar->scale, share) / bar->factor;
    snprintf(label, sizeof label, "%s%.3g", value < 0 ? "−" : "", fabs(value));
    draw_tick(bar, share, label);
}

/* Even steps in value. */
static void draw_steps(struct bar *bar)
{
    double low = bar->scale->low / bar->factor, high = bar->scale->high / bar->factor;
    struct ticks ticks = ticks_make(low, high, MOST_TICKS, false);
    for (size_t i = 0; i < ticks.count; i++) {
        char label[TICK_SIZE];
        double value = ticks_at(&ticks, i);
        draw_tick(bar, (value - low) / (high - low), tick_label(label, &ticks, value));
    }
}

static void draw_labels(struct bar *bar)
{
    if (bar->scale->high <= bar->scale->low) {
        draw_value(bar, 0);
        return;
    }
    if (bar->scale->coloring != COLORING_EQUALIZED) {
        draw_steps(bar);
        return;
    }
    for (int i = 0; i <= QUARTERS; i++)
        draw_value(bar, (double)i / QUARTERS);
}

/* A triangle at an end of the bar, at Y, in the colour of the values beyond it. */
static void draw_cap(const struct bar *bar, double y, double height, rgb color)
{
    struct canvas *canvas = bar->plot->canvas;
    double x = bar->x - BAR_WIDTH;
    canvas_move(canvas, x, y);
    canvas_line(canvas, bar->x, y);
    canvas_line(canvas, x + BAR_WIDTH / 2, y + height);
    canvas_fill(canvas, color);
}

static void draw_colors(const struct bar *bar)
{
    struct canvas *canvas = bar->plot->canvas;
    uint8_t pixels[COLOR_STEPS];
    struct raster raster = {&bar->scale->palette, 1, COLOR_STEPS, pixels};
    double x = bar->x - BAR_WIDTH;
    for (size_t i = 0; i < COLOR_STEPS; i++)
        pixels[i] = (uint8_t)(COLOR_STEPS - i);
    canvas_image(canvas, x, bar->y, BAR_WIDTH, bar->height, &raster);
    if (bar->scale->largest > bar->scale->high)
        draw_cap(bar, bar->y, -CAP, COLOR_TOO_LARGE);
    if (bar->scale->least < bar->scale->low)
        draw_cap(bar, bar->y + bar->height, CAP, COLOR_TOO_SMALL);
    canvas_move(canvas, x, bar->y);
    canvas_line(canvas, bar->x, bar->y);
    canvas_line(canvas, bar->x, bar->y + bar->height);
    canvas_line(canvas, x, bar->y + bar->height);
    canvas_line(canvas, x, bar->y);
    canvas_stroke(canvas, COLOR_FRAME, 1);
}

static void draw_title(const struct bar *bar, const char *title, const char *unit)
{
    struct font font = {
        .size = LABEL_SIZE, .anchor = ANCHOR_MIDDLE, .upwards = true, .color = COLOR_TEXT};
    struct text whole = {0}, shortened = {0};
    text_add(&whole, title);
    if (unit[0])
        text_addf(&whole, " (%s)", unit);
    canvas_shorten(bar->plot->canvas, &font, text_string(&whole), bar->height, &shortened);
    canvas_text(bar->plot->canvas, bar->x + TICK + 6 + bar->widest + LABEL_SIZE,
                bar->y + bar->height / 2, &font, text_string(&shortened));
    text_free(&whole);
    text_free(&shortened);
}

void plot_bar(struct plot *plot, double x, double y, double height,
              const struct color_scale *scale, const char *title)
{
    char unit[UNIT_SIZE], attributes[100];
    if (isnan(scale->low))
        return;
    struct bar bar = {plot, scale, x + GAP + BAR_WIDTH, y, height, 1, 0};
    bar.factor = axis_unit(plot_unit(plot), fmax(fabs(scale->low), fabs(scale->high)), unit);
    snprintf(attributes, sizeof attributes, " data-low=\"%.9g\" data-high=\"%.9g\"", scale->low,
             scale->high);
    canvas_begin_group(plot->canvas, "bar", attributes);
    draw_colors(&bar);
    draw_labels(&bar);
    draw_title(&bar, title, unit);
    canvas_end_group(plot->canvas);
}

uint8_t *plot_pixels(const struct color_scale *scale, const float *values, size_t count)
{
    uint8_t *pixels = allocate(count, sizeof *pixels);
    for (size_t i = 0; i < count; i++)
        pixels[i] = palette_index(color_scale_share(scale, values[i]));
    return pixels;
}

void plot_color_scale(struct color_scale *scale, const struct plot *plot, const float *values,
                      size_t count)
{
    enum coloring coloring = plot->coloring;
    for (size_t i = 0; i < count && !plot->coloring_given; i++)
        if (values[i] < 0)
            coloring = COLORING_ZERO;
    color_scale_make(scale, coloring, values, count);
}

void plot_bar_note(struct plot *plot, const struct color_scale *scale)
{
    static const char *const colorings[] = {
        [COLORING_PERCENTILES] =
            "from the first percentile to the 99th: what is below is black, "
            "above magenta",
        [COLORING_LINEAR] = "from the smallest value to the largest",
        [COLORING_ZERO] = "from zero",
        [COLORING_EQUALIZED] = "by order of size, every colour equally often"};
    bool clipped = scale->largest > scale->high || scale->least < scale->low;
    enum coloring coloring =
        scale->coloring == COLORING_PERCENTILES && !clipped ? COLORING_LINEAR : scale->coloring;
    char words[2][QUANTITY_SIZE];
    if (isnan(scale->least))
        return;
    text_addf(&plot->notes, "Smallest value %s, largest %s; coloured %s.\n",
              format_quantity(words[0], scale->least, plot_unit(plot)),
              format_quantity(words[1], scale->largest, plot_unit(plot)), colorings[coloring]);
}
