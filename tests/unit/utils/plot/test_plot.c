/* The arithmetic of pictures: statistics, bins, ticks and units, colours, call paths by name.
 */
#include "plot/bins.h"
#include "plot/color_scale.h"
#include "plot/plot_ticks.h"
#include "query/callpath.h"
#include "query/rank_values.h"

#include "tap.h"
#include "tests/unit/utils/summary_maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_near(double value, double wanted)
{
    bool near = fabs(value - wanted) <= 1e-9 * fmax(fabs(wanted), 1e-300);
    if (!near)
        printf("# %.17g is not %.17g\n", value, wanted);
    return near;
}

static void test_weights_count_as_so_many_values(void)
{
    static const enum statistic all[] = {STATISTIC_MAX, STATISTIC_MEAN, STATISTIC_MEDIAN,
                                         STATISTIC_MIN};
    struct tally weighted, one_by_one;
    bool same = true;
    srand(7);
    tally_begin(&weighted, true);
    tally_begin(&one_by_one, true);
    for (int round = 0; round < 2000; round++) {
        tally_clear(&weighted);
        tally_clear(&one_by_one);
        for (int i = 0; i < 1 + round % 9; i++) {
            double value = rand() % 10 - 4;
            unsigned weight = (unsigned)rand() % 4;
            tally_add(&weighted, value, weight);
            while (weight-- > 0)
                tally_add(&one_by_one, value, 1);
        }
        for (size_t s = 0; s < 4; s++) {
            double a = tally_value(&weighted, all[s]), b = tally_value(&one_by_one, all[s]);
            same = same && (isnan(a) ? isnan(b) : is_near(a, b));
        }
    }
    OK(same, "maximum, mean, median and minimum of weighted values");
    tally_free(&weighted);
    tally_free(&one_by_one);
}

static void test_statistics_are_those_of_the_values(void)
{
    struct tally tally;
    tally_begin(&tally, true);
    OK(isnan(tally_value(&tally, STATISTIC_MAX)) &&
           isnan(tally_value(&tally, STATISTIC_MEDIAN)),
       "nothing has no value");
    tally_add(&tally, NAN, 5);
    OK(isnan(tally_value(&tally, STATISTIC_MEAN)), "nor has NaN");
    tally_add(&tally, -8, 1);
    tally_add(&tally, 2, 2);
    tally_add(&tally, 10, 1);
    OK(is_near(tally_value(&tally, STATISTIC_MAX), 10), "the largest");
    OK(is_near(tally_value(&tally, STATISTIC_MIN), -8), "the smallest");
    OK(is_near(tally_value(&tally, STATISTIC_MEAN), 1.5), "the mean");
    OK(is_near(tally_value(&tally, STATISTIC_MEDIAN), 2), "the median");
    tally_add(&tally, 4, 2);
    OK(is_near(tally_value(&tally, STATISTIC_MEDIAN), 3), "between two values, their mean");
    tally_free(&tally);
}

static void test_bins_are_equal_and_few_enough(void)
{
    struct division all = divide(0, 100, 100), some = divide(5, 105, 30), one = divide(3, 4, 9),
                    many = divide(0, (uint64_t)1 << 32, 700);
    EQ_INT(all.each, 1, "as many bins as things");
    EQ_INT(some.each, 4, "four in a bin, for three would be too many bins");
    EQ_INT(some.count, 25, "so there are 25");
    EQ_INT(one.count, 1, "one thing");
    OK(many.count <= 700 && many.count * many.each >= (uint64_t)1 << 32, "very many things");
}

static void test_bins_take_stretches_apart(void)
{
    struct division division = divide(10, 30, 5); /* four each */
    struct bins bins;
    bins_begin(&bins, &division, false);
    bins_add(&bins, 0, 13, 1);  /* 10 to 12 of the first */
    bins_add(&bins, 13, 6, 4);  /* the rest of it, the second, one of the third */
    bins_add(&bins, 29, 50, 9); /* the very last */
    double *means = bins_values(&bins, STATISTIC_MEAN);
    OK(is_near(means[0], 7.0 / 4) && is_near(means[1], 4) && is_near(means[2], 4),
       "what lies over an edge counts on both sides");
    OK(isnan(means[3]), "a bin without values has none");
    OK(is_near(means[4], 9), "what is outside does not count");
    free(means);
    bins_free(&bins);
}

static void test_ticks_are_round_and_between_the_ends(void)
{
    bool good = true;
    srand(11);
    for (int i = 0; i < 20000 && good; i++) {
        double low = (rand() % 2001 - 1000) * pow(10, rand() % 12 - 9);
        double high = low + (1 + rand() % 1000) * pow(10, rand() % 12 - 9);
        size_t most = 3 + (size_t)(rand() % 12);
        if (high - low < 1e-8 * fmax(fabs(low), fabs(high)))
            continue;
        struct ticks ticks = ticks_make(low, high, most, false);
        struct ticks around = ticks_around(low, high, true, most);
        double digit = ticks.step / pow(10, floor(log10(ticks.step) + 1e-6));
        good = ticks.count <= most &&
               (fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
        double slack = 1e-6 * ticks.step;
        if (ticks.count > 0)
            good = good && ticks_at(&ticks, 0) >= low - slack &&
                   ticks_at(&ticks, ticks.count - 1) <= high + slack;
        good = good && around.count <= most && around.count >= 2 &&
               ticks_at(&around, 0) <= low + 1e-6 * around.step &&
               ticks_at(&around, around.count - 1) >= high - 1e-6 * around.step;
        if (!good)
            printf("# %.17g to %.17g, at most %zu: %zu from %.17g by %.17g; %zu from %.17g\n",
                   low, high, most, ticks.count, ticks.first, ticks.step, around.count,
                   around.first);
    }
    OK(good, "ticks of 20000 ranges");
}

static void test_axes_of_extreme_values(void)
{
    struct ticks zero = ticks_around(0, 0, false, 6), constant = ticks_around(5, 5, true, 6),
                 below = ticks_around(-3, -1, false, 6);
    struct ticks halves = ticks_make(-2, 0, 5, false);
    char label[TICK_SIZE];
    OK(ticks_at(&zero, 0) == 0 && zero.count >= 2, "all zero: an axis from zero");
    OK(ticks_at(&constant, 0) < 5 && ticks_at(&constant, constant.count - 1) > 5,
       "all the same: room around it");
    OK(ticks_at(&below, below.count - 1) == 0, "below zero: zero is at the upper end");
    struct ticks numbers = ticks_make(0, 1, 10, true);
    EQ_INT(numbers.count, 2, "of whole numbers only 0 and 1");
    OK(strcmp(tick_label(label, &halves, -1.5), "−1.5") == 0, "a real minus: %s", label);
    struct ticks tenths = ticks_make(0, 0.3, 4, false);
    OK(strcmp(tick_label(label, &tenths, ticks_at(&tenths, 3)), "0.3") == 0, "%s", label);
}

static void test_units_have_prefixes(void)
{
    static const struct {
        const char *unit;
        double size, factor;
        const char *shown;
    } cases[] = {
        {"s", 0.25, 1e-3, "ms"},  {"s", 4e-9, 1e-9, "ns"},          {"s", 3, 1, "s"},
        {"s", 3e7, 3600, "h"},    {"bytes", 5e6, 1e6, "MB"},        {"bytes", 12, 1, "B"},
        {"occ", 900, 1, ""},      {"occ", 25000, 1e3, "10³"},       {"occ", 3e13, 1e12, "10¹²"},
        {"joule", 1, 1, "joule"}, {"joule", 4e6, 1e6, "10⁶ joule"}, {"s", 0, 1e-9, "ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char unit[UNIT_SIZE];
        double factor = axis_unit(cases[i].unit, cases[i].size, unit);
        OK(is_near(factor, cases[i].factor) && strcmp(unit, cases[i].shown) == 0, "%g %s in %s",
           cases[i].size, cases[i].unit, unit);
    }
}

static void test_colors_are_evenly_apart(void)
{
    struct palette palette;
    double least = 1, most = 0;
    bool rising = true;
    palette_sequential(&palette);
    for (size_t i = 1; i + 8 <= COLOR_STEPS; i++) {
        double step = color_difference(palette.colors[i], palette.colors[i + 8]);
        least = fmin(least, step);
        most = fmax(most, step);
        rising = rising &&
                 color_lightness(palette.colors[i + 8]) > color_lightness(palette.colors[i]);
    }
    OK(most < 2 * least, "no step looks twice as large as another: %g to %g", least, most);
    OK(rising, "lightness rises all the way");
    palette_diverging(&palette);
    OK(color_lightness(palette.colors[1 + COLOR_STEPS / 2]) > 0.9,
       "the middle of the other is light");
    OK(fabs(color_lightness(palette.colors[1]) - color_lightness(palette.colors[COLOR_STEPS])) <
           0.02,
       "and both its ends equally dark");
    OK(color_difference(0xffffff, 0x000000) > 0.99 && color_lightness(0x777777) > 0.5,
       "lightness is that of Oklab");
}

/*
 * What people see who lack a kind of cones, by rows, for linear light: G. M. Machado, M. M.
 * Oliveira and L. A. F. Fernandes, "A Physiologically-based Model for Simulation of Color
 * Vision Deficiency", IEEE TVCG 15(6), 2009, severity 1.
 */
static const struct vision {
    const char *name;
    double rows[3][3];
} visions[] = {
    {"protanopia",
     {{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia",
     {{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};

/* The curve of sRGB. */
static double light_of(rgb byte)
{
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static rgb byte_of(double light)
{
    light = fmin(fmax(light, 0), 1);
    return (rgb)lround(
        255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055));
}

static rgb seen_with(const struct vision *vision, rgb color)
{
    double light[3] = {light_of(color >> 16 & 0xff), light_of(color >> 8 & 0xff),
                       light_of(color & 0xff)};
    rgb seen = 0;
    for (size_t i = 0; i < 3; i++)
        seen =
            seen << 8 | byte_of(vision->rows[i][0] * light[0] + vision->rows[i][1] * light[1] +
                                vision->rows[i][2] * light[2]);
    return seen;
}

/* Things that are told apart have the page's colours, and its tests look at those. */
static void test_scales_keep_their_order_for_everybody(void)
{
    struct palette sequential, diverging;
    palette_sequential(&sequential);
    palette_diverging(&diverging);
    for (size_t v = 0; v < sizeof visions / sizeof visions[0]; v++) {
        bool rising = true;
        double none = 1, apart = 1;
        for (size_t i = 1; i + 4 <= COLOR_STEPS; i++) {
            rgb darker = seen_with(&visions[v], sequential.colors[i]);
            rgb lighter = seen_with(&visions[v], sequential.colors[i + 4]);
            rising = rising && color_lightness(darker) < color_lightness(lighter);
            none = fmin(none, color_difference(darker, seen_with(&visions[v], COLOR_NONE)));
        }
        OK(rising, "%s: lightness rises all the way", visions[v].name);
        OK(none > 0.04, "and where there is no value is like no value: %g", none);
        /* From a quarter of the way to either end on. */
        for (size_t i = 1; i <= COLOR_STEPS * 3 / 8; i++)
            apart =
                fmin(apart, color_difference(
                                seen_with(&visions[v], diverging.colors[i]),
                                seen_with(&visions[v], diverging.colors[COLOR_STEPS + 1 - i])));
        OK(apart > 0.05, "more and less are told apart: %g", apart);
    }
}

static void check_share(const struct color_scale *scale, double value, double wanted)
{
    double share = color_scale_share(scale, value);
    OK(isnan(wanted) ? isnan(share) : is_near(share, wanted), "%g is at %g", value, wanted);
}

static void test_scales_put_values_where_they_belong(void)
{
    static const float values[] = {4, 2, 2, NAN, 8, 100, 2};
    static const float signs[] = {-1, 3, 0};
    static const float same[] = {7, 7};
    static const float none[] = {NAN};
    struct color_scale scale;
    color_scale_make(&scale, COLORING_LINEAR, values, 7);
    check_share(&scale, 2, 0);
    check_share(&scale, 51, 0.5);
    check_share(&scale, 100, 1);
    check_share(&scale, NAN, NAN);
    color_scale_free(&scale);
    color_scale_make(&scale, COLORING_ZERO, values, 7);
    check_share(&scale, 2, 0.02);
    color_scale_free(&scale);
    color_scale_make(&scale, COLORING_ZERO, signs, 3);
    check_share(&scale, 0, 0.5);
    check_share(&scale, 3, 1);
    check_share(&scale, -1, 1.0 / 3);
    OK(color_lightness(scale.palette.colors[palette_index(0.5)]) > 0.9, "zero is light then");
    color_scale_free(&scale);
    color_scale_make(&scale, COLORING_EQUALIZED, values, 7);
    check_share(&scale, 2, 0);
    check_share(&scale, 4, 3.0 / 5);
    check_share(&scale, 8, 4.0 / 5);
    check_share(&scale, 100, 1);
    OK(color_scale_value(&scale, 0) == 2 && color_scale_value(&scale, 1) == 100 &&
           color_scale_value(&scale, 0.7) == 4,
       "and back");
    color_scale_free(&scale);
    color_scale_make(&scale, COLORING_EQUALIZED, same, 2);
    check_share(&scale, 7, 0);
    color_scale_free(&scale);
    /* Of 0 to 100, 1 and 99 are the percentiles; one value is far away. */
    float many[102];
    for (int i = 0; i <= 100; i++)
        many[i] = (float)i;
    many[101] = 50;
    color_scale_make(&scale, COLORING_PERCENTILES, many, 102);
    check_share(&scale, 50, 0.5);
    OK(scale.low == 0 && scale.high == 100,
       "nothing is clipped that is about as far as the rest");
    color_scale_free(&scale);
    many[101] = 1000;
    color_scale_make(&scale, COLORING_PERCENTILES, many, 102);
    OK(scale.low == 1 && scale.high == 100 && scale.least == 0 && scale.largest == 1000,
       "a value that is far away does not take the colours from the others: %g to %g",
       scale.low, scale.high);
    EQ_INT(palette_index(color_scale_share(&scale, 1000)), COLOR_ABOVE, "it is marked");
    EQ_INT(palette_index(color_scale_share(&scale, 0)), COLOR_BELOW, "so is what is below");
    EQ_INT(palette_index(color_scale_share(&scale, 100)), COLOR_STEPS, "the end is not");
    EQ_INT(palette_index(color_scale_share(&scale, 1)), 1, "nor the beginning");
    color_scale_free(&scale);
    color_scale_make(&scale, COLORING_LINEAR, none, 1);
    check_share(&scale, 1, NAN);
    EQ_INT(palette_index(NAN), COLOR_MISSING, "no value has a colour of its own");
    color_scale_free(&scale);
}

static struct summary *read_made(void (*make)(struct maker *maker))
{
    char path[64];
    struct maker maker;
    struct encoder file = {0};
    struct error error;
    snprintf(path, sizeof path, "/tmp/test_plot.%ld.tsprof", (long)getpid());
    make(&maker);
    maker_write(&maker, &file);
    maker_save(path, file.bytes, file.size);
    struct summary *summary = summary_read(path, &error);
    if (!summary)
        printf("# %s\n", error.text);
    unlink(path);
    encoder_free(&file);
    maker_free(&maker);
    return summary;
}

static size_t count_true(const bool *nodes, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += nodes[i];
    return found;
}

static void test_a_call_path_is_found_by_its_end(void)
{
    struct summary *summary = read_made(maker_example);
    struct path_tree *tree = path_tree_build(summary);
    struct error error;
    static const struct {
        const char *name;
        size_t paths, nodes;
    } cases[] = {
        {"main;step;solve;MPI_Allreduce", 1, 2}, /* called from two lines */
        {"main > step > solve", 1, 4},
        {"solve", 2, 5}, /* and one in MPI */
        {"step", 1, 5},
        {EXAMPLE_ASSEMBLE, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = 0;
        bool *nodes = callpath_find(tree, cases[i].name, &count, &error);
        OK(nodes && count == cases[i].paths &&
               count_true(nodes, summary->node_count) == cases[i].nodes,
           "%s: %zu call paths, %zu nodes", cases[i].name, count,
           nodes ? count_true(nodes, summary->node_count) : 0);
        free(nodes);
    }
    size_t count;
    OK(!callpath_find(tree, "olve", &count, &error), "not by a part of a name");
    OK(strstr(error.text, "\"olve\"") != NULL, "which is said: %s", error.text);
    path_tree_free(tree);
    summary_free(summary);
}

static void test_ranks_have_the_sum_of_their_threads(void)
{
    struct summary *summary = read_made(maker_threads);
    struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    struct selection selection;
    struct error error;
    selection_make(&selection, summary, &options, &error);
    uint32_t time = summary_metric(summary, "time");
    struct rank_values_of of = {summary_phase(summary, "step"), &time, 1, NULL};
    struct rank_values *values = rank_values_create(&selection, &of);
    /* Thread 0: 2, 2, 4, 2, 2, 4 ms; thread 1 from the third on, thread 2 up to it, 1 ms. */
    static const double wanted[] = {3, 3, 6, 3, 3, 5};
    struct rank_walk walk;
    uint64_t next = 0;
    bool right = true;
    rank_walk_begin(&walk, values, 0);
    while (rank_walk_step(&walk)) {
        right = right && walk.first == next;
        for (uint64_t i = 0; i < walk.length; i++, next++)
            right = right && next < 6 && is_near(walk.values[0], wanted[next] * 1e-3);
    }
    rank_walk_end(&walk);
    OK(right && next == 6, "six iterations of rank 0");
    struct ranks_walk ranks;
    uint64_t seen = 0;
    right = true;
    ranks_walk_begin(&ranks, values);
    while (ranks_walk_step(&ranks)) {
        for (uint64_t i = 0; i < ranks.length; i++, seen++)
            right = right && is_near(ranks.values[0], wanted[seen] * 1e-3) &&
                    (seen < 5 ? is_near(ranks.values[1], 3e-3) : isnan(ranks.values[1]));
    }
    ranks_walk_end(&ranks);
    OK(right && seen == 6, "both ranks together; rank 1 has five");
    rank_values_free(values);
    selection_free(&selection);
    summary_free(summary);
}

int main(void)
{
    test_statistics_are_those_of_the_values();
    test_weights_count_as_so_many_values();
    test_bins_are_equal_and_few_enough();
    test_bins_take_stretches_apart();
    test_ticks_are_round_and_between_the_ends();
    test_axes_of_extreme_values();
    test_units_have_prefixes();
    test_colors_are_evenly_apart();
    test_scales_keep_their_order_for_everybody();
    test_scales_put_values_where_they_belong();
    test_a_call_path_is_found_by_its_end();
    test_ranks_have_the_sum_of_their_threads();
    return tap_done();
}
