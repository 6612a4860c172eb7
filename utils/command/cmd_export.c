/* tsprof export: what a summary holds, for other tools. */
#include "command/command.h"

#include "cubex/cubex.h"
#include "export/export.h"
#include "parts/parts.h"
#include "print/print.h"

#include <string.h>

/* A format that --format takes.  To add one, add a row. */
static const struct format {
    const char *name;
    bool (*has)(const char *what); /* does it have something of the kind WHAT? */
    const char *kinds;             /* all kinds that it has, for messages */
    const char *usual;             /* the kind without --what; NULL: --what is required */
    bool calculates;               /* it takes --minus and similar options, and --sum */
    export_write *write;
} formats[] = {
    {"csv", export_has_table, EXPORT_TABLES, NULL, false, export_csv},
    {"json", export_has_table, EXPORT_TABLES, NULL, false, export_json},
    {"folded", export_has_flame, "callpaths", "callpaths", true, export_folded},
    {"speedscope", export_has_flame, "callpaths", "callpaths", true, export_speedscope},
    {"cubex", export_has_cubex, EXPORT_CUBEX, EXPORT_CUBEX, false, export_cubex},
};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

/* "a, b or c" of the formats' names. */
static void list_formats(struct text *list)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        text_addf(list, "%s%s",
                  i == 0                 ? ""
                  : i + 1 < FORMAT_COUNT ? ", "
                                         : " or ",
                  formats[i].name);
}

/* The format called NAME, csv for NULL; NULL and a message if there is none. */
static const struct format *find_format(const char *name)
{
    struct text list = {0};
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!name || strcmp(name, formats[i].name) == 0)
            return &formats[i];
    list_formats(&list);
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

/* False, and a message, if OPTIONS have what FORMAT cannot do. */
static bool check_options(const struct format *format, const struct options *options)
{
    if (options->how && format->write != export_cubex) {
        complain("export: the format %s does not take --iterations; cubex does", format->name);
        return false;
    }
    const char *option = options->minus                    ? "--minus"
                         : options->minus_iterations_given ? "--minus-iteration"
                         : options->minus_ranks_given      ? "--minus-rank"
                         : options->sum                    ? "--sum"
                                                           : NULL;
    if (!option || format->calculates)
        return true;
    complain("export: the format %s does not take %s; folded and speedscope do", format->name,
             option);
    return false;
}

int cmd_export(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct selection selection;
    struct error error;
    enum options_result result = options_parse(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    const struct format *format = find_format(options.format);
    if (!format || !choose_kind(format, &options) || !check_options(format, &options))
        return EXIT_USAGE;
    struct subject subject;
    int status = EXIT_DATA;
    if (!subject_open(&subject, options.file, &error)) {
        complain("%s", error.text);
        return EXIT_DATA;
    }
    if (!selection_make(&selection, subject.summary, &options, &error)) {
        complain("%s", error.text);
        status = EXIT_USAGE;
    } else {
        status = format->write(&(struct export){subject.summary, &options, &selection});
        selection_free(&selection);
    }
    subject_close(&subject);
    return status;
}
