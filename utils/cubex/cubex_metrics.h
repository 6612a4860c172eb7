/*
 * The metrics of a CUBE file: which it has, their tree and their names.
 */
#ifndef TSPROF_CUBEX_METRICS_H
#define TSPROF_CUBEX_METRICS_H

#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubex_metric {
    uint32_t source; /* the summary's metric */
    uint32_t parent; /* an earlier metric of the file, or SUMMARY_NONE */
    const char *shown;
    char *unique;  /* CUBE's unique name */
    bool fraction; /* some value is not a whole number, see cubex_survey */
    bool negative; /* some value is negative */
};

struct cubex_metrics {
    const struct summary *summary;
    struct cubex_metric *list; /* in depth-first order */
    size_t count;              /* at least 1 */
    bool *counted; /* by metric of the summary: it is, or is a part of, one in `list` */
};

/*
 * Makes the list of the selected metrics or, without a selection, of those that have a value
 * anywhere.  A metric's value includes those of its parts, whether these are in the file or
 * not, as CUBE expects.
 */
void cubex_metrics_make(struct cubex_metrics *metrics, const struct selection *selection);
void cubex_metrics_free(struct cubex_metrics *metrics);

/* The type of the stored values: "DOUBLE", "UINT64" or "INT64"; all have 8 bytes. */
const char *cubex_metric_type(const struct cubex_metrics *metrics, size_t metric);

/* The unit in CUBE's notation. */
const char *cubex_metric_unit(const struct cubex_metrics *metrics, size_t metric);

#endif
