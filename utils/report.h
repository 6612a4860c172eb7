/*
 * The parts of the terminal report.  Each adds its lines to `text`, nothing if it has nothing
 * to say; cmd_report.c puts them in order.
 */
#ifndef TSPROF_REPORT_H
#define TSPROF_REPORT_H

#include "live.h"
#include "paths.h"
#include "select.h"
#include "text.h"

struct report {
    const struct summary *summary;
    const struct selection *selection;
    const struct path_tree *tree;
    const struct live_list *live; /* of a job's parts; NULL: it is a summary's file */
    uint32_t metric;              /* the one to look at */
    bool is_time;                 /* it is the default, `time` */
    size_t columns;               /* of a line */
    size_t top;                   /* length of lists; 0: each has its own default */
    struct text text;
};

/* report_metrics.c: where the time went, and what else was counted. */
void report_metrics(struct report *report);

/* report_iterations.c: every kept phase over its iterations, and the slowest of them. */
void report_iterations(struct report *report);

/* report_paths.c: the call paths that took most. */
void report_paths(struct report *report);

/* report_samples.c: where samples could not be followed to the root. */
void report_samples(struct report *report);

#endif
