/* The iteration graph: a value over iterations, as the ranks have it.  See plot.h. */
#include "plot/plot_lines.h"

bool plot_graph(struct plot *plot, struct error *error)
{
    struct lines lines;
    struct text over = {0};
    struct tally tally;
    struct ranks_walk walk;
    size_t ranks = plot->selection->rank_count;
    struct rank_values *values = rank_values_create(plot->selection, &plot->of);
    (void)error;
    text_add(&over, "maximum over ");
    plot_add_count(&over, ranks, "rank");
    tally_begin(&tally, plot->statistic == STATISTIC_MEDIAN);
    lines_begin(&lines, plot, plot->iterations.first, plot->iterations.last + 1);
    lines.alone = ranks == 1;
    ranks_walk_begin(&walk, values);
    while (ranks_walk_step(&walk)) {
        tally_clear(&tally);
        for (size_t r = 0; r < ranks; r++)
            tally_add(&tally, walk.values[r], 1);
        lines_add(&lines, walk.first, walk.length, &tally);
    }
    ranks_walk_end(&walk);
    rank_values_free(values);
    tally_free(&tally);
    lines_draw(&lines, plot, &(struct lines_words){"iteration", text_string(&over)});
    lines_free(&lines);
    text_free(&over);
    return true;
}
