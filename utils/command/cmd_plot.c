/* tsprof plot: pictures of a summary. */
#include "command/command.h"

#include "parts/parts.h"
#include "plot/plot.h"
#include "print/print.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_WIDTH    900.0
#define USUAL_HEIGHT   520.0
#define LEAST_WIDTH    400
#define LEAST_HEIGHT   300
#define MOST_SIZE      4000
#define USUAL_FORMAT   "svg"
#define LENGTH(array)  (sizeof(array) / sizeof(array)[0])
#define BIT(statistic) (1u << STATISTIC_##statistic)

/* A kind of picture.  To add one, add a row. */
static const struct kind {
    const char *name;
    plot_draw *draw;
    bool whole_run; /* it can show the whole run */
    bool of_topology;
    bool of_colors;      /* it takes --color */
    unsigned statistics; /* that --statistic takes */
    enum statistic usual;
    unsigned scales; /* that --scale takes */
} kinds[] = {
    {"graph", plot_graph, false, false, false, BIT(MEAN) | BIT(MEDIAN), STATISTIC_MEAN,
     1u << SCALE_ZERO | 1u << SCALE_RANGE},
    {"map", plot_map, false, false, true, BIT(MAX) | BIT(MEAN) | BIT(MEDIAN) | BIT(MIN),
     STATISTIC_MAX, 0},
    {"breakdown", plot_breakdown, false, false, false, BIT(MEAN), STATISTIC_MEAN,
     1u << SCALE_ZERO | 1u << SCALE_SHARE},
    {"ranks", plot_ranks, true, false, false, BIT(MEAN) | BIT(MEDIAN), STATISTIC_MEAN,
     1u << SCALE_ZERO | 1u << SCALE_RANGE},
    {"topology", plot_topology, true, true, true, BIT(MAX) | BIT(MEAN) | BIT(MEDIAN) | BIT(MIN),
     STATISTIC_MEAN, 0},
};

static const char *const scale_names[] = {
    [SCALE_ZERO] = "zero", [SCALE_RANGE] = "range", [SCALE_SHARE] = "share"};

/* What is asked for, as far as the command line alone says. */
struct request {
    struct options options;
    const struct kind *kind;
    const struct canvas_format *format;
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < LENGTH(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Sets ERROR: NAME, which may be NULL, is no kind; returns false. */
static bool no_such_kind(const char *name, struct error *error)
{
    const char *names[LENGTH(kinds)];
    struct text list = {0};
    for (size_t i = 0; i < LENGTH(kinds); i++)
        names[i] = kinds[i].name;
    text_add_list(&list, names, LENGTH(kinds), "or");
    if (name)
        error_set(error, "plot: there is no kind \"%s\"; --kind takes %s", name,
                  text_string(&list));
    else
        error_set(error, "plot: --kind is missing: %s", text_string(&list));
    text_free(&list);
    return false;
}

static bool choose_kind(struct request *request, struct error *error)
{
    const char *name = request->options.kind;
    request->kind = name ? find_kind(name) : NULL;
    return request->kind || no_such_kind(name, error);
}

/* By --format, or else by how the name of the output ends. */
static bool choose_format(struct request *request, struct error *error)
{
    const struct options *options = &request->options;
    const char *dot = options->output ? strrchr(base_name(options->output), '.') : NULL;
    const char *name = options->format ? options->format : dot ? dot + 1 : USUAL_FORMAT;
    request->format = canvas_format_find(name);
    if (!request->format)
        return error_set(error,
                         "plot: there is no format \"%s\"; the output's name ends with .svg, "
                         ".png or .pdf, or --format says it",
                         name);
    if (request->format->missing)
        return error_set(error,
                         "plot: this tsprof was built without %s, which %s needs; svg does not",
                         request->format->missing, name);
    return true;
}

/* "900x520"; nothing for NULL. */
static bool read_size(const char *text, struct plot *plot, struct error *error)
{
    unsigned width, height;
    int length = 0;
    if (!text)
        return true;
    if (sscanf(text, "%4ux%4u%n", &width, &height, &length) != 2 || text[length] ||
        width < LEAST_WIDTH || height < LEAST_HEIGHT || width > MOST_SIZE || height > MOST_SIZE)
        return error_set(
            error, "plot: invalid value for --size: %s; it takes WIDTHxHEIGHT, %dx%d to %dx%d",
            text, LEAST_WIDTH, LEAST_HEIGHT, MOST_SIZE, MOST_SIZE);
    plot->width = width;
    plot->height = height;
    return true;
}

static bool choose_statistic(const struct request *request, struct plot *plot,
                             struct error *error)
{
    const char *name = request->options.statistic;
    plot->statistic = request->kind->usual;
    if (!name)
        return true;
    if (!statistic_find(name, &plot->statistic))
        return error_set(error, "plot: --statistic takes max, mean, median or min, not %s",
                         name);
    return (request->kind->statistics >> plot->statistic & 1) ||
           error_set(error, "plot: --kind %s does not take --statistic %s", request->kind->name,
                     name);
}

static bool choose_scale(const struct request *request, struct plot *plot, struct error *error)
{
    const char *name = request->options.scale;
    if (!name)
        return true;
    for (size_t i = 0; i < LENGTH(scale_names); i++)
        if (strcmp(name, scale_names[i]) == 0 && (request->kind->scales >> i & 1)) {
            plot->scale = (enum plot_scale)i;
            return true;
        }
    return error_set(error, "plot: --kind %s does not take --scale %s", request->kind->name,
                     name);
}

static bool choose_colors(const struct request *request, struct plot *plot, struct error *error)
{
    const char *name = request->options.color;
    if (!name)
        return true;
    if (!request->kind->of_colors)
        return error_set(error, "plot: --kind %s does not take --color", request->kind->name);
    plot->coloring_given = true;
    return coloring_find(name, &plot->coloring) ||
           error_set(error, "plot: --color takes linear, zero or equalized, not %s", name);
}

/* What the command line says of the picture. */
static bool read_request(struct request *request, struct plot *plot, struct error *error)
{
    *plot = (struct plot){.width = USUAL_WIDTH, .height = USUAL_HEIGHT};
    return choose_kind(request, error) && choose_format(request, error) &&
           read_size(request->options.size, plot, error) &&
           choose_statistic(request, plot, error) && choose_scale(request, plot, error) &&
           choose_colors(request, plot, error);
}

static bool choose_metric(const struct request *request, struct plot *plot, struct error *error)
{
    const struct options *options = &request->options;
    const char *name = options->metric_count ? options->metrics[0] : "time";
    plot->metric = summary_metric(plot->summary, name);
    plot->of.metrics = &plot->metric;
    plot->of.metric_count = 1;
    return plot->metric != SUMMARY_NONE ||
           error_set(error, "%s: has no metric \"%s\"; choose one with --metric",
                     plot->summary->path, name);
}

static bool has_iterations(const struct selection *selection)
{
    for (uint32_t p = 0; p < selection->summary->phase_count; p++)
        if (selection->phases[p])
            return true;
    return false;
}

/* Which iterations of which phase, or the whole run. */
static bool choose_iterations(const struct request *request, struct plot *plot,
                              struct error *error)
{
    const struct options *options = &request->options;
    bool said = options->phase_count > 0 || options->iterations_given;
    if (options->total && said)
        return error_set(error, "--total is the whole run, not iterations of a phase");
    if (options->total && !request->kind->whole_run)
        return error_set(error, "plot: --kind %s is over iterations, it does not take --total",
                         request->kind->name);
    plot->of.phase = SUMMARY_NONE;
    if (options->total ||
        (request->kind->whole_run && !said && !has_iterations(plot->selection)))
        return true;
    plot->of.phase = selection_phase(plot->selection, error);
    if (plot->of.phase == SUMMARY_NONE)
        return false;
    uint64_t count = selection_iterations(plot->selection, plot->of.phase);
    plot->iterations = plot->selection->iterations;
    if (plot->iterations.first >= count)
        return error_set(error, "%s: none of the ranks has these iterations of %s",
                         plot->summary->path, plot->summary->phases[plot->of.phase].name);
    if (plot->iterations.last >= count)
        plot->iterations.last = count - 1;
    return true;
}

static bool choose_path(const struct request *request, struct plot *plot, struct error *error)
{
    const char *name = request->options.callpath;
    size_t count;
    if (!name)
        return true;
    struct path_tree *tree = path_tree_build(plot->summary);
    plot->of.nodes = callpath_find(tree, name, &count, error);
    path_tree_free(tree);
    if (!plot->of.nodes)
        return false;
    text_addf(&plot->path, "call path %s, with what it calls", name);
    if (count > 1)
        text_addf(&plot->path, ", in %zu places", count);
    return true;
}

/* The grid of --topology by number or name, or else the largest that there is. */
static bool choose_topology(const struct request *request, struct plot *plot,
                            struct error *error)
{
    const struct topology_list *list = &plot->summary->topologies;
    const char *wanted = request->options.topology;
    for (size_t i = 0; i < list->count && request->kind->of_topology; i++) {
        const struct topology *item = &list->items[i];
        char number[32];
        snprintf(number, sizeof number, "%zu", i);
        bool meant = !wanted || strcmp(wanted, number) == 0 || strcmp(wanted, item->name) == 0;
        if (!meant || item->kind != TOPOLOGY_CARTESIAN || item->dimension_count == 0)
            continue;
        if (!plot->topology || (!wanted && item->members > plot->topology->members))
            plot->topology = item;
    }
    if (plot->topology || !request->kind->of_topology)
        return true;
    if (wanted)
        return error_set(
            error,
            "%s: has no Cartesian topology \"%s\"; tsprof export --what topologies "
            "lists them",
            plot->summary->path, wanted);
    return error_set(error, "%s: has no Cartesian topology; the program made none",
                     plot->summary->path);
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

static void add_title(const struct request *request, struct plot *plot)
{
    const char *metric = plot->summary->metrics[plot->metric].name;
    bool several =
        plot->of.phase != SUMMARY_NONE && plot->iterations.first != plot->iterations.last;
    plot->each = plot->of.phase != SUMMARY_NONE ? "per iteration"
                 : plot->summary->derived       ? plot->summary->derived
                                                : "of the whole run";
    if (request->kind->draw == plot_breakdown && plot->scale == SCALE_SHARE)
        text_addf(&plot->title, "Parts of %s %s, as shares", metric, plot->each);
    else if (request->kind->draw == plot_breakdown)
        text_addf(&plot->title, "Parts of %s %s", metric, plot->each);
    else
        text_addf(&plot->title, "%s %s", metric, plot->each);
    if (request->kind->draw == plot_topology && several)
        text_addf(&plot->title, ", %s over iterations", statistic_name(plot->statistic));
}

static void add_words(const struct request *request, struct plot *plot)
{
    const struct summary *summary = plot->summary;
    const struct metric_entry *metric = &summary->metrics[plot->metric];
    const char *program = summary_fact(summary, "program");
    add_title(request, plot);
    text_addf(&plot->run, "%s: ", program ? base_name(program) : base_name(summary->path));
    add_ranks(plot);
    add_iterations(plot);
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

/* Opens the output, draws, closes it; an exit_status. */
static int draw(const struct request *request, struct plot *plot)
{
    struct output_file output;
    struct error error;
    if (!output_open(&output, request->options.output, plot->summary->path, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    plot->canvas = request->format->open(output.stream, plot->width, plot->height);
    bool possible = request->kind->draw(plot, &error);
    struct error drawing;
    bool drawn = canvas_close(plot->canvas, &drawing);
    if (!possible) {
        output_discard(&output);
        complain("%s", error.text);
        return EXIT_USAGE;
    }
    if (drawn ? output_close(&output, &error) : output_discard(&output))
        return EXIT_DONE;
    complain("%s", drawn ? error.text : drawing.text);
    return EXIT_DATA;
}

static int plot_subject(const struct request *request, struct plot *plot)
{
    struct error error;
    int status = EXIT_USAGE;
    if (plot->selection->rank_count == 0) {
        complain("%s: nothing was measured", plot->summary->path);
        return EXIT_DATA;
    }
    if (choose_metric(request, plot, &error) && choose_iterations(request, plot, &error) &&
        choose_path(request, plot, &error) && choose_topology(request, plot, &error)) {
        add_words(request, plot);
        status = draw(request, plot);
    } else {
        complain("%s", error.text);
    }
    free((bool *)plot->of.nodes);
    text_free(&plot->title);
    text_free(&plot->path);
    text_free(&plot->run);
    text_free(&plot->notes);
    return status;
}

int cmd_plot(const struct command *command, int argc, char **argv)
{
    struct request request;
    struct plot plot;
    struct subject subject;
    struct selection selection;
    struct error error;
    enum options_result result = options_parse(command, argc, argv, &request.options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (!read_request(&request, &plot, &error)) {
        complain("%s", error.text);
        return EXIT_USAGE;
    }
    if (!subject_open(&subject, request.options.file, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    int status = EXIT_USAGE;
    if (selection_make(&selection, subject.summary, &request.options, &error)) {
        plot.summary = subject.summary;
        plot.selection = &selection;
        status = plot_subject(&request, &plot);
        selection_free(&selection);
    } else {
        complain("%s", error.text);
    }
    subject_close(&subject);
    return status;
}
