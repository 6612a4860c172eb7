/*
 * The metric table: identifiers, names and hierarchy of everything tsprof measures.
 * Shared by the runtime, the compression and the command; pure data and arithmetic, so every
 * function may be called from any context, a signal handler included.
 */
#ifndef TSPROF_METRICS_H
#define TSPROF_METRICS_H

#include <stdbool.h>
#include <stdint.h>

enum metric {
    METRIC_none = -1,
#define METRIC(id, parent, unit, kind, text) METRIC_##id,
#include "common/metrics.def"
#undef METRIC
    METRIC_COUNT
};

/*
 * Counters (TSPROF_COUNTERS) are metrics that the user chooses for a run.  They are numbered
 * from METRIC_COUNT on, in the runtime as in a summary.
 */
enum { COUNTERS_MOST = 16, METRIC_MOST = METRIC_COUNT + COUNTERS_MOST };

enum metric_unit { UNIT_seconds, UNIT_bytes, UNIT_occurrences, UNIT_COUNT };

struct metric_info {
    const char *name;
    enum metric parent; /* METRIC_none for a root; always smaller than the metric itself */
    enum metric_unit unit;
    bool measured; /* false: derived, the sum of its children */
    const char *text;
};

/* The table, indexed by enum metric. */
extern const struct metric_info metric_table[METRIC_COUNT];

/* The metric called NAME, or METRIC_none. */
enum metric metric_by_name(const char *name);

/* The unit in which values are shown: "s", "bytes" or "occ". */
const char *metric_unit_name(enum metric_unit unit);
/* The unit that is shown as NAME; UNIT_COUNT if there is none. */
enum metric_unit metric_unit_by_name(const char *name);

/* Factor from stored integers to the shown unit: 1e-9 for seconds, 1 otherwise. */
double metric_unit_scale(enum metric_unit unit);

/*
 * Turns exclusive values, in stored integers (nanoseconds, bytes, occurrences), into inclusive
 * ones in place: adds all descendants to each.  Overflow wraps around.
 */
void metric_make_inclusive(int64_t values[METRIC_COUNT]);

#endif
