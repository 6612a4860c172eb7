/* The figures for people.  See compare.h. */
#include "compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#define NAME_COLUMNS   31
#define FIGURE_COLUMNS 8
#define STEP_COLUMNS   7

/* VALUE in per cent; "0" only if there is no error at all. */
static void add_share(struct text *text, double value, size_t columns)
{
    double percent = 100 * value;
    char shown[QUANTITY_SIZE] = "0";
    if (isnan(value))
        snprintf(shown, sizeof shown, "-");
    else if (value >= 1e6)
        snprintf(shown, sizeof shown, "%.0e", percent);
    else if (percent >= 99.95)
        snprintf(shown, sizeof shown, "%.0f", percent);
    else if (percent >= 0.0995)
        snprintf(shown, sizeof shown, "%.*f", percent >= 9.995 ? 1 : 2, percent);
    else if (percent >= 0.000095)
        snprintf(shown, sizeof shown, "%.4f", percent);
    else if (percent > 0)
        snprintf(shown, sizeof shown, "%.0e", percent);
    text_add_right(text, shown, columns);
}

static void add_label(struct text *text, size_t indent, const char *label)
{
    struct text cell = {0};
    text_add_repeated(&cell, " ", indent);
    text_add_shortened(&cell, label, NAME_COLUMNS - 1 - indent);
    text_add_left(text, text_string(&cell), NAME_COLUMNS);
    text_free(&cell);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "A has 300 iterations in 300 clusters". */
static void add_side(struct text *text, const struct side_facts *facts, const char *name)
{
    text_addf(text, "%s has %" PRIu64 " iteration%s in %" PRIu64 " cluster%s", name,
              facts->iterations, plural(facts->iterations), facts->clusters,
              plural(facts->clusters));
}

static void add_note(struct text *text, size_t columns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_note(struct text *text, size_t columns, const char *format, ...)
{
    char note[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof note, format, arguments);
    va_end(arguments);
    text_add(text, "  ");
    text_add_wrapped(text, note, 2, 4, columns);
}

/* What the figures do not tell. */
static void add_reservations(struct text *text, const struct figures *figures, size_t columns)
{
    static const char *const names[SIDES] = {"A", "B"};
    if (figures->sides[SIDE_A].compressed)
        add_note(text, columns, "A is compressed itself: its errors are in the figures, too");
    for (enum side side = 0; side < SIDES; side++) {
        uint64_t profiles = figures->sides[side].profiles_only;
        if (profiles > 0)
            add_note(text, columns, "not compared: %" PRIu64 " profile%s that only %s has",
                     profiles, plural(profiles), names[side]);
    }
    for (size_t m = 0; m < figures->joint->metric_count; m++)
        if (figures->in_b[m] && !figures->in_a[m])
            add_note(text, columns, "not compared: %s, which is zero in A",
                     figures->joint->metrics[m].name);
}

static void add_heading(struct text *text, const struct figures *figures, size_t columns)
{
    struct text line = {0};
    text_addf(&line, "Iterations of %s: %" PRIu64 " compared on %zu rank%s; ", figures->phase,
              figures->iterations, figures->ranks, plural(figures->ranks));
    add_side(&line, &figures->sides[SIDE_A], "A");
    text_add(&line, ", ");
    add_side(&line, &figures->sides[SIDE_B], "B");
    text_add(text, "\n");
    text_add_wrapped(text, text_string(&line), 0, 2, columns);
    text_free(&line);
    add_reservations(text, figures, columns);
}

/* The columns of the tables of errors: a figure, below a word of two lines. */
static const struct column {
    const char *over, *name;
    enum metric_figure figure;
} columns_of_errors[] = {
    {"ranks", "mean", ITERATION_MEAN}, {"ranks", "max", ITERATION_MAX},
    {"thread", "rms", ITERATION_RMS},  {"thread", "worst", ITERATION_WORST},
    {"path", "mean", CALLPATH_MEAN},   {"path", "worst", CALLPATH_WORST},
};

#define COLUMN_COUNT (sizeof columns_of_errors / sizeof columns_of_errors[0])

static void add_error_head(struct text *text)
{
    text_add(text, "\n");
    text_add_left(text, "Errors, % of the largest", NAME_COLUMNS);
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        text_add_right(text, columns_of_errors[c].over, FIGURE_COLUMNS);
    text_add(text, "\n");
    text_add_left(text, "value that A has", NAME_COLUMNS);
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        text_add_right(text, columns_of_errors[c].name, FIGURE_COLUMNS);
    text_add(text, "\n");
}

static const struct {
    const char *name;
    enum figure_group group;
    size_t indent;
} rows_of_groups[] = {
    {"all metrics", GROUP_ALL, 0},    {"times", GROUP_TIME, 2},
    {"MPI times", GROUP_MPI_TIME, 4}, {"computation", GROUP_COMPUTATION, 4},
    {"counts", GROUP_COUNT, 2},       {"of calls to MPI", GROUP_MPI_COUNT, 4},
};

static bool is_group_empty(const struct figures *figures, enum figure_group group)
{
    for (enum metric_figure f = 0; f < METRIC_FIGURES; f++)
        if (!isnan(figures->groups[f][group]))
            return false;
    return true;
}

static void add_group_rows(struct text *text, const struct figures *figures)
{
    for (size_t i = 0; i < sizeof rows_of_groups / sizeof rows_of_groups[0]; i++) {
        enum figure_group group = rows_of_groups[i].group;
        if (is_group_empty(figures, group))
            continue;
        add_label(text, rows_of_groups[i].indent, rows_of_groups[i].name);
        for (size_t c = 0; c < COLUMN_COUNT; c++)
            add_share(text, figures->groups[columns_of_errors[c].figure][group],
                      FIGURE_COLUMNS);
        text_add(text, "\n");
    }
}

static void add_metric_rows(struct text *text, const struct figures *figures)
{
    text_add(text, "\n");
    for (size_t m = 0; m < figures->joint->metric_count; m++) {
        const struct joint_metric *metric = &figures->joint->metrics[m];
        size_t depth = metric->depth < 5 ? metric->depth : 5;
        if (!figures->in_a[m])
            continue;
        add_label(text, 2 * depth, metric->name);
        for (size_t c = 0; c < COLUMN_COUNT; c++)
            add_share(text, figures->metrics[columns_of_errors[c].figure][m], FIGURE_COLUMNS);
        text_add(text, "\n");
    }
}

static void add_shares(struct text *text, const struct figures *figures)
{
    static const char *const names[ERROR_GROUPS] = {"MPI times", "counts of calls to MPI",
                                                    "computation"};
    static const char *const steps[ERROR_STEPS] = {"0", "0.001", "0.01", "0.1",
                                                   "1", "10",    "≥100"};
    text_add(text, "\n");
    text_add_left(text, "% of call paths, error >", NAME_COLUMNS);
    for (size_t s = 0; s < ERROR_STEPS; s++) {
        struct text cell = {0};
        text_addf(&cell, "%s%%", steps[s]);
        text_add_right(text, text_string(&cell), STEP_COLUMNS);
        text_free(&cell);
    }
    text_add(text, "\n");
    for (enum error_group g = 0; g < ERROR_GROUPS; g++) {
        if (isnan(figures->shares[g][0]))
            continue;
        add_label(text, 2, names[g]);
        for (size_t s = 0; s < ERROR_STEPS; s++)
            add_share(text, figures->shares[g][s], STEP_COLUMNS);
        text_add(text, "\n");
    }
}

static void add_extras(struct text *text, const char *label, const double *shares)
{
    add_label(text, 2, label);
    for (enum path_group g = 0; g < PATH_GROUPS; g++)
        add_share(text, shares[g], FIGURE_COLUMNS);
    text_add(text, "\n");
}

static void add_paths(struct text *text, const struct figures *figures)
{
    static const char *const names[PATH_GROUPS] = {"all", "MPI", "COM", "USR"};
    text_add(text, "\n");
    text_add_left(text, "Presence, % of call paths", NAME_COLUMNS);
    for (enum path_group g = 0; g < PATH_GROUPS; g++)
        text_add_right(text, names[g], FIGURE_COLUMNS);
    text_add(text, "\n");
    add_extras(text, "phantom: in B, not in A", figures->phantom);
    add_extras(text, "phantom: as B says itself", figures->stated_phantom);
    add_extras(text, "missing: in A, not in B", figures->missing);
}

void compare_add_text(struct text *text, const struct figures *figures, size_t columns)
{
    add_heading(text, figures, columns);
    add_error_head(text);
    add_group_rows(text, figures);
    add_metric_rows(text, figures);
    add_shares(text, figures);
    add_paths(text, figures);
}
