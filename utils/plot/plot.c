/* The words of a picture: its title, its notes, and what kinds of pictures share.  See plot.h.
 */
#include "plot/plot.h"

#include <inttypes.h>
#include <string.h>

void plot_add_count(struct text *text, uint64_t count, const char *one)
{
    text_addf(text, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
}

const char *plot_unit(const struct plot *plot)
{
    return plot->summary->metrics[plot->metric].unit;
}

static void add_ranks(struct plot *plot)
{
    const struct selection *selection = plot->selection;
    const struct rank_group *last = &selection->ranks[selection->rank_count - 1];
    plot_add_count(&plot->run, selection->rank_count, "rank");
    if (selection->rank_count == 1)
        text_addf(&plot->run, ": %" PRIu32, last->rank);
    else if (selection->ranks[0].rank != 0 ||
             last->rank != plot->summary->locations[plot->summary->location_count - 1].rank)
        text_addf(&plot->run, ": %" PRIu32 " to %" PRIu32, selection->ranks[0].rank,
                  last->rank);
    if (selection_has_threads(selection))
        text_addf(&plot->run, " with %zu threads", selection_locations(selection));
}

static void add_iterations(struct plot *plot)
{
    if (plot->of.phase == SUMMARY_NONE) {
        text_addf(&plot->run, " · %s",
                  plot->summary->derived ? plot->summary->derived : "whole run");
        return;
    }
    const char *phase = plot->summary->phases[plot->of.phase].name;
    if (plot->iterations.first == plot->iterations.last)
        text_addf(&plot->run, " · iteration %" PRIu64 " of %s", plot->iterations.first, phase);
    else
        text_addf(&plot->run, " · iterations %" PRIu64 " to %" PRIu64 " of %s",
                  plot->iterations.first, plot->iterations.last, phase);
}

/* The largest number of clusters that a rank was allowed; 0: all iterations were kept. */
static uint64_t clusters_asked(const struct plot *plot)
{
    uint64_t most = 0;
    for (size_t i = 0; i < plot->summary->location_count; i++) {
        const struct series *series =
            location_series(&plot->summary->locations[i], plot->of.phase);
        if (series && series->asked > most)
            most = series->asked;
    }
    return most;
}

/* What a summary was made from that was not measured itself. */
static void add_operands(struct plot *plot)
{
    static const char prefix[] = "operand.";
    for (size_t i = 0; i < plot->summary->fact_count && plot->summary->derived; i++) {
        const struct fact *fact = &plot->summary->facts[i];
        if (strncmp(fact->key, prefix, strlen(prefix)) == 0)
            text_addf(&plot->notes, "%s: %s\n", plot->summary->derived, fact->value);
    }
}

static const char *each_of(const struct plot *plot)
{
    if (plot->of.phase != SUMMARY_NONE)
        return "per iteration";
    return plot->summary->derived ? plot->summary->derived : "of the whole run";
}

static void add_title(struct plot *plot)
{
    const char *metric = plot->summary->metrics[plot->metric].name;
    bool several =
        plot->of.phase != SUMMARY_NONE && plot->iterations.first != plot->iterations.last;
    plot->each = each_of(plot);
    text_addf(&plot->title, "%s%s %s%s", plot->kind->of_parts ? "Parts of " : "", metric,
              plot->each,
              plot->kind->of_parts && plot->scale == SCALE_SHARE ? ", as shares" : "");
    if (plot->kind->of_topology && several)
        text_addf(&plot->title, ", %s over iterations", statistic_name(plot->statistic));
}

static void add_run(struct plot *plot)
{
    const char *program = summary_fact(plot->summary, "program");
    text_addf(&plot->run,
              "%s: ", program ? base_name(program) : base_name(plot->summary->path));
    add_ranks(plot);
    add_iterations(plot);
}

static void add_notes(struct plot *plot)
{
    const struct summary *summary = plot->summary;
    const struct metric_entry *metric = &summary->metrics[plot->metric];
    text_addf(&plot->notes, "%s: %s.\n", metric->name, metric->text);
    add_operands(plot);
    if (plot->of.phase != SUMMARY_NONE && clusters_asked(plot) > 0)
        text_addf(&plot->notes,
                  "An iteration is shown as the mean of its cluster, of which each rank has at "
                  "most %" PRIu64 ".\n",
                  clusters_asked(plot));
    if (summary->state == FORMAT_PARTIAL)
        text_add(&plot->notes,
                 "The summary is partial: not every process finished its measurement.\n");
}

void plot_add_words(struct plot *plot)
{
    add_title(plot);
    add_run(plot);
    add_notes(plot);
}

void plot_free_words(struct plot *plot)
{
    text_free(&plot->title);
    text_free(&plot->path);
    text_free(&plot->run);
    text_free(&plot->notes);
}
