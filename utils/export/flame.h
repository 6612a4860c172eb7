/*
 * The values of flame graphs: by call path, exclusive, for a part of a run and, if the command
 * line asks for it, for what is subtracted from it.  Both use one call tree, in which nodes
 * with the same names are one path.
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
    struct selection minus; /* of what is subtracted */
    bool has_minus;
    struct scope scopes[FLAME_SIDES];
    struct combined *combined;
    struct path_tree *tree; /* of the combined summary */
    uint32_t computation;   /* its metric of that name, or SUMMARY_NONE */
    uint32_t *paths_of[FLAME_SIDES];
    struct path_map maps[FLAME_SIDES];
    uint32_t *metrics; /* those given by --metric, or `time`; numbers of the combined summary */
    size_t metric_count;
};

/*
 * Prepares what EXPORT's options ask for, in at most MOST metrics, opens the output, and calls
 * WRITE.  Returns an exit_status, after a message unless that is EXIT_DONE.
 */
typedef void flame_writer(const struct export *export, const struct flame *flame, FILE *stream);
int flame_export(const struct export *export, size_t most, flame_writer *write);

/* Values by call path of the flame's tree; all zero at first. */
struct flame_values {
    struct path_values *paths;
    long double *unsampled; /* by path: computation that no sample has found, in nanoseconds */
};

struct flame_values *flame_values_create(const struct flame *flame);
void flame_values_free(struct flame_values *values);

/* Replaces VALUES by those of all ranks, or of RANK. */
void flame_fill(const struct flame *flame, enum flame_side side, struct flame_values *values);
void flame_fill_rank(const struct flame *flame, const struct rank_group *rank,
                     struct flame_values *values);

/* Subtracts MINUS from VALUES. */
void flame_subtract(struct flame_values *values, const struct flame_values *minus);

/*
 * A call path has what is its function's own, and a frame UNSAMPLED_NAME below it what may have
 * been in functions that it calls as well (query/unsampled.h).
 */
enum flame_share { FLAME_OWN, FLAME_UNSAMPLED, FLAME_SHARES };

/*
 * What the SHARE of PATH has of METRIC, in nanoseconds for times and in the metric's unit for
 * others.
 */
long double flame_value(const struct flame *flame, const struct flame_values *values,
                        uint32_t path, enum flame_share share, uint32_t metric);

/* Whether the unit of METRIC is seconds. */
bool flame_is_time(const struct flame *flame, uint32_t metric);

#endif
