/*
 * The parts of a metric stacked over iterations, as means over the ranks or as shares of their
 * sum.  See plot.h.
 */
#include "base/base.h"
#include "plot/plot_frame.h"
#include "query/query.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One place is for the metric itself. */
#define PARTS_MOST 15

/* Metrics that are not shown themselves but by their parts. */
static const char *const divided[] = {"execution", "mpi", "mpi_communication"};

/* The colours of metrics. */
static const struct {
    const char *metric;
    rgb color;
} known[] = {
#define PART(metric, color) {#metric, color},
#include "plot/plot_parts.def"
};

/* Metrics without one have the first of these that no other part has. */
static const rgb usual[] = {
#define USUAL(color) color,
#include "plot/plot_parts.def"
};

/* What is in none of them. */
#define COLOR_REST COLOR_PALE

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

struct breakdown_part {
    const char *name;
    rgb color;
    double *values; /* by column */
};

struct breakdown {
    struct plot *plot;
    uint32_t metrics[RANK_VALUES_METRICS]; /* of the parts; then the metric itself */
    size_t part_count;
    struct breakdown_part parts[PARTS_MOST + 1]; /* the last: what is in none of them */
    struct division division;
};

static bool is_divided(const char *metric)
{
    for (size_t i = 0; i < LENGTH(divided); i++)
        if (strcmp(divided[i], metric) == 0)
            return true;
    return false;
}

/* Adds the parts of METRIC, which come after it in the table. */
static void add_parts(struct breakdown *breakdown, uint32_t metric)
{
    const struct summary *summary = breakdown->plot->summary;
    for (uint32_t m = metric + 1; m < summary->metric_count; m++) {
        if (summary->metrics[m].parent != metric)
            continue;
        if (is_divided(summary->metrics[m].name))
            add_parts(breakdown, m);
        else if (breakdown->part_count < PARTS_MOST)
            breakdown->metrics[breakdown->part_count++] = m;
    }
}

static const rgb *known_color(const char *metric)
{
    for (size_t i = 0; i < LENGTH(known); i++)
        if (strcmp(known[i].metric, metric) == 0)
            return &known[i].color;
    return NULL;
}

/* Whether one of the first COUNT parts, or one whose metric has a colour, has COLOR. */
static bool is_taken(const struct breakdown *breakdown, size_t count, rgb color)
{
    for (size_t i = 0; i < breakdown->part_count; i++) {
        const rgb *own = known_color(breakdown->parts[i].name);
        if (own ? *own == color : i < count && breakdown->parts[i].color == color)
            return true;
    }
    return false;
}

static rgb color_of(const struct breakdown *breakdown, const char *metric, size_t place)
{
    const rgb *own = known_color(metric);
    if (own)
        return *own;
    for (size_t i = 0; i < LENGTH(usual); i++)
        if (!is_taken(breakdown, place, usual[i]))
            return usual[i];
    return COLOR_REST;
}

static void choose_parts(struct breakdown *breakdown)
{
    const struct summary *summary = breakdown->plot->summary;
    add_parts(breakdown, breakdown->plot->metric);
    for (size_t i = 0; i < breakdown->part_count; i++)
        breakdown->parts[i].name = summary->metrics[breakdown->metrics[i]].name;
    for (size_t i = 0; i < breakdown->part_count; i++)
        breakdown->parts[i].color = color_of(breakdown, breakdown->parts[i].name, i);
    const char *name = summary->metrics[breakdown->plot->metric].name;
    const rgb *own = known_color(name);
    breakdown->metrics[breakdown->part_count] = breakdown->plot->metric;
    breakdown->parts[breakdown->part_count] = (struct breakdown_part){
        .name = breakdown->part_count ? "other" : name,
        .color = breakdown->part_count > 0 && !own ? COLOR_REST : color_of(breakdown, name, 0)};
}

/* The means over ranks and the iterations of each column. */
static void fill_means(struct breakdown *breakdown)
{
    const struct selection *selection = breakdown->plot->selection;
    size_t count = breakdown->part_count + 1;
    struct rank_values_of of = breakdown->plot->of;
    of.metrics = breakdown->metrics;
    of.metric_count = count;
    struct rank_values *values = rank_values_create(selection, &of);
    struct bins bins[PARTS_MOST + 1];
    for (size_t i = 0; i < count; i++)
        bins_begin(&bins[i], &breakdown->division, false);
    for (size_t r = 0; r < selection->rank_count; r++) {
        struct rank_walk walk;
        rank_walk_begin(&walk, values, r);
        while (rank_walk_step(&walk))
            for (size_t i = 0; i < count; i++)
                bins_add(&bins[i], walk.first, walk.length, walk.values[i]);
        rank_walk_end(&walk);
    }
    for (size_t i = 0; i < count; i++) {
        breakdown->parts[i].values = bins_values(&bins[i], STATISTIC_MEAN);
        bins_free(&bins[i]);
    }
    rank_values_free(values);
}

/* What the parts leave of the metric, in the last part; rounding leaves nothing. */
static void subtract_parts(struct breakdown *breakdown)
{
    struct breakdown_part *rest = &breakdown->parts[breakdown->part_count];
    for (size_t c = 0; c < breakdown->division.count; c++) {
        double size = fabs(rest->values[c]);
        for (size_t i = 0; i < breakdown->part_count; i++) {
            rest->values[c] -= breakdown->parts[i].values[c];
            size = fmax(size, fabs(breakdown->parts[i].values[c]));
        }
        if (breakdown->part_count > 0 && fabs(rest->values[c]) < 1e-9 * size)
            rest->values[c] = 0;
    }
}

static bool has_value(const struct breakdown_part *part, size_t columns)
{
    for (size_t c = 0; c < columns; c++)
        if (part->values[c] != 0 && !isnan(part->values[c]))
            return true;
    return false;
}

/* Removes parts that are zero everywhere, but leaves at least one. */
static void drop_empty(struct breakdown *breakdown)
{
    size_t kept = 0;
    for (size_t i = 0; i <= breakdown->part_count; i++) {
        bool last = i == breakdown->part_count;
        if (has_value(&breakdown->parts[i], breakdown->division.count) || (last && kept == 0))
            breakdown->parts[kept++] = breakdown->parts[i];
        else
            free(breakdown->parts[i].values);
    }
    breakdown->part_count = kept;
}

/* Turns values into shares of the sum of their absolute values, in per cent. */
static void make_shares(struct breakdown *breakdown)
{
    for (size_t c = 0; c < breakdown->division.count; c++) {
        double sum = 0;
        for (size_t i = 0; i < breakdown->part_count; i++)
            sum += fabs(breakdown->parts[i].values[c]);
        for (size_t i = 0; i < breakdown->part_count && sum > 0; i++)
            breakdown->parts[i].values[c] *= 100 / sum;
    }
}

/* The edges of part I, which is stacked on the parts before it with the same sign. */
static void stack(const struct breakdown *breakdown, size_t i, double *from, double *to)
{
    for (size_t c = 0; c < breakdown->division.count; c++) {
        double value = breakdown->parts[i].values[c];
        from[c] = 0;
        for (size_t before = 0; before < i; before++)
            if ((breakdown->parts[before].values[c] < 0) == (value < 0))
                from[c] += breakdown->parts[before].values[c];
        to[c] = from[c] + value;
    }
}

static void find_ends(const struct breakdown *breakdown, double *low, double *high)
{
    *low = *high = 0;
    for (size_t c = 0; c < breakdown->division.count; c++) {
        double below = 0, above = 0;
        for (size_t i = 0; i < breakdown->part_count; i++) {
            below += fmin(breakdown->parts[i].values[c], 0);
            above += fmax(breakdown->parts[i].values[c], 0);
        }
        *low = fmin(*low, below);
        *high = fmax(*high, above);
    }
}

static void draw_parts(const struct breakdown *breakdown, const struct frame *frame)
{
    struct canvas *canvas = breakdown->plot->canvas;
    double *from = allocate(breakdown->division.count, sizeof *from);
    double *to = allocate(breakdown->division.count, sizeof *to);
    for (size_t i = 0; i < breakdown->part_count; i++) {
        char number[sizeof " data-part=\"\"" + 20];
        snprintf(number, sizeof number, " data-part=\"%zu\"", i);
        stack(breakdown, i, from, to);
        canvas_begin_group(canvas, "part", number);
        frame_band(frame, &breakdown->division, from, to, breakdown->parts[i].color);
        canvas_end_group(canvas);
    }
    free(from);
    free(to);
}

static struct axis axis_of_shares(const struct plot *plot, struct text *title, double low,
                                  double high)
{
    struct axis axis = {.factor = 1, .low = low < 0 ? -100 : 0, .high = high > 0 ? 100 : 0};
    if (low == 0 && high == 0)
        axis.high = 100;
    axis.ticks = ticks_make(axis.low, axis.high, 6, true);
    text_addf(title, "share of %s (%%)", plot->summary->metrics[plot->metric].name);
    axis.title = text_string(title);
    return axis;
}

static void draw(const struct breakdown *breakdown)
{
    struct plot *plot = breakdown->plot;
    struct legend_item legend[PARTS_MOST + 1];
    struct frame frame;
    struct text title = {0};
    double low, high;
    for (size_t i = 0; i < breakdown->part_count; i++)
        legend[i] =
            (struct legend_item){breakdown->parts[i].color, breakdown->parts[i].name, false};
    find_ends(breakdown, &low, &high);
    struct axis across = axis_of_numbers("iteration", &breakdown->division,
                                         frame_least_width(plot), NUMBER_ROOM);
    struct axis up;
    if (plot->scale == SCALE_SHARE) {
        up = axis_of_shares(plot, &title, low, high);
    } else {
        text_addf(&title, "%s %s", plot->summary->metrics[plot->metric].name, plot->each);
        up = axis_of_values(plot, &title, low, high);
    }
    frame_begin(&frame, plot, &across, &up, legend, breakdown->part_count, 0);
    frame_grid(&frame);
    draw_parts(breakdown, &frame);
    frame_end(&frame);
    text_free(&title);
}

bool plot_breakdown(struct plot *plot, struct error *error)
{
    struct breakdown breakdown = {.plot = plot,
                                  .division =
                                      divide(plot->iterations.first, plot->iterations.last + 1,
                                             (size_t)frame_least_width(plot))};
    (void)error;
    choose_parts(&breakdown);
    fill_means(&breakdown);
    subtract_parts(&breakdown);
    drop_empty(&breakdown);
    if (plot->scale == SCALE_SHARE)
        make_shares(&breakdown);
    text_add(&plot->notes, "Means over ");
    plot_add_count(&plot->notes, plot->selection->rank_count, "rank");
    if (breakdown.division.each > 1)
        text_addf(&plot->notes, " and the %" PRIu64 " iterations that each column stands for",
                  breakdown.division.each);
    text_add(&plot->notes, ".\n");
    draw(&breakdown);
    for (size_t i = 0; i < breakdown.part_count; i++)
        free(breakdown.parts[i].values);
    return true;
}
