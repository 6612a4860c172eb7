/* The table of options and reading them.  See options.h. */
#include "options/options.h"

#include "print/print.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define LONG_ONLY 0x100 /* added to the letter of a row without a short form */

struct option_row {
    char letter;     /* in a command's list */
    bool short_form; /* the letter is an option too */
    const char *name;
    const char *value; /* NULL: takes none */
    const char *text;
};

static const struct option_row rows[] = {
    {'w', false, "what", "WHAT", "one of those above"},
    {'f', false, "format", "FORMAT", "one of those above"},
    {'o', true, "output", "OUT", "write to this file"},
    {'t', false, "total", NULL, "call paths of the whole run, not of iterations"},
    {'p', false, "phase", "P", "only this phase; may be given several times"},
    {'i', false, "iteration", "A-B", "only these iterations; they count from 0"},
    {'j', false, "iterations", "A-B", "the same as --iteration"},
    {'a', false, "minus", "FILE", "subtract the same of this summary"},
    {'A', false, "minus-iteration", "A-B", "subtract these iterations"},
    {'R', false, "minus-rank", "A-B", "subtract these ranks"},
    {'s', false, "sum", NULL, "the sum of the iterations, not their mean"},
    {'I', false, "iterations", "HOW", "in a cubex: clusters, nodes or sum"},
    {'r', false, "rank", "A-B", "only these ranks"},
    {'T', false, "thread", "A-B", "only these threads of each rank; 0 initialised MPI"},
    {'P', false, "callpath", "PATH", "only this call path, with what it calls"},
    {'m', false, "metric", "M", "only this metric; may be given several times"},
    {'M', false, "metric", "M", "the metric to look at; default time"},
    {'q', false, "sort", "BY", "call paths by value, imbalance, name or visits"},
    {'K', false, "color", "WHEN", "auto, always or never; default: on a terminal"},
    {'k', false, "kind", "KIND", "one of those above"},
    {'S', false, "statistic", "S", "max, mean, median or min"},
    {'l', false, "color", "C", "of maps: linear, zero or equalized"},
    {'L', false, "scale", "S", "of axes: zero, range or share"},
    {'g', false, "topology", "T", "the number or name of a grid; default: the largest"},
    {'z', false, "size", "WxH", "of the picture, in 1/96 inch; default 900x520"},
    {'n', false, "top", "N", "length of lists, of what is slowest or largest"},
    {'c', false, "clusters", "N", "most clusters of a phase on each thread, or auto"},
    {'C', false, "clustering", "M", "adaptive or szebenyi; default: as it was measured"},
    {'e', false, "equivalence", "E", "strong, weak, hybrid, none, auto ...; likewise"},
    {'x', false, "remove", NULL, "remove the parts once they are merged"},
    {'h', true, "help", NULL, "this text"},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

static bool takes(const struct command *command, const struct option_row *row)
{
    return row->letter == 'h' || (command->options && strchr(command->options, row->letter));
}

void options_help(const struct command *command)
{
    printf("usage: tsprof %s %s\n\n%s.\n", command->name, command->synopsis, command->text);
    if (command->details)
        printf("\n%s", command->details);
    if (!command->options)
        return;
    printf("\nOptions:\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        char form[32];
        if (!takes(command, row))
            continue;
        snprintf(form, sizeof form, "--%s%s%s", row->name, row->value ? " " : "",
                 row->value ? row->value : "");
        printf("  %c%c%s %-21s %s\n", row->short_form ? '-' : ' ',
               row->short_form ? row->letter : ' ', row->short_form ? "," : " ", form,
               row->text);
    }
}

/* Reads digits at *TEXT and steps over them. */
static bool read_number(const char **text, uint64_t *number)
{
    const char *at = *text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number))
            return false;
    bool any = at != *text;
    *text = at;
    return any;
}

/* "A", "A-B", or "A-" for all from A on. */
static bool read_range(const char *text, struct range *range)
{
    if (!read_number(&text, &range->first))
        return false;
    range->last = range->first;
    if (*text == '-') {
        text++;
        range->last = UINT64_MAX;
        if (*text && !read_number(&text, &range->last))
            return false;
    }
    return *text == '\0' && range->first <= range->last;
}

static bool add_name(const char **names, size_t *count, const char *name)
{
    if (*count == OPTIONS_MAX_NAMES)
        return false;
    names[(*count)++] = name;
    return true;
}

/* A whole number from 1 to MOST. */
static bool read_count(const char *text, uint64_t most, uint64_t *count)
{
    return read_number(&text, count) && *text == '\0' && *count > 0 && *count <= most;
}

/* Takes the option LETTER; false if its VALUE cannot be. */
static bool take_option(struct options *options, int letter, const char *value)
{
    switch (letter) {
    case 'w':
        options->what = value;
        return true;
    case 'f':
        options->format = value;
        return true;
    case 'o':
        options->output = value;
        return true;
    case 't':
        options->total = true;
        return true;
    case 'x':
        options->remove = true;
        return true;
    case 'p':
        return add_name(options->phases, &options->phase_count, value);
    case 'i':
    case 'j':
        options->iterations_given = true;
        return read_range(value, &options->iterations);
    case 'a':
        options->minus = value;
        return true;
    case 'A':
        options->minus_iterations_given = true;
        return read_range(value, &options->minus_iterations);
    case 'R':
        options->minus_ranks_given = true;
        return read_range(value, &options->minus_ranks);
    case 's':
        options->sum = true;
        return true;
    case 'I':
        options->how = value;
        return true;
    case 'r':
        return read_range(value, &options->ranks);
    case 'T':
        return read_range(value, &options->threads);
    case 'm':
        return add_name(options->metrics, &options->metric_count, value);
    case 'M':
        options->metrics[0] = value;
        options->metric_count = 1;
        return true;
    case 'P':
        options->callpath = value;
        return true;
    case 'q':
        options->sort = value;
        return true;
    case 'K':
        options->colors = value;
        return true;
    case 'k':
        options->kind = value;
        return true;
    case 'S':
        options->statistic = value;
        return true;
    case 'l':
        options->color = value;
        return true;
    case 'L':
        options->scale = value;
        return true;
    case 'g':
        options->topology = value;
        return true;
    case 'z':
        options->size = value;
        return true;
    case 'c':
        if (strcmp(value, "auto") != 0)
            return read_count(value, OPTIONS_MAX_CLUSTERS, &options->clusters);
        options->clusters = OPTIONS_CLUSTERS_AUTO;
        return true;
    case 'C':
        options->clustering = value;
        return true;
    case 'e':
        options->equivalence = value;
        return true;
    default:
        return read_count(value, UINT64_MAX, &options->top);
    }
}

/* The forms that getopt_long wants; room for one option more than the table has. */
struct forms {
    char letters[2 * ROW_COUNT + 2];
    struct option names[ROW_COUNT + 1];
};

static void fill_forms(const struct command *command, struct forms *forms)
{
    size_t count = 0;
    char *letter = forms->letters;
    memset(forms, 0, sizeof *forms);
    *letter++ = ':';
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const struct option_row *row = &rows[i];
        if (!takes(command, row))
            continue;
        forms->names[count++] =
            (struct option){row->name, row->value ? required_argument : no_argument, NULL,
                            row->short_form ? row->letter : row->letter + LONG_ONLY};
        if (row->short_form) {
            *letter++ = row->letter;
            if (row->value)
                *letter++ = ':';
        }
    }
}

static enum options_result wrong(const struct command *command, const char *what,
                                 const char *value)
{
    complain("%s: %s%s; see tsprof %s --help", command->name, what, value, command->name);
    return OPTIONS_WRONG;
}

static const char *option_name(int letter)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].letter == letter)
            return rows[i].name;
    return "";
}

/* Reads the options of COMMAND; what is left begins at optind. */
static enum options_result take_options(const struct command *command, int argc, char **argv,
                                        struct options *options)
{
    struct forms forms;
    int letter;
    *options = (struct options){
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    fill_forms(command, &forms);
    optind = 1;
    while ((letter = getopt_long(argc, argv, forms.letters, forms.names, NULL)) != -1) {
        letter &= ~LONG_ONLY;
        if (letter == '?')
            return wrong(command, "no such option: ", argv[optind - 1]);
        if (letter == ':')
            return wrong(command, "a value is missing after ", argv[optind - 1]);
        if (letter == 'h') {
            options_help(command);
            return OPTIONS_HELP;
        }
        if (!take_option(options, letter, optarg)) {
            char what[64];
            snprintf(what, sizeof what, "--%s cannot take ", option_name(letter));
            return wrong(command, what, optarg);
        }
    }
    return OPTIONS_RUN;
}

enum options_result options_parse(const struct command *command, int argc, char **argv,
                                  struct options *options)
{
    enum options_result result = take_options(command, argc, argv, options);
    if (result != OPTIONS_RUN)
        return result;
    if (optind >= argc)
        return wrong(command, "the summary FILE is missing", "");
    options->file = argv[optind];
    if (optind + 1 < argc)
        return wrong(command, "one FILE only, not also ", argv[optind + 1]);
    return OPTIONS_RUN;
}

enum options_result options_parse_pair(const struct command *command, int argc, char **argv,
                                       struct options *options)
{
    enum options_result result = take_options(command, argc, argv, options);
    if (result != OPTIONS_RUN)
        return result;
    if (optind + 1 >= argc)
        return wrong(command, "two summaries are needed, A and B", "");
    options->file = argv[optind];
    options->second_file = argv[optind + 1];
    if (optind + 2 < argc)
        return wrong(command, "two summaries only, not also ", argv[optind + 2]);
    return OPTIONS_RUN;
}

enum options_result options_parse_list(const struct command *command, int argc, char **argv,
                                       struct options *options)
{
    enum options_result result = take_options(command, argc, argv, options);
    if (result != OPTIONS_RUN)
        return result;
    if (optind >= argc)
        return wrong(command, "what to read is missing", "");
    options->files = (const char *const *)argv + optind;
    options->file_count = (size_t)(argc - optind);
    return OPTIONS_RUN;
}
