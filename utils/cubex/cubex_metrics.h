/*
 * The metrics of a CUBE file: which there are, their tree and what they are called.
 */
#ifndef TSPROF_CUBEX_METRICS_H
#define TSPROF_CUBEX_METRICS_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubex_metric {
    uint32_t source; /* in the summary */
    uint32_t parent; /* an earlier one in the file, or SUMMARY_NONE */
    const char *shown;
    char *unique;  /* no two are the same */
    bool fraction; /* some value that a reader gets is not whole: see cubex_survey */
    bool negative; /* some value is below 0 */
};

struct cubex_metrics {
    const struct summary *summary;
    struct cubex_metric *list; /* parents before their children, each subtree together */
    size_t count;              /* at least 1 */
    bool *counted;             /* by metric of the summary: is it part of one in the list? */
};

/*
 * Those that were asked for, or else those that have a value somewhere.  A value includes those
 * of the metric's parts, in the file or not: that is how CUBE understands its metric tree.
 */
void cubex_metrics_make(struct cubex_metrics *metrics, const struct selection *selection);
void cubex_metrics_free(struct cubex_metrics *metrics);

/* The type of the stored values: "DOUBLE", "UINT64" or "INT64"; all have 8 bytes. */
const char *cubex_metric_type(const struct cubex_metrics *metrics, size_t metric);

/* The unit as CUBE's users write it. */
const char *cubex_metric_unit(const struct cubex_metrics *metrics, size_t metric);

#endif
