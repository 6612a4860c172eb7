/*
 * The topology map: ranks where they are in a Cartesian grid, the value as a colour.  A grid of
 * more than two dimensions is shown in slices along all but the last two.  See plot.h.
 */
#include "base/base.h"
#include "file/file.h"
#include "plot/plot_bar.h"
#include "plot/plot_ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define AROUND       56.0 /* left and right of the place for values */
#define SLICE_GAP    10.0
#define BAR_HEIGHT   320.0
#define CAPTION      15.0 /* room above a slice */
#define LEAST_SLICE  12.0 /* smaller ones are of no use */
#define ROW_HEIGHT   40.0 /* of a grid that is only one row */
#define NUMBER_WIDTH 26.0 /* of a place that its rank is written into */

/* How slices are laid out, in the picture's unit of length. */
struct slices {
    uint64_t count;
    size_t across, down;
    double width, height; /* of one */
    struct division columns, rows;
};

struct grid {
    struct plot *plot;
    const struct topology *topology;
    uint64_t columns, rows, slices;
    struct topology_member *members; /* those whose ranks are selected */
    size_t member_count;
    double *by_member; /* the value of each of them */
};

static uint64_t size_of(const struct topology *topology, size_t from_last)
{
    size_t count = topology->dimension_count;
    return from_last < count ? topology->dimensions[count - 1 - from_last].size : 1;
}

static void find_members(struct grid *grid)
{
    const struct selection *selection = grid->plot->selection;
    uint32_t *ranks = allocate(selection->rank_count, sizeof *ranks);
    for (size_t r = 0; r < selection->rank_count; r++)
        ranks[r] = selection->ranks[r].rank;
    grid->members =
        topology_members(grid->topology, ranks, selection->rank_count, &grid->member_count);
    free(ranks);
}

static int compare_rank(const void *key, const void *item)
{
    uint32_t rank = *(const uint32_t *)key, other = ((const struct rank_group *)item)->rank;
    return (rank > other) - (rank < other);
}

static void find_values(struct grid *grid)
{
    const struct selection *selection = grid->plot->selection;
    double *by_rank = plot_rank_values(grid->plot);
    grid->by_member = allocate(grid->member_count, sizeof *grid->by_member);
    for (size_t m = 0; m < grid->member_count; m++) {
        const struct rank_group *rank =
            bsearch(&grid->members[m].rank, selection->ranks, selection->rank_count,
                    sizeof *selection->ranks, compare_rank);
        grid->by_member[m] = rank ? by_rank[rank - selection->ranks] : NAN;
    }
    free(by_rank);
}

/* How many slices are put side by side so that they become largest. */
static void arrange(struct slices *slices, const struct grid *grid, double width, double height)
{
    double best = 0;
    for (size_t across = 1; across <= slices->count; across++) {
        size_t down = (size_t)((slices->count + across - 1) / across);
        double wide = (width - (double)(across - 1) * SLICE_GAP) / (double)across;
        double high = (height - (double)(down - 1) * SLICE_GAP) / (double)down -
                      (slices->count > 1 ? CAPTION : 0);
        double size = fmin(wide / (double)grid->columns, high / (double)grid->rows);
        if (size <= best)
            continue;
        best = size;
        *slices = (struct slices){.count = slices->count,
                                  .across = across,
                                  .down = down,
                                  .width = size * (double)grid->columns,
                                  .height = size * (double)grid->rows};
        /* A single row of many members would be too thin to see. */
        if (grid->rows == 1)
            slices->height = fmin(high, fmax(slices->height, ROW_HEIGHT));
    }
}

static bool lay_out(struct slices *slices, const struct grid *grid, double width, double height,
                    struct error *error)
{
    /* More would not fit in any case, and a damaged file may have any number. */
    uint64_t most = (uint64_t)(width * height / (LEAST_SLICE * LEAST_SLICE));
    *slices = (struct slices){.count = grid->slices};
    if (slices->count <= most)
        arrange(slices, grid, width, height);
    if (slices->across == 0 || fmax(slices->width, slices->height) < LEAST_SLICE)
        return error_set(error,
                         "%s: %" PRIu64 " slices of %" PRIu64 " x %" PRIu64
                         " do not fit into the picture; try a larger --size",
                         grid->plot->summary->path, grid->slices, grid->rows, grid->columns);
    slices->width = fmax(floor(slices->width), 1);
    slices->height = fmax(floor(slices->height), 1);
    slices->columns = divide(0, grid->columns, (size_t)slices->width * CANVAS_PIXELS);
    slices->rows = divide(0, grid->rows, (size_t)slices->height * CANVAS_PIXELS);
    return true;
}

/* The index of MEMBER's field among the fields of all slices. */
static size_t field_of(const struct grid *grid, const struct slices *slices, uint64_t member)
{
    uint64_t column = member % grid->columns, row = member / grid->columns % grid->rows,
             slice = member / grid->columns / grid->rows;
    return (size_t)((slice * slices->rows.count + row / slices->rows.each) *
                        slices->columns.count +
                    column / slices->columns.each);
}

static size_t field_count(const struct slices *slices)
{
    return slices->columns.count * slices->rows.count * (size_t)slices->count;
}

static float *fill_fields(const struct grid *grid, const struct slices *slices)
{
    size_t count = field_count(slices);
    struct tally *tallies = allocate(count, sizeof *tallies);
    float *values = allocate(count, sizeof *values);
    /* Where several ranks share a field it shows the largest value, so that none is missed. */
    for (size_t i = 0; i < count; i++)
        tally_begin(&tallies[i], false);
    for (size_t m = 0; m < grid->member_count; m++)
        tally_add(&tallies[field_of(grid, slices, grid->members[m].member)], grid->by_member[m],
                  1);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)tally_value(&tallies[i], STATISTIC_MAX);
    free(tallies);
    return values;
}

/* Where slice I is. */
static void place_slice(const struct frame *frame, const struct slices *slices, uint64_t i,
                        double *x, double *y)
{
    double column = (double)(i % slices->across), row = (double)(i / slices->across);
    double caption = slices->count > 1 ? CAPTION : 0;
    *x = frame->x + column * (slices->width + SLICE_GAP);
    *y = frame->y + row * (slices->height + caption + SLICE_GAP) + caption;
}

/* "dimensions 0, 1: 3, 0" of slice I; only the numbers where there is no room. */
static void add_caption(const struct grid *grid, const struct slices *slices, uint64_t i,
                        double x, double y)
{
    size_t count = grid->topology->dimension_count - 2;
    struct font font = {.size = LABEL_SIZE - 1, .color = COLOR_TEXT};
    struct text numbers = {0}, whole = {0};
    for (size_t d = 0; d < count; d++)
        text_addf(&numbers, "%s%" PRIu64, d ? ", " : "",
                  topology_coordinate(grid->topology, i * grid->rows * grid->columns, d));
    text_addf(&whole, count == 1 ? "dimension 0: %s" : "first dimensions: %s",
              text_string(&numbers));
    bool fits =
        canvas_text_width(grid->plot->canvas, &font, text_string(&whole)) <= slices->width;
    canvas_text(grid->plot->canvas, x, y - 4, &font, text_string(fits ? &whole : &numbers));
    text_free(&numbers);
    text_free(&whole);
}

static void draw_slice(const struct grid *grid, const struct frame *frame,
                       const struct slices *slices, uint64_t i, const uint8_t *fields,
                       const struct palette *palette)
{
    struct canvas *canvas = grid->plot->canvas;
    size_t columns = (size_t)slices->width * CANVAS_PIXELS;
    size_t rows = (size_t)slices->height * CANVAS_PIXELS;
    size_t own = slices->columns.count * slices->rows.count;
    uint8_t *pixels = allocate(columns * rows, sizeof *pixels);
    double x, y;
    for (size_t v = 0; v < rows; v++)
        for (size_t u = 0; u < columns; u++)
            pixels[v * columns + u] =
                fields[i * own + v * slices->rows.count / rows * slices->columns.count +
                       u * slices->columns.count / columns];
    struct raster raster = {palette, columns, rows, pixels};
    place_slice(frame, slices, i, &x, &y);
    canvas_image(canvas, x, y, slices->width, slices->height, &raster);
    canvas_move(canvas, x, y);
    canvas_line(canvas, x + slices->width, y);
    canvas_line(canvas, x + slices->width, y + slices->height);
    canvas_line(canvas, x, y + slices->height);
    canvas_line(canvas, x, y);
    canvas_stroke(canvas, COLOR_FRAME, 1);
    if (slices->count > 1)
        add_caption(grid, slices, i, x, y);
    free(pixels);
}

/* Whether there is room for a rank's number in its field. */
static bool has_room(const struct grid *grid, const struct slices *slices)
{
    return slices->width / (double)grid->columns >= NUMBER_WIDTH &&
           slices->height / (double)grid->rows >= LABEL_SIZE + 3;
}

static void draw_numbers(const struct grid *grid, const struct frame *frame,
                         const struct slices *slices, const uint8_t *fields,
                         const struct palette *palette)
{
    double width = slices->width / (double)grid->columns;
    double height = slices->height / (double)grid->rows;
    for (size_t m = 0; m < grid->member_count; m++) {
        uint64_t member = grid->members[m].member;
        rgb behind = palette->colors[fields[field_of(grid, slices, member)]];
        struct font font = {.size = LABEL_SIZE - 1,
                            .anchor = ANCHOR_MIDDLE,
                            .color = color_lightness(behind) > 0.6 ? COLOR_BLACK : COLOR_WHITE};
        char number[16];
        double x, y;
        snprintf(number, sizeof number, "%" PRIu32, grid->members[m].rank);
        place_slice(frame, slices, member / grid->columns / grid->rows, &x, &y);
        canvas_text(grid->plot->canvas, x + ((double)(member % grid->columns) + 0.5) * width,
                    y + ((double)(member / grid->columns % grid->rows) + 0.5) * height +
                        LABEL_SIZE * 0.33,
                    &font, number);
    }
}

static void add_words(struct plot *plot, const struct topology *topology)
{
    text_add(&plot->run, " · grid ");
    if (topology->name[0])
        text_addf(&plot->run, "\"%s\", ", topology->name);
    for (size_t d = 0; d < topology->dimension_count; d++)
        text_addf(&plot->run, "%s%" PRIu64 "%s", d ? " × " : "", topology->dimensions[d].size,
                  topology->dimensions[d].periodic ? " (periodic)" : "");
}

static void add_note(const struct grid *grid, const struct slices *slices)
{
    struct text *notes = &grid->plot->notes;
    size_t last = grid->topology->dimension_count - 1;
    if (last == 0)
        text_add(notes, "Dimension 0 runs to the right");
    else
        text_addf(notes, "Dimension %zu runs down and %zu to the right", last - 1, last);
    if (slices->columns.each > 1 || slices->rows.each > 1)
        text_addf(notes, "; each pixel: maximum of %" PRIu64 " × %" PRIu64 " ranks",
                  slices->rows.each, slices->columns.each);
    text_add(notes, has_room(grid, slices) ? "; numbers are ranks.\n" : ".\n");
}

static void draw(struct grid *grid, struct frame *frame, const struct slices *slices,
                 const float *values, const struct color_scale *scale, const char *title)
{
    struct plot *plot = grid->plot;
    uint8_t *fields = plot_pixels(scale, values, field_count(slices));
    canvas_begin_group(plot->canvas, "map", "");
    for (uint64_t i = 0; i < slices->count; i++)
        draw_slice(grid, frame, slices, i, fields, &scale->palette);
    if (has_room(grid, slices))
        draw_numbers(grid, frame, slices, fields, &scale->palette);
    canvas_end_group(plot->canvas);
    double width = (double)slices->across * (slices->width + SLICE_GAP) - SLICE_GAP;
    plot_bar(plot, frame->x + width, frame->y, fmin(frame->height, BAR_HEIGHT), scale, title);
    free(fields);
}

/* Coordinates along a slice that is alone. */
static void draw_coordinates(const struct grid *grid, const struct frame *frame,
                             const struct slices *slices)
{
    struct canvas *canvas = grid->plot->canvas;
    struct font font = {.size = LABEL_SIZE, .anchor = ANCHOR_MIDDLE, .color = COLOR_TEXT};
    struct axis across = axis_of_numbers("", &slices->columns, slices->width, NUMBER_ROOM);
    struct axis down = axis_of_numbers("", &slices->rows, slices->height, LINE_ROOM);
    double width = slices->width / (double)grid->columns;
    double height = slices->height / (double)grid->rows;
    char label[TICK_SIZE];
    for (size_t i = 0; i < across.ticks.count; i++) {
        double value = ticks_at(&across.ticks, i);
        canvas_text(canvas, frame->x + (value + 0.5) * width,
                    frame->y + slices->height + LABEL_SIZE + 3, &font,
                    tick_label(label, &across.ticks, value));
    }
    font.anchor = ANCHOR_END;
    for (size_t i = 0; i < down.ticks.count && grid->rows > 1; i++) {
        double value = ticks_at(&down.ticks, i);
        canvas_text(canvas, frame->x - 5, frame->y + (value + 0.5) * height + LABEL_SIZE * 0.33,
                    &font, tick_label(label, &down.ticks, value));
    }
}

static void draw_picture(struct grid *grid, const struct slices *slices)
{
    struct plot *plot = grid->plot;
    const struct axis none = {.title = "", .high = 1, .factor = 1};
    const struct legend_item missing = {COLOR_NONE, "no value", false};
    struct color_scale scale;
    struct frame frame;
    struct text title = {0};
    size_t count = field_count(slices);
    float *values = fill_fields(grid, slices);
    bool lacks = false;
    for (size_t i = 0; i < count; i++)
        lacks |= isnan(values[i]);
    plot_color_scale(&scale, plot, values, count);
    plot_bar_note(plot, &scale);
    text_addf(&title, "%s %s", plot->summary->metrics[plot->metric].name, plot->each);
    frame_begin(&frame, plot, &none, &none, &missing, lacks, BAR_SPACE);
    draw(grid, &frame, slices, values, &scale, text_string(&title));
    if (slices->count == 1)
        draw_coordinates(grid, &frame, slices);
    color_scale_free(&scale);
    text_free(&title);
    free(values);
}

bool plot_topology(struct plot *plot, struct error *error)
{
    const struct topology *topology = plot->topology;
    struct grid grid = {.plot = plot,
                        .topology = topology,
                        .columns = size_of(topology, 0),
                        .rows = size_of(topology, 1)};
    struct slices slices;
    grid.slices = topology->members / grid.columns / grid.rows;
    if (!lay_out(&slices, &grid, plot->width - BAR_SPACE - AROUND,
                 frame_least_height(plot) - LABEL_SIZE, error))
        return false;
    find_members(&grid);
    find_values(&grid);
    add_words(plot, topology);
    add_note(&grid, &slices);
    draw_picture(&grid, &slices);
    free(grid.members);
    free(grid.by_member);
    return true;
}
