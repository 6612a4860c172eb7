/*
 * The figures of call paths.  See compare.h.
 *
 * What a rank has in an iteration depends on its threads' clusters alone.  So all iterations
 * with the same clusters on both sides are compared at once, and one side's values are kept
 * while only the other side's cluster changes.
 */
#include "base/base.h"
#include "compare/compare.h"
#include "compare/loaded.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The combinations of clusters that a rank has, and how often.  A row is a weight, then the
 * clusters of each thread in B, then those in A. */
struct rows {
    uint64_t *values;
    size_t width; /* of a row */
    size_t count, capacity;
};

/* Errors of one metric, on paths of MPI and on others. */
struct errors {
    long double sum[2], weight[2], worst[2];
    long double top; /* the largest value in A */
};

/* The errors of one path of one rank and iteration, by what they are averaged over. */
struct path_errors {
    double sum[ERROR_GROUPS];
    uint32_t count[ERROR_GROUPS];
};

/* Of all call paths, those that the other side does not have. */
struct extras {
    long double all[PATH_GROUPS], extra[PATH_GROUPS];
};

struct comparison {
    const struct joint *joint;
    struct loaded sides[SIDES];
    struct errors *metrics;
    enum error_group *group_of; /* by metric, on MPI paths; ERROR_GROUPS: none */
    struct path_errors *by_path;
    long double exceeding[ERROR_GROUPS][ERROR_STEPS], weight[ERROR_GROUPS];
    struct extras phantom, missing;
};

static uint64_t *add_row(struct rows *rows)
{
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? 2 * rows->capacity : 256;
        rows->values =
            reallocate(rows->values, rows->capacity * rows->width, sizeof *rows->values);
    }
    return rows->values + rows->count++ * rows->width;
}

static uint64_t *row_at(const struct rows *rows, size_t row)
{
    return rows->values + row * rows->width;
}

/* Adds the stretch that SWEEP is at, if there is a thread that has it on both sides. */
static void add_stretch(struct rows *rows, const struct sweep *sweep)
{
    size_t threads = sweep->count / SIDES;
    uint64_t *row = add_row(rows);
    bool any = false;
    row[0] = sweep->length;
    for (size_t i = 0; i < threads; i++) {
        uint32_t a = sweep->clusters[SIDES * i + SIDE_A],
                 b = sweep->clusters[SIDES * i + SIDE_B];
        bool both = a != SUMMARY_NONE && b != SUMMARY_NONE;
        row[1 + i] = both ? b : SUMMARY_NONE;
        row[1 + threads + i] = both ? a : SUMMARY_NONE;
        any |= both;
    }
    rows->count -= !any;
}

static int compare_rows(const void *a, const void *b, void *width)
{
    const uint64_t *left = a, *right = b;
    for (size_t i = 1; i < *(const size_t *)width; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Sorts ROWS and joins equal ones. */
static void join_rows(struct rows *rows)
{
    size_t kept = 0;
    if (rows->count == 0)
        return;
    qsort_r(rows->values, rows->count, rows->width * sizeof *rows->values, compare_rows,
            &rows->width);
    for (size_t i = 1; i < rows->count; i++) {
        if (compare_rows(row_at(rows, kept), row_at(rows, i), &rows->width) == 0)
            row_at(rows, kept)[0] += row_at(rows, i)[0];
        else
            memmove(row_at(rows, ++kept), row_at(rows, i), rows->width * sizeof *rows->values);
    }
    rows->count = kept + 1;
}

/* Calls VISIT with each row of each rank, and the rank's part of SERIES. */
static void for_each_row(struct comparison *comparison, const struct series *const *series,
                         void (*visit)(struct comparison *comparison,
                                       const struct series *const *series, const uint64_t *row,
                                       size_t threads))
{
    const struct joint *joint = comparison->joint;
    for (size_t r = 0; r < joint->rank_count; r++) {
        size_t threads = joint->ranks[r].count;
        const struct series *const *own = series + SIDES * joint->ranks[r].first;
        struct rows rows = {.width = 1 + SIDES * threads};
        struct sweep sweep;
        sweep_begin(&sweep, own, SIDES * threads, joint->selections[SIDE_A]->iterations);
        while (sweep_step(&sweep))
            add_stretch(&rows, &sweep);
        sweep_end(&sweep);
        join_rows(&rows);
        /* Forgets what is loaded: the same cluster numbers mean those of another rank now. */
        comparison->sides[SIDE_A].cluster_count = comparison->sides[SIDE_B].cluster_count = 0;
        for (size_t i = 0; i < rows.count; i++)
            visit(comparison, own, row_at(&rows, i), threads);
        free(rows.values);
    }
}

/* The first visit: the largest values in A. */
static void find_tops(struct comparison *comparison, const struct series *const *series,
                      const uint64_t *row, size_t threads)
{
    struct loaded *a = &comparison->sides[SIDE_A];
    loaded_load(a, series, row + 1 + threads, threads);
    for (size_t i = 0; i < a->spot_count; i++) {
        long double value = fabsl(a->values[loaded_place(a, a->spots[i])]);
        struct errors *errors = &comparison->metrics[a->spots[i].metric];
        if (value > errors->top)
            errors->top = value;
    }
}

static void add_error(struct comparison *comparison, struct spot spot, long double a,
                      long double b, long double weight)
{
    struct errors *errors = &comparison->metrics[spot.metric];
    bool is_mpi = comparison->joint->paths[spot.path].is_mpi;
    enum error_group group = comparison->group_of[spot.metric];
    long double error = fabsl(a - b);
    if (a == 0 && b == 0)
        return;
    errors->sum[is_mpi] += weight * error;
    errors->weight[is_mpi] += weight;
    if (error > errors->worst[is_mpi])
        errors->worst[is_mpi] = error;
    if (group == ERROR_GROUPS || (group == ERROR_MPI_COUNT && !is_mpi))
        return;
    struct path_errors *path = &comparison->by_path[spot.path];
    path->sum[group] += errors->top > 0 ? (double)(error / errors->top) : 1;
    path->count[group]++;
}

/* Counts the errors of PATH, which are complete now, by size. */
static void close_path(struct comparison *comparison, uint32_t path, long double weight)
{
    struct path_errors *errors = &comparison->by_path[path];
    for (enum error_group g = 0; g < ERROR_GROUPS; g++) {
        if (errors->count[g] == 0)
            continue;
        double error = errors->sum[g] / errors->count[g];
        comparison->weight[g] += weight;
        for (size_t s = 0; s < ERROR_STEPS - 1 && error > error_limits[s]; s++)
            comparison->exceeding[g][s] += weight;
        if (error >= error_limits[ERROR_STEPS - 1])
            comparison->exceeding[g][ERROR_STEPS - 1] += weight;
    }
    *errors = (struct path_errors){0};
}

static enum path_group kind_of(const struct loaded *loaded, uint32_t path)
{
    if (loaded->joint->paths[path].is_mpi)
        return PATHS_MPI;
    return loaded->calls_mpi[path] ? PATHS_COM : PATHS_USR;
}

/* Counts the paths of LOADED, and those that OTHER does not have. */
static void count_extras(struct extras *extras, const struct loaded *loaded,
                         const struct loaded *other, long double weight)
{
    for (size_t i = 0; i < loaded->path_count; i++) {
        uint32_t path = loaded->paths[i];
        enum path_group kind = kind_of(loaded, path);
        extras->all[PATHS_ALL] += weight;
        extras->all[kind] += weight;
        if (other->present[path])
            continue;
        extras->extra[PATHS_ALL] += weight;
        extras->extra[kind] += weight;
    }
}

/* The second visit. */
static void compare_row(struct comparison *comparison, const struct series *const *series,
                        const uint64_t *row, size_t threads)
{
    struct loaded *a = &comparison->sides[SIDE_A], *b = &comparison->sides[SIDE_B];
    long double weight = (long double)row[0];
    loaded_load(b, series, row + 1, threads);
    loaded_load(a, series, row + 1 + threads, threads);
    for (size_t i = 0; i < a->spot_count; i++) {
        size_t place = loaded_place(a, a->spots[i]);
        add_error(comparison, a->spots[i], a->values[place], b->values[place], weight);
    }
    for (size_t i = 0; i < b->spot_count; i++) {
        size_t place = loaded_place(b, b->spots[i]);
        if (!a->held[place])
            add_error(comparison, b->spots[i], 0, b->values[place], weight);
    }
    for (size_t i = 0; i < a->path_count; i++)
        close_path(comparison, a->paths[i], weight);
    for (size_t i = 0; i < b->path_count; i++)
        if (!a->present[b->paths[i]])
            close_path(comparison, b->paths[i], weight);
    count_extras(&comparison->phantom, b, a, weight);
    count_extras(&comparison->missing, a, b, weight);
}

static void state_figures(const struct comparison *comparison, struct figures *figures)
{
    for (size_t m = 0; m < comparison->joint->metric_count; m++) {
        const struct errors *errors = &comparison->metrics[m];
        long double weight = errors->weight[0] + errors->weight[1];
        if (weight == 0)
            continue;
        figures->metrics[CALLPATH_MEAN][m] =
            share_of((errors->sum[0] + errors->sum[1]) / weight, errors->top);
        figures->metrics[CALLPATH_WORST][m] =
            share_of(fmaxl(errors->worst[0], errors->worst[1]), errors->top);
        if (errors->weight[1] == 0)
            continue;
        figures->mpi_paths[CALLPATH_MEAN][m] =
            share_of(errors->sum[1] / errors->weight[1], errors->top);
        figures->mpi_paths[CALLPATH_WORST][m] = share_of(errors->worst[1], errors->top);
    }
    for (enum error_group g = 0; g < ERROR_GROUPS; g++)
        for (size_t s = 0; s < ERROR_STEPS; s++)
            figures->shares[g][s] =
                share_of(comparison->exceeding[g][s], comparison->weight[g]);
    for (enum path_group g = 0; g < PATH_GROUPS; g++) {
        figures->phantom[g] =
            share_of(comparison->phantom.extra[g], comparison->phantom.all[g]);
        figures->missing[g] =
            share_of(comparison->missing.extra[g], comparison->missing.all[g]);
    }
}

static enum error_group error_group_of(const struct joint_metric *metric)
{
    if (metric->class == CLASS_COUNT)
        return ERROR_MPI_COUNT;
    if (metric->class == CLASS_TIME && metric->is_mpi)
        return ERROR_MPI_TIME;
    return strcmp(metric->name, "computation") == 0 ? ERROR_COMPUTATION : ERROR_GROUPS;
}

void compare_paths(struct figures *figures, const struct series *const *series)
{
    const struct joint *joint = figures->joint;
    struct comparison comparison = {
        .joint = joint,
        .metrics = allocate(joint->metric_count, sizeof *comparison.metrics),
        .group_of = allocate(joint->metric_count, sizeof *comparison.group_of),
        .by_path = allocate(joint->path_count, sizeof *comparison.by_path)};
    for (size_t m = 0; m < joint->metric_count; m++)
        comparison.group_of[m] = error_group_of(&joint->metrics[m]);
    for (enum side side = 0; side < SIDES; side++)
        loaded_open(&comparison.sides[side], joint, side);
    for_each_row(&comparison, series, find_tops);
    for_each_row(&comparison, series, compare_row);
    state_figures(&comparison, figures);
    for (enum side side = 0; side < SIDES; side++)
        loaded_close(&comparison.sides[side]);
    free(comparison.metrics);
    free(comparison.group_of);
    free(comparison.by_path);
}
