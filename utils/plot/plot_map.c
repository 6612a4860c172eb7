/*
 * The value map: iterations across, ranks downwards, the value as a colour.  There are never
 * more values in memory than the picture has pixels, whatever the size of the run; but for
 * medians all those of one row of pixels.  See plot.h.
 */
#include "base/base.h"
#include "plot/plot_bar.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct map {
    struct division iterations, ranks;
    float *values; /* row after row of iterations, that of the lowest ranks first */
};

/* Puts the collected values of some ranks into row I. */
static void finish_row(struct map *map, struct bins *bins, size_t i, enum statistic statistic)
{
    for (size_t c = 0; c < map->iterations.count; c++)
        map->values[i * map->iterations.count + c] =
            (float)tally_value(&bins->tallies[c], statistic);
    bins_clear(bins);
}

static void fill_map(const struct plot *plot, struct map *map)
{
    const struct selection *selection = plot->selection;
    struct rank_values *values = rank_values_create(selection, &plot->of);
    struct bins bins;
    size_t row = 0;
    bins_begin(&bins, &map->iterations, plot->statistic == STATISTIC_MEDIAN);
    for (size_t r = 0; r < selection->rank_count; r++) {
        struct rank_walk walk;
        size_t its_row =
            (size_t)((selection->ranks[r].rank - map->ranks.first) / map->ranks.each);
        for (; row < its_row; row++)
            finish_row(map, &bins, row, plot->statistic);
        rank_walk_begin(&walk, values, r);
        while (rank_walk_step(&walk))
            bins_add(&bins, walk.first, walk.length, walk.values[0]);
        rank_walk_end(&walk);
    }
    finish_row(map, &bins, row, plot->statistic);
    bins_free(&bins);
    rank_values_free(values);
}

/* The map in as many pixels as the frame has, so that no program has to enlarge it. */
static void draw_pixels(const struct frame *frame, const struct map *map,
                        const struct color_scale *scale)
{
    size_t columns = (size_t)frame->width * CANVAS_PIXELS;
    size_t rows = (size_t)frame->height * CANVAS_PIXELS;
    uint8_t *cells = plot_pixels(scale, map->values, map->iterations.count * map->ranks.count);
    uint8_t *pixels = allocate(columns * rows, sizeof *pixels);
    for (size_t y = 0; y < rows; y++) {
        const uint8_t *row = cells + y * map->ranks.count / rows * map->iterations.count;
        for (size_t x = 0; x < columns; x++)
            pixels[y * columns + x] = row[x * map->iterations.count / columns];
    }
    struct raster raster = {&scale->palette, columns, rows, pixels};
    canvas_begin_group(frame->plot->canvas, "map", "");
    canvas_image(frame->plot->canvas, frame->x, frame->y, frame->width, frame->height, &raster);
    canvas_end_group(frame->plot->canvas);
    free(cells);
    free(pixels);
}

static void add_note(struct plot *plot, const struct map *map)
{
    if (map->iterations.each == 1 && map->ranks.each == 1) {
        text_add(&plot->notes, "Each field is one iteration of one rank. ");
        return;
    }
    text_addf(&plot->notes, "Each pixel: %s of ", statistic_name(plot->statistic));
    plot_add_count(&plot->notes, map->iterations.each, "iteration");
    text_add(&plot->notes, " × ");
    plot_add_count(&plot->notes, map->ranks.each, "rank");
    text_add(&plot->notes, ". ");
}

static bool lacks_values(const struct map *map)
{
    for (size_t i = 0; i < map->iterations.count * map->ranks.count; i++)
        if (isnan(map->values[i]))
            return true;
    return false;
}

static void draw(struct plot *plot, const struct map *map)
{
    const struct legend_item missing = {COLOR_NONE, "no value", false};
    struct frame frame;
    struct text title = {0};
    struct color_scale scale;
    plot_color_scale(&scale, plot, map->values, map->iterations.count * map->ranks.count);
    plot_bar_note(plot, &scale);
    text_addf(&title, "%s %s", plot->summary->metrics[plot->metric].name, plot->each);
    struct axis across = axis_of_numbers("iteration", &map->iterations,
                                         frame_least_width(plot) - BAR_SPACE, NUMBER_ROOM);
    struct axis down =
        axis_of_numbers("rank", &map->ranks, frame_least_height(plot), LINE_ROOM);
    frame_begin(&frame, plot, &across, &down, &missing, lacks_values(map), BAR_SPACE);
    frame.from_above = true;
    draw_pixels(&frame, map, &scale);
    frame_end(&frame);
    plot_bar(plot, frame.x + frame.width, frame.y, frame.height, &scale, text_string(&title));
    color_scale_free(&scale);
    text_free(&title);
}

bool plot_map(struct plot *plot, struct error *error)
{
    const struct selection *selection = plot->selection;
    struct map map = {
        .iterations = divide(plot->iterations.first, plot->iterations.last + 1,
                             (size_t)(frame_least_width(plot) - BAR_SPACE) * CANVAS_PIXELS),
        .ranks = divide(selection->ranks[0].rank,
                        (uint64_t)selection->ranks[selection->rank_count - 1].rank + 1,
                        (size_t)frame_least_height(plot) * CANVAS_PIXELS)};
    (void)error;
    map.values = allocate(map.iterations.count * map.ranks.count, sizeof *map.values);
    fill_map(plot, &map);
    add_note(plot, &map);
    draw(plot, &map);
    free(map.values);
    return true;
}
