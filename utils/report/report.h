/*
 * The parts of the terminal report.  Each adds its lines to `text`, nothing if it has nothing
 * to say; cmd_report.c puts them in order.  doc/report.md says what they mean.
 */
#ifndef TSPROF_REPORT_H
#define TSPROF_REPORT_H

#include "parts/parts.h"
#include "print/print.h"
#include "query/query.h"
#include "report/style.h"

/* What lists of call paths are sorted by. */
enum report_sort {
    SORT_VALUE,
    SORT_IMBALANCE, /* the most that a rank has more than the mean */
    SORT_NAME,
    SORT_VISITS,
    REPORT_SORTS
};

struct report {
    const struct summary *summary;
    const struct selection *selection;
    const struct path_tree *tree;
    struct scope scope; /* of tables and lists: the whole run, or sums of iterations */
    /* What 100 % is, with all call paths: the time of the scope on all selected threads, in
     * seconds, and what its call paths have of `metric`. */
    long double wall, all;
    const struct live_list *live; /* of a job's parts; NULL: it is a summary's file */
    const struct palette *palette;
    const char *callpath; /* the one that is looked at; NULL: all */
    uint32_t metric;      /* the one to look at */
    bool is_time;         /* it is the default, `time` */
    size_t columns;       /* of a line */
    size_t top;           /* length of lists; 0: each has its own default */
    enum report_sort sort;
    struct text text;
};

/* Adds an empty line, and TITLE in the style of titles; what follows is in the same line. */
void report_title(struct report *report, const char *title);

/* Adds what must not be overlooked, in lines. */
void report_warn(struct report *report, const char *warning);

/* report_paths.c: fills in what 100 % is, before the summary is cut down to a call path. */
void report_measure(struct report *report);

/* report_metrics.c: where the time went, and what else was counted. */
void report_metrics(struct report *report);

/* report_findings.c: what stands out. */
void report_findings(struct report *report);

/* report_iterations.c: every kept phase over its iterations, and the slowest of them. */
void report_iterations(struct report *report);

/*
 * report_origin.c: what the iterations of PHASE are, where the program does not mark them:
 * loops that tsprof has found, and what else there is to name; slices of time; what the user
 * named.
 */
void report_origin(struct report *report, uint32_t phase);

/* report_paths.c: the call paths that took most. */
void report_paths(struct report *report);

/* report_samples.c: where samples could not be followed to the root. */
void report_samples(struct report *report);

/* report_trust.c: what clustering and measuring did to the numbers. */
void report_trust(struct report *report);

#endif
