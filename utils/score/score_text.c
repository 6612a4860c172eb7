/* A score as text.  See score.h. */
#include "score/score.h"

#include "query/query.h"

#include <inttypes.h>
#include <string.h>

enum {
    TYPE_COLUMNS = 8,
    COUNT_COLUMNS = 9,
    TIME_COLUMNS = 10,
    SHARE_COLUMNS = 7,
    FILTER_COLUMNS = 8,
    LEAST_NAME_COLUMNS = 16,
    WIDE_COLUMNS = 100 /* where functions have a column for traces, too */
};

/* A text that is being put together. */
struct writing {
    const struct score *score;
    double share;
    const char *filter;
    size_t columns;
    struct text text;
};

static void add_paragraph(struct writing *writing, const struct text *paragraph)
{
    text_add_wrapped(&writing->text, text_string(paragraph), 0, 0, writing->columns);
}

/* Whether SUMMARY says of functions whether they are instrumented. */
static bool knows_instrumented(const struct summary *summary)
{
    uint64_t entries;
    for (size_t l = 0; l < summary->location_count; l++)
        if (location_find_cost(&summary->locations[l], "entries", &entries))
            return true;
    return false;
}

static void add_cost(struct writing *writing)
{
    static const char *const sources[] = {
        [SCORE_GIVEN] = "as --cost says",
        [SCORE_MEASURED] = "as the runtime measured it in this run",
        [SCORE_ASSUMED] = "which is assumed, since this run was too short to measure it or an "
                          "older tsprof did; --cost NS says it"};
    const struct score *score = writing->score;
    char percent[QUANTITY_SIZE], each[QUANTITY_SIZE], nameless[QUANTITY_SIZE];
    struct text line = {0};
    if (score->instrumented == 0) {
        text_add(
            &line,
            !knows_instrumented(score->summary)
                ? "This summary does not tell which functions are instrumented, since "
                  "an older tsprof measured it."
                : "No function of this run is instrumented (compiled with "
                  "-finstrument-functions). Samples do not tell how often functions are "
                  "visited, so what it would cost to instrument them is not known, and there "
                  "is nothing that a filter could hide.");
        add_paragraph(writing, &line);
        text_free(&line);
        return;
    }
    if (score->impossible) {
        text_addf(&line,
                  "At %s for each visit, %s, functions that are instrumented would have taken "
                  "longer than all that was measured took on rank %" PRIu32
                  ": visits cost less. --cost NS says another number.",
                  format_quantity(each, score->visit_ns / 1e9L, "s"), sources[score->source],
                  score->now.most_rank);
        add_paragraph(writing, &line);
        text_free(&line);
        return;
    }
    text_addf(&line, "Functions that are instrumented cost %s %% of the time",
              format_percent(percent, score->now.all, 1));
    if (score->summary->location_count > 1)
        text_addf(&line, ", at most %s %%, on rank %" PRIu32,
                  format_percent(percent, score->now.most, 1), score->now.most_rank);
    text_addf(&line, ": %s for each visit, %s.",
              format_quantity(each, score->visit_ns / 1e9L, "s"), sources[score->source]);
    if (score->nameless > 0)
        text_addf(&line, " %s visits are in no table, since they have no call path.",
                  format_quantity(nameless, score->nameless, ""));
    add_paragraph(writing, &line);
    text_free(&line);
}

static void add_quantity(struct text *text, long double value, const char *unit, size_t columns)
{
    char cell[QUANTITY_SIZE];
    text_add_right(text, value != 0 ? format_quantity(cell, value, unit) : "-", columns);
}

static void add_percent(struct text *text, long double part, long double whole)
{
    char cell[QUANTITY_SIZE];
    text_add_right(text, part != 0 ? format_percent(cell, part, whole) : "-", SHARE_COLUMNS);
}

/* Adds visits, time and cost with their shares and, in TRACES, the bytes of a trace. */
static void add_sums(struct writing *writing, const struct score_sums *sums, bool traces)
{
    const long double all_s = writing->score->types[SCORE_ALL].time_s;
    add_quantity(&writing->text, sums->visits, "", COUNT_COLUMNS);
    add_quantity(&writing->text, sums->time_s, "s", TIME_COLUMNS);
    add_percent(&writing->text, sums->time_s, all_s);
    add_quantity(&writing->text, sums->cost_s, "s", TIME_COLUMNS);
    add_percent(&writing->text, sums->cost_s, all_s);
    if (traces)
        add_quantity(&writing->text, sums->bytes, "bytes", TIME_COLUMNS);
}

static void add_heads(struct text *text, bool traces)
{
    text_add_left(text, "type", TYPE_COLUMNS);
    text_add_right(text, "visits", COUNT_COLUMNS);
    text_add_right(text, "time", TIME_COLUMNS);
    text_add_right(text, "%", SHARE_COLUMNS);
    text_add_right(text, "cost", TIME_COLUMNS);
    text_add_right(text, "%", SHARE_COLUMNS);
    if (traces)
        text_add_right(text, "trace", TIME_COLUMNS);
}

static void add_types(struct writing *writing)
{
    struct text *text = &writing->text;
    text_add(text, "\n");
    add_heads(text, true);
    text_add_right(text, "on a rank", TIME_COLUMNS);
    text_add(text, "\n");
    for (int type = 0; type < SCORE_TYPES; type++) {
        const struct score_sums *sums = &writing->score->types[type];
        if (sums->visits == 0 && sums->time_s == 0 && sums->cost_s == 0)
            continue;
        text_add_left(text, score_type_name((enum score_type)type), TYPE_COLUMNS);
        add_sums(writing, sums, true);
        add_quantity(text, sums->most_bytes, "bytes", TIME_COLUMNS);
        text_add(text, "\n");
    }
}

static void add_function(struct writing *writing, const struct score_function *function)
{
    const bool traces = writing->columns >= WIDE_COLUMNS;
    const size_t used = TYPE_COLUMNS + COUNT_COLUMNS + (traces ? 3 : 2) * TIME_COLUMNS +
                        2 * SHARE_COLUMNS + FILTER_COLUMNS;
    size_t room = writing->columns > used ? writing->columns - used : 0;
    room = room < LEAST_NAME_COLUMNS ? LEAST_NAME_COLUMNS : room;
    text_add_left(&writing->text, score_type_name(function->type), TYPE_COLUMNS);
    add_sums(writing, &function->sums, traces);
    text_add_left(&writing->text, function->hidden ? "  hide  " : "", FILTER_COLUMNS);
    text_add_shortened(&writing->text, function->name, room);
    text_add(&writing->text, "\n");
}

static void add_functions(struct writing *writing, size_t top)
{
    const struct score *score = writing->score;
    size_t listed = 0;
    if (score->instrumented == 0)
        return;
    text_add(&writing->text, "\n");
    add_heads(&writing->text, writing->columns >= WIDE_COLUMNS);
    text_add_left(&writing->text, "  hide", FILTER_COLUMNS);
    text_add(&writing->text, "function\n");
    for (size_t i = 0; i < score->count && listed < top; i++)
        if (score_is_instrumented(&score->functions[i])) {
            add_function(writing, &score->functions[i]);
            listed++;
        }
    if (listed < score->instrumented)
        text_addf(&writing->text, "%zu more; --top N lists N\n", score->instrumented - listed);
}

/* The number, visits and time of the hidden functions of TYPE. */
static size_t add_up_hidden(const struct score *score, enum score_type type,
                            struct score_sums *sums)
{
    size_t count = 0;
    for (size_t i = 0; i < score->count; i++) {
        const struct score_function *function = &score->functions[i];
        if (!function->hidden || function->type != type)
            continue;
        count++;
        sums->visits += function->sums.visits;
        sums->time_s += function->sums.time_s;
    }
    return count;
}

static void add_hidden(struct writing *writing, struct text *line)
{
    const struct score *score = writing->score;
    struct score_sums sums = {0};
    char visits[QUANTITY_SIZE], time[QUANTITY_SIZE];
    add_up_hidden(score, SCORE_USR, &sums);
    const size_t on_paths = add_up_hidden(score, SCORE_COM, &sums);
    text_addf(line,
              "%zu of %zu functions with %s visits. Their %s become time of the functions that "
              "call them; samples still show them where they fall.",
              score->hidden_count, score->instrumented,
              format_quantity(visits, sums.visits, ""),
              format_quantity(time, sums.time_s, "s"));
    if (on_paths > 0)
        text_addf(line,
                  " %zu of them are on paths to MPI (COM), since hiding others is not "
                  "enough.",
                  on_paths);
}

/* In a line of its own, which is not broken, for shells to read. */
static void add_setting(struct writing *writing)
{
    text_add(&writing->text, "\n    TSPROF_FILTER=");
    text_add_shell_word(&writing->text, writing->filter);
    text_add(&writing->text, "\n");
}

static void add_filter(struct writing *writing)
{
    const struct score *score = writing->score;
    char percent[QUANTITY_SIZE];
    struct text line = {0};
    if (score->instrumented == 0)
        return;
    if (!score->reached && score->impossible) {
        text_add(&line, "So what a filter would leave is not known.");
    } else if (!score->reached) {
        text_addf(&line,
                  "No filter brings the cost below %g %%: hidden functions cost %d ns for each "
                  "visit, and %s %% would be left. Compile what is visited most without "
                  "-finstrument-functions.",
                  100 * writing->share, SCORE_HIDDEN_NS,
                  format_percent(percent, score->hidden.most, 1));
    } else if (score->hidden_count == 0) {
        text_addf(&line, "That is below %g %% already%s.", 100 * writing->share,
                  writing->filter ? ", so the filter hides nothing" : "");
    } else {
        text_addf(&line, "A filter that leaves %s %% (--share %g%%) hides ",
                  format_percent(percent, score->hidden.most, 1), 100 * writing->share);
        add_hidden(writing, &line);
        if (writing->filter)
            text_add(&line, " To use it:");
        else
            text_add(&line, " -o FILTER writes it.");
    }
    text_add(&writing->text, "\n");
    add_paragraph(writing, &line);
    text_free(&line);
    if (writing->filter && score->reached && score->hidden_count > 0)
        add_setting(writing);
}

void score_write_text(const struct score *score, double share, const char *filter, size_t top,
                      size_t columns, FILE *stream)
{
    struct writing writing = {
        .score = score, .share = share, .filter = filter, .columns = columns};
    add_cost(&writing);
    add_types(&writing);
    add_functions(&writing, top);
    add_filter(&writing);
    fputs(text_string(&writing.text), stream);
    text_free(&writing.text);
}
