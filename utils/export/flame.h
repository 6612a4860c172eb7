/*
 * What flame graphs show: values by call path, exclusive, of a part of a run, and of what is to
 * be subtracted from it if the command line says so.  Both in the numbers of one call tree, in
 * which nodes with the same names are one path.
 */
#ifndef TSPROF_FLAME_H
#define TSPROF_FLAME_H

#include "algebra/algebra.h"
#include "export/export.h"
#include "query/query.h"

#include <stdio.h>

enum flame_side { FLAME_THIS, FLAME_MINUS, FLAME_SIDES };

struct flame {
    struct summary *other;  /* of --minus; NULL: none */
    struct selection minus; /* what is subtracted is chosen by it */
    bool has_minus;
    struct scope scopes[FLAME_SIDES];
    struct combined *combined;
    struct path_tree *tree; /* of the combined summary */
    uint32_t *paths_of[FLAME_SIDES];
    struct path_map maps[FLAME_SIDES];
    uint32_t *metrics; /* those asked for, or `time`; of the combined summary */
    size_t metric_count;
};

/*
 * Reads what EXPORT's options ask for, in at most MOST metrics, and has WRITE write it to the
 * output that they name.  An exit_status, after a message if that is not EXIT_DONE.
 */
typedef void flame_writer(const struct export *export, const struct flame *flame, FILE *stream);
int flame_export(const struct export *export, size_t most, flame_writer *write);

/* Replaces what VALUES (of the flame's tree) holds by the values of all ranks or of one. */
void flame_fill(const struct flame *flame, enum flame_side side, struct path_values *values);
void flame_fill_rank(const struct flame *flame, const struct rank_group *rank,
                     struct path_values *values);

/*
 * The value of METRIC at PATH in the unit that flame graphs have it in: nanoseconds for times,
 * the metric's own for others.
 */
long double flame_value(const struct flame *flame, const struct path_values *values,
                        uint32_t path, uint32_t metric);

/* Is METRIC measured in seconds? */
bool flame_is_time(const struct flame *flame, uint32_t metric);

#endif
