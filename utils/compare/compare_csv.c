/* The figures as a table for scripts.  Its columns are an interface.  See compare.h. */
#include "compare/compare.h"
#include "print/print.h"

#include <math.h>

static const char *const figure_names[METRIC_FIGURES] = {"iteration_mean", "iteration_max",
                                                         "iteration_rms",  "iteration_worst",
                                                         "callpath_mean",  "callpath_worst"};

static const char *const group_names[FIGURE_GROUPS] = {"all",         "time",  "mpi_time",
                                                       "computation", "count", "mpi_count"};

static const char *const class_names[] = {
    [CLASS_TIME] = "time", [CLASS_COUNT] = "count", [CLASS_OTHER] = "other"};

static const char *const step_names[ERROR_STEPS] = {
    "callpath_over_0",     "callpath_over_0.00001", "callpath_over_0.0001",
    "callpath_over_0.001", "callpath_over_0.01",    "callpath_over_0.1",
    "callpath_reaching_1"};

static const char *const error_names[ERROR_GROUPS] = {"mpi_time", "mpi_count", "computation"};

static const char *const path_group_names[PATH_GROUPS] = {"all", "mpi", "com", "usr"};

/* Writes a row; METRIC may be empty.  Nothing if VALUE is not defined. */
static void write_row(struct csv *csv, const struct figures *figures, const char *figure,
                      const char *group, const char *metric, long double value)
{
    if (isnan(value))
        return;
    csv_text(csv, figures->phase);
    csv_text(csv, figure);
    csv_text(csv, group);
    csv_text(csv, metric);
    csv_value(csv, value);
    csv_end_line(csv);
}

static void write_extent(struct csv *csv, const struct figures *figures)
{
    write_row(csv, figures, "compared", "iterations", "", (long double)figures->iterations);
    write_row(csv, figures, "compared", "ranks", "", (long double)figures->ranks);
    write_row(csv, figures, "compared", "profiles", "", (long double)figures->profiles);
    write_row(csv, figures, "only_in_a", "profiles", "",
              (long double)figures->sides[SIDE_A].profiles_only);
    write_row(csv, figures, "only_in_b", "profiles", "",
              (long double)figures->sides[SIDE_B].profiles_only);
}

static void write_figure(struct csv *csv, const struct figures *figures,
                         enum metric_figure figure)
{
    for (enum figure_group g = 0; g < FIGURE_GROUPS; g++)
        write_row(csv, figures, figure_names[figure], group_names[g], "",
                  figures->groups[figure][g]);
    for (size_t m = 0; m < figures->joint->metric_count; m++) {
        const struct joint_metric *metric = &figures->joint->metrics[m];
        write_row(csv, figures, figure_names[figure], class_names[metric->class], metric->name,
                  figures->metrics[figure][m]);
    }
}

void compare_write_header(FILE *stream)
{
    fputs("phase,figure,group,metric,value\n", stream);
}

void compare_write_csv(FILE *stream, const struct figures *figures)
{
    struct csv csv = {stream, 0};
    write_extent(&csv, figures);
    for (enum metric_figure f = 0; f < METRIC_FIGURES; f++)
        write_figure(&csv, figures, f);
    for (enum error_group g = 0; g < ERROR_GROUPS; g++)
        for (size_t s = 0; s < ERROR_STEPS; s++)
            write_row(&csv, figures, step_names[s], error_names[g], "", figures->shares[g][s]);
    for (enum path_group g = 0; g < PATH_GROUPS; g++)
        write_row(&csv, figures, "phantom_paths", path_group_names[g], "", figures->phantom[g]);
    for (enum path_group g = 0; g < PATH_GROUPS; g++)
        write_row(&csv, figures, "phantom_paths_stated", path_group_names[g], "",
                  figures->stated_phantom[g]);
    for (enum path_group g = 0; g < PATH_GROUPS; g++)
        write_row(&csv, figures, "missing_paths", path_group_names[g], "", figures->missing[g]);
}
