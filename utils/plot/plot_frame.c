/* Headings, axes, legends and notes of pictures.  See plot_frame.h. */
#include "plot/plot_frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN     14.0
#define TITLE_SIZE 15.0
#define NOTE_SIZE  10.0
#define LINE       1.4 /* distance of lines of text, in sizes of the font */
#define TICK       5.0
#define GAP        6.0
#define SWATCH     12.0

/* Places for values are never narrower, whatever the labels are. */
#define LABELS_MOST 130.0
#define LINES_MOST  10

double frame_least_width(const struct plot *plot)
{
    return plot->width - 2 * MARGIN - LABELS_MOST;
}

double frame_least_height(const struct plot *plot)
{
    return plot->height - 2 * MARGIN - LINES_MOST * LABEL_SIZE * LINE;
}

static struct font label_font(enum anchor anchor)
{
    return (struct font){.size = LABEL_SIZE, .anchor = anchor, .color = COLOR_TEXT};
}

/* Draws a line of text, shortened to the width of the picture, and moves *Y to the next line.
 */
static void add_line(struct plot *plot, double *y, const struct font *font, const char *text)
{
    struct text shortened = {0};
    canvas_shorten(plot->canvas, font, text, plot->width - 2 * MARGIN, &shortened);
    *y += font->size * (LINE + 1) / 2;
    canvas_text(plot->canvas, MARGIN, *y, font, text_string(&shortened));
    *y += font->size * (LINE - 1) / 2;
    text_free(&shortened);
}

static void add_heading(struct plot *plot, double *y)
{
    struct font title = {.size = TITLE_SIZE, .bold = true, .color = COLOR_BLACK};
    struct font usual = label_font(ANCHOR_START);
    add_line(plot, y, &title, text_string(&plot->title));
    if (plot->path.length > 0)
        add_line(plot, y, &usual, text_string(&plot->path));
    add_line(plot, y, &usual, text_string(&plot->run));
}

static void draw_swatch(struct canvas *canvas, double x, double middle,
                        const struct legend_item *item)
{
    double height = item->line ? 3 : SWATCH - 2;
    canvas_rectangle(canvas, x, middle - height / 2, SWATCH, height, item->color);
}

/* In one line or several. */
static void add_legend(struct plot *plot, double *y, const struct legend_item *legend,
                       size_t count)
{
    struct font font = label_font(ANCHOR_START);
    double x = MARGIN, line = LABEL_SIZE * LINE + 1;
    if (count == 0)
        return;
    *y += GAP / 2 + line;
    canvas_begin_group(plot->canvas, "legend", "");
    for (size_t i = 0; i < count; i++) {
        struct text name = {0};
        canvas_shorten(plot->canvas, &font, legend[i].text,
                       plot->width - 2 * MARGIN - SWATCH - 4 * GAP, &name);
        double width =
            SWATCH + 4 * GAP + canvas_text_width(plot->canvas, &font, text_string(&name));
        if (x > MARGIN && x + width > plot->width - MARGIN) {
            x = MARGIN;
            *y += line;
        }
        draw_swatch(plot->canvas, x, *y - LABEL_SIZE * 0.35, &legend[i]);
        canvas_text(plot->canvas, x + SWATCH + GAP, *y, &font, text_string(&name));
        text_free(&name);
        x += width;
    }
    canvas_end_group(plot->canvas);
}

/* Adds as many words of TEXT to LINE as fit; returns where the rest begins. */
static const char *take_line(struct plot *plot, const struct font *font, const char *text,
                             size_t length, struct text *line)
{
    size_t taken = 0;
    while (taken < length) {
        const char *blank = memchr(text + taken + 1, ' ', length - taken - 1);
        size_t end = blank ? (size_t)(blank - text) : length;
        struct text longer = {0};
        text_add_bytes(&longer, text, end);
        bool fits = canvas_text_width(plot->canvas, font, text_string(&longer)) <=
                    plot->width - 2 * MARGIN;
        text_free(&longer);
        if (!fits && taken > 0)
            break;
        taken = end;
    }
    text_add_bytes(line, text, taken);
    while (taken < length && text[taken] == ' ')
        taken++;
    return text + taken;
}

/* The notes, in lines that fit, at the lower edge.  Returns where they begin. */
static double add_notes(struct plot *plot)
{
    struct font font = {.size = NOTE_SIZE, .color = COLOR_FRAME};
    struct text lines[LINES_MOST] = {0};
    size_t count = 0;
    for (const char *at = text_string(&plot->notes); *at && count < LINES_MOST;) {
        size_t length = strcspn(at, "\n");
        const char *rest = take_line(plot, &font, at, length, &lines[count++]);
        at = *rest == '\n' ? rest + 1 : rest;
    }
    double top = plot->height - MARGIN - (double)count * NOTE_SIZE * LINE, y = top;
    for (size_t i = 0; i < count; i++) {
        add_line(plot, &y, &font, text_string(&lines[i]));
        text_free(&lines[i]);
    }
    return count > 0 ? top - GAP / 2 : plot->height - MARGIN;
}

static double widest_label(struct plot *plot, const struct axis *axis)
{
    struct font font = label_font(ANCHOR_END);
    double widest = 0;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        char label[TICK_SIZE];
        double width = canvas_text_width(
            plot->canvas, &font, tick_label(label, &axis->ticks, ticks_at(&axis->ticks, i)));
        widest = fmax(widest, width);
    }
    return widest;
}

static void describe(struct plot *plot)
{
    struct text all = {0};
    if (plot->path.length > 0)
        text_addf(&all, "%s; ", text_string(&plot->path));
    text_addf(&all, "%s. ", text_string(&plot->run));
    for (const char *at = text_string(&plot->notes); *at;) {
        size_t length = strcspn(at, "\n");
        text_add_bytes(&all, at, length);
        text_add(&all, " ");
        at += length + (at[length] == '\n');
    }
    canvas_describe(plot->canvas, text_string(&plot->title), text_string(&all));
    text_free(&all);
}

void frame_begin(struct frame *frame, struct plot *plot, const struct axis *across,
                 const struct axis *up, const struct legend_item *legend, size_t count,
                 double space)
{
    double top = MARGIN, line = LABEL_SIZE * LINE;
    describe(plot);
    canvas_rectangle(plot->canvas, 0, 0, plot->width, plot->height, COLOR_WHITE);
    add_heading(plot, &top);
    add_legend(plot, &top, legend, count);
    double bottom = add_notes(plot) - 2 * line - TICK;
    *frame = (struct frame){.plot = plot, .across = *across, .up = *up};
    /* A label may be at the very end of its axis. */
    space = fmax(space, widest_label(plot, across) / 2 + 2 - MARGIN);
    /* Whole numbers, so that edges are sharp. */
    frame->x = ceil(MARGIN + line + widest_label(plot, up) + TICK + GAP);
    frame->y = ceil(top + 2 * GAP);
    frame->width = floor(plot->width - MARGIN - space - frame->x);
    frame->height = floor(bottom - frame->y);
}

double frame_x(const struct frame *frame, double value)
{
    const struct axis *axis = &frame->across;
    return frame->x + (value - axis->low) / (axis->high - axis->low) * frame->width;
}

double frame_y(const struct frame *frame, double value)
{
    const struct axis *axis = &frame->up;
    double share = (value - axis->low) / (axis->high - axis->low);
    return frame->y + (frame->from_above ? share : 1 - share) * frame->height;
}

static void draw_line(const struct frame *frame, double x, double y, double to_x, double to_y,
                      rgb color)
{
    canvas_move(frame->plot->canvas, x, y);
    canvas_line(frame->plot->canvas, to_x, to_y);
    canvas_stroke(frame->plot->canvas, color, 1);
}

void frame_grid(const struct frame *frame)
{
    canvas_begin_group(frame->plot->canvas, "grid", "");
    for (size_t i = 0; i < frame->up.ticks.count; i++) {
        double y = frame_y(frame, ticks_at(&frame->up.ticks, i));
        bool zero = ticks_at(&frame->up.ticks, i) == 0;
        draw_line(frame, frame->x, y, frame->x + frame->width, y,
                  zero ? COLOR_FRAME : COLOR_GRID);
    }
    canvas_end_group(frame->plot->canvas);
}

static void draw_across(const struct frame *frame)
{
    struct canvas *canvas = frame->plot->canvas;
    const struct axis *axis = &frame->across;
    struct font font = label_font(ANCHOR_MIDDLE);
    double y = frame->y + frame->height;
    for (size_t i = 0; i < axis->ticks.count; i++) {
        char label[TICK_SIZE];
        double value = ticks_at(&axis->ticks, i), x = frame_x(frame, value);
        draw_line(frame, x, y, x, y + TICK, COLOR_FRAME);
        canvas_text(canvas, x, y + TICK + LABEL_SIZE, &font,
                    tick_label(label, &axis->ticks, value));
    }
    canvas_text(canvas, frame->x + frame->width / 2, y + TICK + LABEL_SIZE * (LINE + 1), &font,
                axis->title);
}

static void draw_up(const struct frame *frame)
{
    struct canvas *canvas = frame->plot->canvas;
    const struct axis *axis = &frame->up;
    struct font font = label_font(ANCHOR_END);
    for (size_t i = 0; i < axis->ticks.count; i++) {
        char label[TICK_SIZE];
        double value = ticks_at(&axis->ticks, i), y = frame_y(frame, value);
        draw_line(frame, frame->x - TICK, y, frame->x, y, COLOR_FRAME);
        canvas_text(canvas, frame->x - TICK - GAP / 2, y + LABEL_SIZE * 0.35, &font,
                    tick_label(label, &axis->ticks, value));
    }
    font = label_font(ANCHOR_MIDDLE);
    font.upwards = true;
    struct text shortened = {0};
    canvas_shorten(canvas, &font, axis->title, frame->height, &shortened);
    canvas_text(canvas, MARGIN + LABEL_SIZE * 0.8, frame->y + frame->height / 2, &font,
                text_string(&shortened));
    text_free(&shortened);
}

void frame_end(const struct frame *frame)
{
    struct canvas *canvas = frame->plot->canvas;
    char attributes[400];
    /* From these a program can compute values from positions. */
    snprintf(attributes, sizeof attributes,
             " data-x=\"%g %g\" data-y=\"%g %g\" data-across=\"%.17g %.17g\" "
             "data-up=\"%.17g %.17g\"",
             frame->x, frame->x + frame->width, frame_y(frame, frame->up.low),
             frame_y(frame, frame->up.high), frame->across.low, frame->across.high,
             frame->up.low * frame->up.factor, frame->up.high * frame->up.factor);
    canvas_begin_group(canvas, "axes", attributes);
    draw_line(frame, frame->x, frame->y, frame->x, frame->y + frame->height, COLOR_FRAME);
    draw_line(frame, frame->x, frame->y + frame->height, frame->x + frame->width,
              frame->y + frame->height, COLOR_FRAME);
    draw_across(frame);
    draw_up(frame);
    canvas_end_group(canvas);
}

static size_t tick_count(double room, double label_room)
{
    return room > 2 * label_room ? (size_t)(room / label_room) : 2;
}

struct axis axis_of_numbers(const char *title, const struct division *division, double room,
                            double label_room)
{
    double first = (double)division->first, end = (double)division->end;
    /* The last bin is as wide as the others, though it may have fewer things. */
    double high = first + (double)division->count * (double)division->each;
    return (struct axis){title, first - 0.5, high - 0.5, 1,
                         ticks_make(first, end - 1, tick_count(room, label_room), true)};
}

struct axis axis_of_values(const struct plot *plot, struct text *title, double low, double high)
{
    char unit[UNIT_SIZE];
    low = isnan(low) ? 0 : low;
    high = isnan(high) ? 0 : high;
    double factor = axis_unit(plot_unit(plot), fmax(fabs(low), fabs(high)), unit);
    if (unit[0])
        text_addf(title, " (%s)", unit);
    struct ticks ticks = ticks_around(low / factor, high / factor, plot->scale == SCALE_RANGE,
                                      tick_count(frame_least_height(plot), LINE_ROOM) + 1);
    return (struct axis){text_string(title), ticks_at(&ticks, 0),
                         ticks_at(&ticks, ticks.count - 1), factor, ticks};
}

/* Where bin I begins in the picture. */
static double bin_x(const struct frame *frame, const struct division *division, size_t i)
{
    return frame_x(frame, (double)division->first + (double)i * (double)division->each - 0.5);
}

static double value_y(const struct frame *frame, double value)
{
    return frame_y(frame, value / frame->up.factor);
}

void frame_steps(const struct frame *frame, const struct division *division,
                 const double *values, rgb color, double width)
{
    struct canvas *canvas = frame->plot->canvas;
    bool open = false, any = false;
    for (size_t i = 0; i < division->count; i++) {
        if (isnan(values[i])) {
            open = false;
            continue;
        }
        double y = value_y(frame, values[i]);
        if (open)
            canvas_line(canvas, bin_x(frame, division, i), y);
        else
            canvas_move(canvas, bin_x(frame, division, i), y);
        canvas_line(canvas, bin_x(frame, division, i + 1), y);
        open = any = true;
    }
    if (any)
        canvas_stroke(canvas, color, width);
}

/* The area over bins FIRST to END - 1, all of which have values. */
static void fill_band(const struct frame *frame, const struct division *division, size_t first,
                      size_t end, const double *low, const double *high, rgb color)
{
    struct canvas *canvas = frame->plot->canvas;
    canvas_move(canvas, bin_x(frame, division, first), value_y(frame, high[first]));
    for (size_t i = first; i < end; i++) {
        canvas_line(canvas, bin_x(frame, division, i), value_y(frame, high[i]));
        canvas_line(canvas, bin_x(frame, division, i + 1), value_y(frame, high[i]));
    }
    for (size_t i = end; i-- > first;) {
        canvas_line(canvas, bin_x(frame, division, i + 1), value_y(frame, low[i]));
        canvas_line(canvas, bin_x(frame, division, i), value_y(frame, low[i]));
    }
    canvas_fill(canvas, color);
}

void frame_band(const struct frame *frame, const struct division *division, const double *low,
                const double *high, rgb color)
{
    for (size_t first = 0, end; first < division->count; first = end + 1) {
        for (end = first; end < division->count && !isnan(low[end]) && !isnan(high[end]);)
            end++;
        if (end > first)
            fill_band(frame, division, first, end, low, high, color);
    }
}
