/* tsprof compare: how far one summary is from another of the same run. */
#include "command/command.h"

#include "compare/compare.h"
#include "print/print.h"
#include "query/query.h"

#include <stdlib.h>
#include <string.h>

static const char *const side_names[SIDES] = {"A", "B"};

/* The two summaries, and what was chosen of them. */
struct pair {
    struct summary *summaries[SIDES];
    struct selection selections[SIDES];
    struct joint *joint;
    struct figures **figures; /* of every phase in common, NULL after the last */
    size_t count;
};

static void pair_close(struct pair *pair)
{
    for (size_t i = 0; i < pair->count; i++)
        figures_free(pair->figures[i]);
    free(pair->figures);
    joint_free(pair->joint);
    for (enum side side = 0; side < SIDES; side++) {
        selection_free(&pair->selections[side]);
        summary_free(pair->summaries[side]);
    }
}

/* An exit_status; anything but EXIT_DONE after a message. */
static int pair_read(struct pair *pair, const struct options *options)
{
    const char *const files[SIDES] = {options->file, options->second_file};
    struct error error;
    for (enum side side = 0; side < SIDES; side++) {
        pair->summaries[side] = summary_read(files[side], &error);
        if (!pair->summaries[side]) {
            complain("%s", error.text);
            return EXIT_DATA;
        }
    }
    for (enum side side = 0; side < SIDES; side++)
        if (!selection_make(&pair->selections[side], pair->summaries[side], options, &error)) {
            complain("%s", error.text);
            return EXIT_USAGE;
        }
    return EXIT_DONE;
}

/* The phase of B that corresponds to PHASE of A; SUMMARY_NONE if B has no iterations of it. */
static uint32_t find_phase(const struct pair *pair, uint32_t phase)
{
    uint32_t other =
        summary_phase(pair->summaries[SIDE_B], pair->summaries[SIDE_A]->phases[phase].name);
    return other != SUMMARY_NONE && pair->selections[SIDE_B].phases[other] ? other
                                                                           : SUMMARY_NONE;
}

static void compare_phases(struct pair *pair)
{
    size_t phases = pair->summaries[SIDE_A]->phase_count;
    pair->joint = joint_make(&pair->selections[SIDE_A], &pair->selections[SIDE_B]);
    pair->figures = allocate(phases, sizeof(struct figures *));
    for (uint32_t p = 0; p < phases; p++) {
        const uint32_t both[SIDES] = {p, find_phase(pair, p)};
        if (!pair->selections[SIDE_A].phases[p] || both[SIDE_B] == SUMMARY_NONE)
            continue;
        struct figures *figures = figures_make(pair->joint, both);
        if (figures->profiles > 0)
            pair->figures[pair->count++] = figures;
        else
            figures_free(figures);
    }
}

/* Says that nothing could be compared, and why. */
static int refuse(const struct pair *pair)
{
    const char *why = "no iteration of one phase on one rank is in both";
    if (pair->joint->place_count == 0)
        why = "they are of different ranks";
    else if (pair->joint->metric_count == 0)
        why = "they have no metric in common";
    complain("%s and %s: have nothing in common that could be compared: %s",
             pair->summaries[SIDE_A]->path, pair->summaries[SIDE_B]->path, why);
    return EXIT_DATA;
}

static void add_file(struct text *text, const struct pair *pair, enum side side, size_t columns)
{
    const struct summary *summary = pair->summaries[side];
    const char *program = summary_fact(summary, "program"),
               *start = summary_fact(summary, "start");
    struct text line = {0};
    size_t ranks = pair->selections[side].rank_count;
    text_addf(&line, "%s: %s, %s: %zu rank%s", side_names[side], summary->path,
              program ? program : "program", ranks, ranks == 1 ? "" : "s");
    if (selection_has_threads(&pair->selections[side]))
        text_addf(&line, " with %zu threads", selection_locations(&pair->selections[side]));
    if (start)
        text_addf(&line, ", %s", start);
    if (summary->state == FORMAT_PARTIAL)
        text_add(&line, ", partial: not every process finished its measurement");
    text_add_wrapped(text, text_string(&line), 0, 3, columns);
    text_free(&line);
}

/* Says how many selected locations of SIDE the other side does not have. */
static void add_places(struct text *text, const struct pair *pair, enum side side)
{
    size_t all = selection_locations(&pair->selections[side]),
           common = pair->joint->place_count;
    const char *what = selection_has_threads(&pair->selections[side]) ? "thread" : "rank";
    if (all > common)
        text_addf(text, "Not compared: %zu %s%s that only %s has\n", all - common, what,
                  all - common == 1 ? "" : "s", side_names[side]);
}

/* Says which selected phases of SIDE have no figures. */
static void add_phases(struct text *text, const struct pair *pair, enum side side,
                       size_t columns)
{
    const struct summary *summary = pair->summaries[side];
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        bool compared = !pair->selections[side].phases[p];
        for (size_t i = 0; i < pair->count; i++)
            compared |= strcmp(pair->figures[i]->phase, summary->phases[p].name) == 0;
        if (compared)
            continue;
        struct text line = {0};
        text_addf(&line, "Not compared: iterations of %s, which only %s has",
                  summary->phases[p].name, side_names[side]);
        text_add_wrapped(text, text_string(&line), 0, 2, columns);
        text_free(&line);
    }
}

/* Why METRIC of SIDE has no counterpart on the other; NULL if it has, or A has said so. */
static const char *metric_fault(const struct pair *pair, enum side side, size_t metric)
{
    const struct metric_entry *ours = &pair->summaries[side]->metrics[metric];
    const struct summary *summary = pair->summaries[side == SIDE_A ? SIDE_B : SIDE_A];
    uint32_t other = summary_metric(summary, ours->name);
    if (other == SUMMARY_NONE)
        return side == SIDE_A ? "which only A measures" : "which only B measures";
    const struct metric_entry *theirs = &summary->metrics[other];
    bool same = ours->scale == theirs->scale && strcmp(ours->unit, theirs->unit) == 0;
    return same || side == SIDE_B ? NULL : "which has another unit in B";
}

/* Says which metrics in use of SIDE could not be compared. */
static void add_metrics(struct text *text, const struct pair *pair, enum side side,
                        size_t columns)
{
    const struct summary *summary = pair->summaries[side];
    bool *used = metrics_in_use(summary);
    for (size_t m = 0; m < summary->metric_count; m++) {
        const char *fault = used[m] ? metric_fault(pair, side, m) : NULL;
        struct text line = {0};
        if (!fault)
            continue;
        text_addf(&line, "Not compared: %s, %s", summary->metrics[m].name, fault);
        text_add_wrapped(text, text_string(&line), 0, 2, columns);
        text_free(&line);
    }
    free(used);
}

/* The modules of a summary that have a build id, by their base names. */
struct build {
    const char *name, *id;
    size_t module;
};

static int compare_builds(const void *a, const void *b)
{
    const struct build *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->module > right->module) - (left->module < right->module);
}

/* For the caller to free(); *COUNT of them. */
static struct build *list_builds(const struct summary *summary, size_t *count)
{
    struct build *list = allocate(summary->module_count, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < summary->module_count; i++)
        if (summary->modules[i].build_id[0])
            list[(*count)++] = (struct build){base_name(summary->modules[i].path),
                                              summary->modules[i].build_id, i};
    qsort(list, *count, sizeof *list, compare_builds);
    return list;
}

/* The build id of the first of COUNT modules with NAME; NULL if there is none. */
static const char *find_build(const struct build *list, size_t count, const char *name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(list[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(list[low].name, name) == 0 ? list[low].id : NULL;
}

/* Says which modules were built anew: call sites may have moved to other lines. */
static void add_builds(struct text *text, const struct pair *pair, size_t columns)
{
    const struct summary *a = pair->summaries[SIDE_A];
    struct text line = {0};
    size_t count;
    struct build *others = list_builds(pair->summaries[SIDE_B], &count);
    for (size_t i = 0; i < a->module_count; i++) {
        const char *name = base_name(a->modules[i].path);
        const char *ours = a->modules[i].build_id, *other = find_build(others, count, name);
        if (ours[0] && other && strcmp(ours, other) != 0)
            text_addf(&line, "%s%s", line.length ? ", " : "Of different builds: ", name);
    }
    if (line.length) {
        text_add(&line, "; call paths are told apart by the lines of their calls, which may "
                        "have moved");
        text_add_wrapped(text, text_string(&line), 0, 2, columns);
    }
    text_free(&line);
    free(others);
}

static void print_text(const struct pair *pair)
{
    struct text text = {0};
    size_t columns = terminal_columns();
    for (enum side side = 0; side < SIDES; side++)
        add_file(&text, pair, side, columns);
    for (enum side side = 0; side < SIDES; side++) {
        add_places(&text, pair, side);
        add_phases(&text, pair, side, columns);
        add_metrics(&text, pair, side, columns);
    }
    add_builds(&text, pair, columns);
    for (size_t i = 0; i < pair->count; i++)
        compare_add_text(&text, pair->figures[i], columns);
    fputs(text_string(&text), stdout);
    text_free(&text);
}

static void print_csv(const struct pair *pair)
{
    compare_write_header(stdout);
    for (size_t i = 0; i < pair->count; i++)
        compare_write_csv(stdout, pair->figures[i]);
}

static int print(const struct pair *pair, bool csv)
{
    struct output_file output;
    struct error error;
    output_open(&output, NULL, pair->summaries[SIDE_A]->path, &error);
    if (csv)
        print_csv(pair);
    else
        print_text(pair);
    if (output_close(&output, &error))
        return EXIT_DONE;
    complain("%s", error.text);
    return EXIT_DATA;
}

int cmd_compare(const struct command *command, int argc, char **argv)
{
    struct options options;
    struct pair pair = {0};
    enum options_result result = options_parse_pair(command, argc, argv, &options);
    if (result != OPTIONS_RUN)
        return result == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (options.format && strcmp(options.format, "csv") != 0) {
        complain("compare: there is no format \"%s\"; --format takes csv", options.format);
        return EXIT_USAGE;
    }
    int status = pair_read(&pair, &options);
    if (status == EXIT_DONE) {
        compare_phases(&pair);
        status = pair.count > 0 ? print(&pair, options.format != NULL) : refuse(&pair);
    }
    pair_close(&pair);
    return status;
}
