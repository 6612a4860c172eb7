/* The table of options and reading them.  See options.h. */
#include "options/options.h"

#include "common/settings.h"
#include "print/print.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* getopt_long returns this plus the number of the option, which is no letter then. */
#define LONG_FORM 0x100

void options_help(const struct command *command)
{
    printf("usage: tsprof %s %s\n\n%s.\n", command->name, command->synopsis, command->text);
    if (command->details)
        printf("\n%s", command->details);
    if (!command->options)
        return;
    printf("\nOptions:\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        char form[32];
        if (!command_takes(command, (enum option_id)i))
            continue;
        snprintf(form, sizeof form, "--%s%s%s", row->name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        printf("  %c%c%s %-21s %s\n", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
               row->letter ? "," : " ", form, row->help);
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
static bool parse_range(const char *text, struct range *range)
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

/* The readers that options.def names: each is false if its option cannot take ARGUMENT. */

static void *field_of(struct options *options, size_t offset)
{
    return (char *)options + offset;
}

static bool read_text(struct options *options, const struct option_row *row,
                      const char *argument)
{
    *(const char **)field_of(options, row->field) = argument;
    return true;
}

static bool read_flag(struct options *options, const struct option_row *row,
                      const char *argument)
{
    (void)argument;
    *(bool *)field_of(options, row->field) = true;
    return true;
}

static bool read_range(struct options *options, const struct option_row *row,
                       const char *argument)
{
    return parse_range(argument, field_of(options, row->field));
}

static bool read_phase(struct options *options, const struct option_row *row,
                       const char *argument)
{
    (void)row;
    return add_name(options->phases, &options->phase_count, argument);
}

static bool read_metric(struct options *options, const struct option_row *row,
                        const char *argument)
{
    (void)row;
    return add_name(options->metrics, &options->metric_count, argument);
}

/* The last one counts. */
static bool read_one_metric(struct options *options, const struct option_row *row,
                            const char *argument)
{
    options->metric_count = 0;
    return read_metric(options, row, argument);
}

static bool read_top(struct options *options, const struct option_row *row,
                     const char *argument)
{
    (void)row;
    return read_count(argument, UINT64_MAX, &options->top);
}

static bool read_pattern(struct options *options, const struct option_row *row,
                         const char *argument)
{
    (void)row;
    return add_name(options->patterns, &options->pattern_count, argument);
}

static bool read_threshold(struct options *options, const struct option_row *row,
                           const char *argument)
{
    (void)row;
    return add_name(options->thresholds, &options->threshold_count, argument);
}

static bool read_master(struct options *options, const struct option_row *row,
                        const char *argument)
{
    (void)row;
    return read_number(&argument, &options->master) && *argument == '\0' &&
           options->master < UINT32_MAX;
}

static bool read_timeout(struct options *options, const struct option_row *row,
                         const char *argument)
{
    (void)row;
    return read_count(argument, OPTIONS_MAX_TIMEOUT_S, &options->timeout_s);
}

/* A number above 0 and up to MOST that AFTER follows. */
static bool read_amount(const char *text, double most, const char *after, double *amount)
{
    char *end;
    if (!((*text >= '0' && *text <= '9') || *text == '.'))
        return false;
    *amount = strtod(text, &end);
    return strcmp(end, after) == 0 && *amount > 0 && *amount <= most;
}

static bool read_share(struct options *options, const struct option_row *row,
                       const char *argument)
{
    (void)row;
    if (!read_amount(argument, 100, "%", &options->share))
        return false;
    options->share /= 100;
    return true;
}

static bool read_cost(struct options *options, const struct option_row *row,
                      const char *argument)
{
    (void)row;
    return read_amount(argument, OPTIONS_MAX_COST_NS, "", &options->cost_ns);
}

static bool read_threads(struct options *options, const struct option_row *row,
                         const char *argument)
{
    (void)row;
    return read_count(argument, OPTIONS_MAX_THREADS, &options->threads_used);
}

static bool read_clusters(struct options *options, const struct option_row *row,
                          const char *argument)
{
    (void)row;
    options->clusters_text = argument;
    return setting_read(SETTING_CLUSTERS, argument, &options->clusters) &&
           options->clusters != 0;
}

/* The names of all metrics but counters, which differ from run to run. */
static const char metric_words[] =
#define METRIC(id, parent, unit, kind, text) #id " "
#include "common/metrics.def"
#undef METRIC
    ;

#define FIELD(member) offsetof(struct options, member)
#define NO_FIELD      SIZE_MAX

const struct option_row option_table[OPTION_COUNT] = {
#define OPTION(id, letter, name, argument, help, words, read, field, given)                    \
    [OPTION_##id] = {letter, name, argument, help, words, read, field, given},
#include "options/options.def"
#undef OPTION
};

bool command_takes(const struct command *command, enum option_id option)
{
    const enum option_id *taken = command->options;
    while (taken && *taken != option && *taken != OPTION_HELP)
        taken++;
    return taken && *taken == option;
}

static bool read_option(struct options *options, enum option_id option, const char *argument)
{
    const struct option_row *row = &option_table[option];
    if (row->given != NO_FIELD)
        *(bool *)field_of(options, row->given) = true;
    return row->read(options, row, argument);
}

/* The forms that getopt_long wants; room for one option more than the table has. */
struct forms {
    char letters[2 * OPTION_COUNT + 2];
    struct option names[OPTION_COUNT + 1];
};

static void fill_forms(const struct command *command, struct forms *forms)
{
    size_t count = 0;
    char *letter = forms->letters;
    memset(forms, 0, sizeof *forms);
    *letter++ = ':';
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_table[i];
        if (!command_takes(command, (enum option_id)i))
            continue;
        forms->names[count++] =
            (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                            LONG_FORM + (int)i};
        if (row->letter) {
            *letter++ = row->letter;
            if (row->argument)
                *letter++ = ':';
        }
    }
}

/* The option that getopt_long has FOUND. */
static enum option_id option_of(int found)
{
    if (found >= LONG_FORM)
        return (enum option_id)(found - LONG_FORM);
    size_t i = 0;
    while (option_table[i].letter != found)
        i++;
    return (enum option_id)i;
}

static enum options_result wrong(const struct command *command, const char *what,
                                 const char *value)
{
    complain("%s: %s%s; see tsprof %s --help", command->name, what, value, command->name);
    return OPTIONS_WRONG;
}

/* Reads the options of COMMAND; what is left begins at optind. */
static enum options_result take_options(const struct command *command, int argc, char **argv,
                                        struct options *options)
{
    struct forms forms;
    int found;
    *options = (struct options){
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    fill_forms(command, &forms);
    optind = 1;
    while ((found = getopt_long(argc, argv, forms.letters, forms.names, NULL)) != -1) {
        if (found == '?')
            return wrong(command, "no such option: ", argv[optind - 1]);
        if (found == ':')
            return wrong(command, "a value is missing after ", argv[optind - 1]);
        enum option_id option = option_of(found);
        if (option == OPTION_HELP) {
            options_help(command);
            return OPTIONS_HELP;
        }
        if (!read_option(options, option, optarg)) {
            char what[64];
            snprintf(what, sizeof what, "invalid value for --%s: ", option_table[option].name);
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
    if (optind >= argc && command->operands == OPERANDS_NEWEST)
        return OPTIONS_RUN;
    if (optind >= argc)
        return wrong(command, "the summary FILE is missing", "");
    options->file = argv[optind];
    if (optind + 1 < argc)
        return wrong(command, "only one FILE can be given, not also ", argv[optind + 1]);
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
        return wrong(command, "only two summaries can be given, not also ", argv[optind + 2]);
    return OPTIONS_RUN;
}

enum options_result options_parse_list(const struct command *command, int argc, char **argv,
                                       struct options *options)
{
    enum options_result result = take_options(command, argc, argv, options);
    if (result != OPTIONS_RUN)
        return result;
    if (optind >= argc)
        return wrong(command, "the FILE to read is missing", "");
    options->files = (const char *const *)argv + optind;
    options->file_count = (size_t)(argc - optind);
    return OPTIONS_RUN;
}
