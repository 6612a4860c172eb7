/*
 * The process graph: a value by rank, as it is over the iterations, or in the whole run.  See
 * plot.h.
 */
#include "plot/plot_ranks.h"

#include "base/base.h"
#include "plot/plot_lines.h"

/* Calls VISIT with what each selected rank has. */
static void for_each_rank(const struct plot *plot, void *context,
                          void (*visit)(void *context, size_t rank, struct tally *tally))
{
    const struct selection *selection = plot->selection;
    bool whole = plot->of.phase == SUMMARY_NONE;
    struct rank_values *values = whole ? NULL : rank_values_create(selection, &plot->of);
    struct tally tally;
    tally_begin(&tally, plot->statistic == STATISTIC_MEDIAN);
    for (size_t r = 0; r < selection->rank_count; r++) {
        struct rank_walk walk;
        double value;
        tally_clear(&tally);
        if (whole) {
            rank_whole_run(selection, &plot->of, r, &value);
            tally_add(&tally, value, 1);
        } else {
            rank_walk_begin(&walk, values, r);
            while (rank_walk_step(&walk))
                tally_add(&tally, walk.values[0], walk.length);
            rank_walk_end(&walk);
        }
        visit(context, r, &tally);
    }
    tally_free(&tally);
    rank_values_free(values);
}

struct by_rank {
    const struct plot *plot;
    double *values;
    struct lines *lines;
};

static void keep_value(void *context, size_t rank, struct tally *tally)
{
    struct by_rank *by_rank = context;
    by_rank->values[rank] = tally_value(tally, by_rank->plot->statistic);
}

double *plot_rank_values(const struct plot *plot)
{
    double *values = allocate(plot->selection->rank_count, sizeof *values);
    for_each_rank(plot, &(struct by_rank){plot, values, NULL}, keep_value);
    return values;
}

static void add_rank(void *context, size_t rank, struct tally *tally)
{
    struct by_rank *by_rank = context;
    lines_add(by_rank->lines, by_rank->plot->selection->ranks[rank].rank, 1, tally);
}

bool plot_ranks(struct plot *plot, struct error *error)
{
    const struct selection *selection = plot->selection;
    bool whole = plot->of.phase == SUMMARY_NONE;
    struct lines lines;
    struct text over = {0};
    (void)error;
    text_add(&over, "maximum over ");
    plot_add_count(&over, plot->iterations.last - plot->iterations.first + 1, "iteration");
    lines_begin(&lines, plot, selection->ranks[0].rank,
                (uint64_t)selection->ranks[selection->rank_count - 1].rank + 1);
    lines.alone = whole || plot->iterations.first == plot->iterations.last;
    for_each_rank(plot, &(struct by_rank){plot, NULL, &lines}, add_rank);
    lines_draw(&lines, plot, &(struct lines_words){"rank", text_string(&over)});
    lines_free(&lines);
    text_free(&over);
    return true;
}
