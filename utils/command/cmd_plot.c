/* tsprof plot: pictures of a summary. */
#include "command/command.h"

#include "parts/parts.h"
#include "plot/plot.h"
#include "print/print.h"
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_WIDTH   900.0
#define USUAL_HEIGHT  520.0
#define LEAST_WIDTH   400
#define LEAST_HEIGHT  300
#define MOST_SIZE     4000
#define USUAL_FORMAT  "svg"
#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const char *const scale_names[] = {
    [SCALE_ZERO] = "zero", [SCALE_RANGE] = "range", [SCALE_SHARE] = "share"};

/* What is asked for, as far as the command line alone says. */
struct request {
    struct options options;
    const struct canvas_format *format;
};

/* Sets ERROR: NAME, which may be NULL, is no kind; returns false. */
static bool no_such_kind(const char *name, struct error *error)
{
    struct text list = {0};
    plot_kinds_list(&list);
    if (name)
        error_set(error, "plot: there is no kind \"%s\"; --kind takes %s", name,
                  text_string(&list));
    else
        error_set(error, "plot: --kind is missing: %s", text_string(&list));
    text_free(&list);
    return false;
}

static bool choose_kind(const struct request *request, struct plot *plot, struct error *error)
{
    const char *name = request->options.kind;
    plot->kind = name ? plot_kind_find(name) : NULL;
    return plot->kind || no_such_kind(name, error);
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
    plot->statistic = plot->kind->usual;
    if (!name)
        return true;
    if (!statistic_find(name, &plot->statistic))
        return error_set(error, "plot: --statistic takes max, mean, median or min, not %s",
                         name);
    return (plot->kind->statistics >> plot->statistic & 1) ||
           error_set(error, "plot: --kind %s does not take --statistic %s", plot->kind->name,
                     name);
}

static bool choose_scale(const struct request *request, struct plot *plot, struct error *error)
{
    const char *name = request->options.scale;
    if (!name)
        return true;
    for (size_t i = 0; i < LENGTH(scale_names); i++)
        if (strcmp(name, scale_names[i]) == 0 && (plot->kind->scales >> i & 1)) {
            plot->scale = (enum plot_scale)i;
            return true;
        }
    return error_set(error, "plot: --kind %s does not take --scale %s", plot->kind->name, name);
}

static bool choose_colors(const struct request *request, struct plot *plot, struct error *error)
{
    const char *name = request->options.color;
    if (!name)
        return true;
    if (!plot->kind->of_colors)
        return error_set(error, "plot: --kind %s does not take --color", plot->kind->name);
    plot->coloring_given = true;
    return coloring_find(name, &plot->coloring) ||
           error_set(error,
                     "plot: --color takes percentiles, linear, zero or equalized, "
                     "not %s",
                     name);
}

/* What the command line says of the picture. */
static bool read_request(struct request *request, struct plot *plot, struct error *error)
{
    *plot = (struct plot){.width = USUAL_WIDTH, .height = USUAL_HEIGHT};
    return choose_kind(request, plot, error) && choose_format(request, error) &&
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
    if (options->total && !plot->kind->whole_run)
        return error_set(error, "plot: --kind %s is over iterations, it does not take --total",
                         plot->kind->name);
    plot->of.phase = SUMMARY_NONE;
    if (options->total || (plot->kind->whole_run && !said && !has_iterations(plot->selection)))
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
    for (size_t i = 0; i < list->count && plot->kind->of_topology; i++) {
        const struct topology *item = &list->items[i];
        char number[32];
        snprintf(number, sizeof number, "%zu", i);
        bool meant = !wanted || strcmp(wanted, number) == 0 || strcmp(wanted, item->name) == 0;
        if (!meant || item->kind != TOPOLOGY_CARTESIAN || item->dimension_count == 0)
            continue;
        if (!plot->topology || (!wanted && item->members > plot->topology->members))
            plot->topology = item;
    }
    if (plot->topology || !plot->kind->of_topology)
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

/* Opens the output, draws, closes it; an exit_status. */
static int draw(const struct request *request, struct plot *plot)
{
    struct output_file output;
    struct error error;
    if (request->options.force)
        output_make_way(request->options.output, plot->summary->path);
    if (!output_open(&output, request->options.output, plot->summary->path, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    plot->canvas = request->format->open(output.stream, plot->width, plot->height);
    bool possible = plot->kind->draw(plot, &error);
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
        plot_add_words(plot);
        status = draw(request, plot);
    } else {
        complain("%s", error.text);
    }
    free((bool *)plot->of.nodes);
    plot_free_words(plot);
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
