/* tsprof export: what a summary holds, for other tools. */
#include "command/command.h"

#include "archive/archive.h"
#include "clocks/clocks.h"
#include "cubex/cubex.h"
#include "export/export.h"
#include "parts/parts.h"
#include "perfetto/perfetto.h"
#include "print/print.h"

#include <string.h>

#define EVENTS "events"

static bool has_events(const char *what)
{
    return strcmp(what, EVENTS) == 0;
}

/* A format that --format takes.  To add one, add a row. */
static const struct format {
    const char *name;
    bool (*has)(const char *what); /* does it have something of the kind WHAT? */
    const char *kinds;             /* all kinds that it has, for messages */
    const char *usual;             /* the kind without --what; NULL: --what is required */
    bool calculates;               /* it takes --minus and similar options, and --sum */
    bool keeps_iterations;         /* it takes --iterations HOW */
    bool numbers_paths;            /* it takes --paths HOW */
    export_write *write;           /* NULL: it is of a trace, not of a summary */
} formats[] = {
    {"csv", export_has_table, EXPORT_TABLES, NULL, false, false, true, export_csv},
    {"json", export_has_table, EXPORT_TABLES, NULL, false, false, true, export_json},
    {"folded", export_has_flame, "callpaths", "callpaths", true, false, false, export_folded},
    {"speedscope", export_has_flame, "callpaths", "callpaths", true, false, false,
     export_speedscope},
    {"cubex", export_has_cubex, EXPORT_CUBEX, EXPORT_CUBEX, false, true, false, export_cubex},
    {"perfetto", has_events, EVENTS, EVENTS, false, false, false, NULL},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

static bool is_any(const struct format *format)
{
    (void)format;
    return true;
}

static bool calculates(const struct format *format)
{
    return format->calculates;
}

static bool keeps_iterations(const struct format *format)
{
    return format->keeps_iterations;
}

static bool numbers_paths(const struct format *format)
{
    return format->numbers_paths;
}

static bool is_of_summary(const struct format *format)
{
    return format->write != NULL;
}

/* Adds the names of the formats that are MEANT, joined by LAST; returns how many. */
static size_t list_formats(struct text *list, bool (*meant)(const struct format *format),
                           const char *last)
{
    const char *names[FORMAT_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (meant(&formats[i]))
            names[count++] = formats[i].name;
    text_add_list(list, names, count, last);
    return count;
}

/* The format called NAME, csv for NULL; NULL and a message if there is none. */
static const struct format *find_format(const char *name)
{
    struct text list = {0};
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!name || strcmp(name, formats[i].name) == 0)
            return &formats[i];
    list_formats(&list, is_any, "or");
    complain("export: there is no format \"%s\"; --format takes %s", name, text_string(&list));
    text_free(&list);
    return NULL;
}

/* Settles what is to be written; false, and a message, if FORMAT does not have it. */
static bool choose_kind(const struct format *format, struct options *options)
{
    if (!options->what)
        options->what = format->usual;
    if (!options->what)
        complain("export: --what is missing: %s", format->kinds);
    else if (!format->has(options->what))
        complain("export: there is no table \"%s\" in the format %s; --what takes %s",
                 options->what, format->name, format->kinds);
    else
        return true;
    return false;
}

/* Says that FORMAT does not take OPTION, and which formats do: those that ABLE is true for. */
static void complain_of(const struct format *format, const char *option,
                        bool (*able)(const struct format *format))
{
    struct text list = {0};
    const size_t count = list_formats(&list, able, "and");
    complain("export: the format %s does not take %s; %s %s", format->name, option,
             text_string(&list), count == 1 ? "does" : "do");
    text_free(&list);
}

/* False, and a message, if --paths has another word than those that it takes. */
static bool read_paths(struct options *options)
{
    options->numbered = options->paths && strcmp(options->paths, "numbered") == 0;
    if (!options->paths || options->numbered || strcmp(options->paths, "named") == 0)
        return true;
    complain("export: --paths takes named or numbered, not \"%s\"", options->paths);
    return false;
}

/* False, and a message, if OPTIONS have what FORMAT cannot do. */
static bool check_options(const struct format *format, const struct options *options)
{
    const char *option = options->minus                    ? "--minus"
                         : options->minus_iterations_given ? "--minus-iteration"
                         : options->minus_ranks_given      ? "--minus-rank"
                         : options->sum                    ? "--sum"
                                                           : NULL;
    if (options->metric_count > 0 && !is_of_summary(format))
        complain_of(format, "--metric", is_of_summary);
    else if (options->total && !is_of_summary(format))
        complain_of(format, "--total", is_of_summary);
    else if (options->how && !format->keeps_iterations)
        complain_of(format, "--iterations", keeps_iterations);
    else if (option && !format->calculates)
        complain_of(format, option, calculates);
    else if (options->paths && !format->numbers_paths)
        complain_of(format, "--paths", numbers_paths);
    else
        return true;
    return false;
}

static int export_trace(const struct options *options)
{
    struct output_file output;
    struct error error;
    struct clocks clocks;
    struct trace *trace = trace_open(options->file, &error);
    if (trace && options->force)
        output_make_way(options->output, trace->path);
    bool good = trace && output_open(&output, options->output, trace->path, &error);
    if (good) {
        good = clocks_correct(trace, &clocks, &error) &&
               perfetto_write(trace, options, output.stream, &error);
        good = good ? output_close(&output, &error) : output_discard(&output);
    }
    trace_close(trace);
    if (good)
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

static int export_summary(const struct format *format, const struct options *options)
{
    struct subject subject;
    struct selection selection;
    struct error error;
    int status = EXIT_USAGE;
    if (!subject_open(&subject, options->file, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    if (!selection_make(&selection, subject.summary, options, &error)) {
        complain("%s", error.text);
    } else {
        status = format->write(&(struct export){subject.summary, options, &selection});
        selection_free(&selection);
    }
    subject_close(&subject);
    return status;
}

int cmd_export(const struct command *command, int argc, char **argv)
{
    struct options options;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    const struct format *format = find_format(options.format);
    if (!format || !choose_kind(format, &options) || !check_options(format, &options) ||
        !read_paths(&options))
        return EXIT_USAGE;
    return format->write ? export_summary(format, &options) : export_trace(&options);
}
