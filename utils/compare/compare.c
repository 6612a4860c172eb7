/* The figures of one phase, and their averages over groups of metrics.  See compare.h. */
#include "compare/compare.h"

#include "accuracy/accuracy.h"
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double error_limits[ERROR_STEPS] = {0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

double share_of(long double part, long double whole)
{
    return whole > 0 ? (double)(part / whole) : (double)NAN;
}

static bool is_in_group(const struct joint_metric *metric, enum figure_group group)
{
    switch (group) {
    case GROUP_TIME:
        return metric->class == CLASS_TIME;
    case GROUP_MPI_TIME:
        return metric->class == CLASS_TIME && metric->is_mpi;
    case GROUP_COMPUTATION:
        return strcmp(metric->name, "computation") == 0;
    case GROUP_COUNT:
    case GROUP_MPI_COUNT:
        return metric->class == CLASS_COUNT;
    default:
        return true;
    }
}

/* The mean of the defined VALUES of the metrics in GROUP; for the _WORST figures their maximum.
 */
static double group_figure(const struct joint *joint, const double *values,
                           enum metric_figure figure, enum figure_group group)
{
    double sum = 0, most = 0;
    size_t count = 0;
    for (size_t m = 0; m < joint->metric_count; m++) {
        if (isnan(values[m]) || !is_in_group(&joint->metrics[m], group))
            continue;
        sum += values[m];
        most = values[m] > most ? values[m] : most;
        count++;
    }
    bool worst = figure == ITERATION_WORST || figure == CALLPATH_WORST;
    return count == 0 ? (double)NAN : worst ? most : sum / (double)count;
}

static void fill_groups(struct figures *figures)
{
    for (enum metric_figure f = 0; f < METRIC_FIGURES; f++)
        for (enum figure_group g = 0; g < FIGURE_GROUPS; g++)
            figures->groups[f][g] = group_figure(
                figures->joint,
                g == GROUP_MPI_COUNT ? figures->mpi_paths[f] : figures->metrics[f], f, g);
}

static double *undefined(size_t count)
{
    double *values = allocate(count, sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)NAN;
    return values;
}

static void add_side(struct side_facts *facts, const struct series *series)
{
    if (!series)
        return;
    if (series->iterations > facts->iterations)
        facts->iterations = series->iterations;
    if (series->cluster_count > facts->clusters)
        facts->clusters = series->cluster_count;
    for (size_t c = 0; c < series->cluster_count; c++)
        facts->compressed |= series->clusters[c].size > 1;
}

/* What B itself says of call paths that did not occur. */
static void state_phantoms(struct figures *figures, uint32_t phase)
{
    struct phantoms stated[PHANTOM_PATHS];
    phantoms_count(figures->joint->selections[SIDE_B], phase, stated);
    for (enum path_group g = 0; g < PATH_GROUPS; g++)
        figures->stated_phantom[g] = NAN;
    if (stated[PHANTOMS_ALL].unknown > 0)
        return;
    figures->stated_phantom[PATHS_ALL] =
        share_of(stated[PHANTOMS_ALL].most, stated[PHANTOMS_ALL].shown);
    figures->stated_phantom[PATHS_MPI] =
        share_of(stated[PHANTOMS_MPI].most, stated[PHANTOMS_MPI].shown);
}

struct figures *figures_make(const struct joint *joint, const uint32_t phases[SIDES])
{
    struct figures *figures = allocate(1, sizeof *figures);
    const struct series **series =
        allocate(SIDES * joint->place_count, sizeof(struct series *));
    figures->joint = joint;
    figures->phase = joint_summary(joint, SIDE_A)->phases[phases[SIDE_A]].name;
    for (enum metric_figure f = 0; f < METRIC_FIGURES; f++) {
        figures->metrics[f] = undefined(joint->metric_count);
        figures->mpi_paths[f] = undefined(joint->metric_count);
    }
    figures->in_a = allocate(joint->metric_count, sizeof *figures->in_a);
    figures->in_b = allocate(joint->metric_count, sizeof *figures->in_b);
    for (size_t i = 0; i < joint->place_count; i++)
        for (enum side side = 0; side < SIDES; side++) {
            series[SIDES * i + side] = location_series(joint->places[i].in[side], phases[side]);
            add_side(&figures->sides[side], series[SIDES * i + side]);
        }
    compare_iterations(figures, series);
    compare_paths(figures, series);
    state_phantoms(figures, phases[SIDE_B]);
    fill_groups(figures);
    free(series);
    return figures;
}

void figures_free(struct figures *figures)
{
    if (!figures)
        return;
    for (enum metric_figure f = 0; f < METRIC_FIGURES; f++) {
        free(figures->metrics[f]);
        free(figures->mpi_paths[f]);
    }
    free(figures->in_a);
    free(figures->in_b);
    free(figures);
}
