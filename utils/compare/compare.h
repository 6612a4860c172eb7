/*
 * Compares two summaries, with the quality figures of Szebenyi, "Capturing Parallel Performance
 * Dynamics", section 4.2.2: A is taken to be true, B to be a compressed copy of it.
 * doc/compression.md defines the figures; all are shares, 1 for 100 %.  For the command
 * compare.
 *
 * The profile of an iteration on a location is compared if both sides have it.  A rank's value
 * is the sum over those of its threads.  An iteration has the mean values of its cluster.
 */
#ifndef TSPROF_COMPARE_H
#define TSPROF_COMPARE_H

#include "compare/joint.h"
#include "print/print.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Figures that every metric has, relative to the metric's largest value in A. */
enum metric_figure {
    ITERATION_MEAN,  /* mean error of the mean over ranks */
    ITERATION_MAX,   /* mean error of the maximum over ranks */
    ITERATION_RMS,   /* root mean square error of the values of locations */
    ITERATION_WORST, /* largest error of a value of a location */
    CALLPATH_MEAN,   /* mean error of call paths */
    CALLPATH_WORST,
    METRIC_FIGURES
};

/* Groups of metrics whose figures are averaged (for the _WORST figures, the largest is taken).
 */
enum figure_group {
    GROUP_ALL,
    GROUP_TIME,
    GROUP_MPI_TIME,
    GROUP_COMPUTATION,
    GROUP_COUNT,
    GROUP_MPI_COUNT, /* counts on MPI paths; for figures of call paths only */
    FIGURE_GROUPS
};

/* Groups of metrics over which the errors of a call path are averaged before they are counted
 * by size (formula 4.7). */
enum error_group { ERROR_MPI_TIME, ERROR_MPI_COUNT, ERROR_COMPUTATION, ERROR_GROUPS };

/* Limits by which errors are counted: an error must be above the limit, or reach the last one.
 */
#define ERROR_STEPS 7
extern const double error_limits[ERROR_STEPS];

enum path_group { PATHS_ALL, PATHS_MPI, PATHS_COM, PATHS_USR, PATH_GROUPS };

struct side_facts {
    uint64_t iterations;    /* on the location that has most, selected or not */
    uint64_t clusters;      /* on the location that has most */
    bool compressed;        /* some cluster has several iterations */
    uint64_t profiles_only; /* selected profiles that the other side does not have */
};

/* The figures of one phase.  NAN: not defined, since there is nothing to compare. */
struct figures {
    const char *phase;
    const struct joint *joint;
    uint64_t iterations, profiles; /* compared */
    size_t ranks;                  /* that have compared iterations */
    struct side_facts sides[SIDES];
    double *metrics[METRIC_FIGURES];   /* by metric of `joint` */
    double *mpi_paths[METRIC_FIGURES]; /* the same on MPI paths only; CALLPATH_ figures only */
    bool *in_a, *in_b;                 /* by metric: some compared iteration has a value */
    double groups[METRIC_FIGURES][FIGURE_GROUPS];
    double shares[ERROR_GROUPS][ERROR_STEPS]; /* of call paths with an error above the limit */
    double phantom[PATH_GROUPS];              /* of the call paths in B's iterations */
    double missing[PATH_GROUPS];              /* of those in A's */
    double
        stated_phantom[PATH_GROUPS]; /* what B says of itself: at most so many, all and MPI */
};

/*
 * Compares the selected iterations of PHASES, one on each side.  `profiles` is 0 if there was
 * nothing to compare.  Free with figures_free.
 */
struct figures *figures_make(const struct joint *joint, const uint32_t phases[SIDES]);
void figures_free(struct figures *figures);

/* compare_iterations.c: fills in the figures of entire iterations, and how many were compared.
 */
void compare_iterations(struct figures *figures, const struct series *const *series);

/*
 * compare_paths.c: fills in the figures of call paths.  SERIES has two entries for each place,
 * A's and B's.
 */
void compare_paths(struct figures *figures, const struct series *const *series);

/* PART / WHOLE; NAN if WHOLE is 0. */
double share_of(long double part, long double whole);

/* compare_text.c: adds the figures for people. */
void compare_add_text(struct text *text, const struct figures *figures, size_t columns);

/* compare_csv.c: writes the header, and the rows of FIGURES, to STREAM. */
void compare_write_header(FILE *stream);
void compare_write_csv(FILE *stream, const struct figures *figures);

#endif
