/*
 * The parts of the report on a terminal.  Each function adds its lines to `text`, or nothing if
 * there is nothing to say; command/cmd_report.c calls them in order.  doc/report.md says what
 * the lines mean.  Only the command uses this room.
 */
#ifndef TSPROF_REPORT_H
#define TSPROF_REPORT_H

#include "findings/findings.h"
#include "parts/parts.h"
#include "print/print.h"
#include "query/query.h"
#include "report/style.h"

/* What lists of call paths are sorted by. */
enum report_sort {
    SORT_VALUE,
    SORT_IMBALANCE, /* how much more than the mean the largest rank has */
    SORT_NAME,
    SORT_VISITS,
    REPORT_SORTS
};

struct report {
    const struct summary *summary;
    const struct selection *selection;
    const struct path_tree *tree;
    struct scope scope; /* what tables and lists cover: the whole run, or sums of iterations */
    /* What 100 % means, over all call paths: the time of the scope on all selected threads, in
     * seconds, and its value of `metric`, in the metric's unit. */
    long double wall, all;
    const struct live_list *live; /* of parts; NULL: the report is of a summary file */
    const struct palette *palette;
    const char *callpath; /* given by --callpath; NULL: all */
    enum name_form names; /* of functions */
    uint32_t metric;      /* given by --metric; default `time` */
    bool is_time;         /* `metric` is `time` */
    size_t columns;       /* of a line */
    size_t top;           /* length of lists; 0: each has its own default */
    enum report_sort sort;
    const struct thresholds *thresholds; /* of properties; NULL: the usual ones */
    struct text text;
    struct text later; /* findings that come below the iterations */
};

/* Adds an empty line and TITLE, in the style of titles, without a newline. */
void report_title(struct report *report, const char *title);

/* Adds a warning, in a style that attracts attention, broken into lines. */
void report_warn(struct report *report, const char *warning);

/* report_paths.c: sets what 100 % means.  Call it before the summary is cut to a call path. */
void report_measure(struct report *report);

/* report_metrics.c: tables of where the time went and of what was counted. */
void report_metrics(struct report *report);

/* report_efficiency.c: parallel efficiency and its factors, of the run and of its iterations.
 */
void report_efficiency(struct report *report);
/* report_efficiency_line.c: parallel efficiency over the iterations of PHASE, where time is
 * shown. */
void report_efficiency_line(struct report *report, uint32_t phase);

/*
 * report_findings.c: what stands out, so much of it that the graph of the iterations, if there
 * is one, is on the first screen; the rest, which comes below that; and all of it for scripts
 * (findings/ranking.h).
 */
void report_findings(struct report *report);
void report_more_findings(struct report *report);
void report_write_findings(const struct report *report, FILE *stream);

/* report_iterations.c: every phase over its iterations, and its slowest iterations. */
void report_iterations(struct report *report);

/*
 * report_origin.c: what the iterations of PHASE are if the program does not mark them: passes
 * of a loop that tsprof found, slices of time, or what the user has named.
 */
void report_origin(struct report *report, uint32_t phase);
/* Other loops that could be chosen instead, below the graph of the first of such phases. */
void report_other_loops(struct report *report, uint32_t phase);
/* Whether they are slices of time, which are all equally long. */
bool report_are_slices(const struct report *report, uint32_t phase);

/* report_paths.c: the call paths that took most. */
void report_paths(struct report *report);

/* report_names.c: adds the name of PATH's last function as the report shows it, unescaped. */
void report_add_name(const struct report *report, uint32_t path, struct text *text);

/* report_names.c: adds the call path of PATH from column COLUMN on, in about LINES lines at
 * most; KEEP as for path_add_frames_keeping. */
void report_add_frames(struct report *report, uint32_t path, uint32_t keep, size_t column,
                       size_t lines);

/* report_flat.c: functions over all call paths, and those of MPI. */
void report_flat(struct report *report);

/* report_callers.c: who calls the functions of WANTED, which are of FUNCTIONS. */
void report_callers(struct report *report, const struct function_list *functions,
                    const bool *wanted);

/* report_samples.c: where stacks could not be walked to their root. */
void report_samples(struct report *report);

/* report_trace.c: what the trace beside the summary holds, if there is one. */
void report_trace(struct report *report);

/* report_waits.c: of a trace that was searched: who waits for whom, why, and the critical path.
 * Of all that was traced only: nothing if iterations or a call path are selected. */
void report_waits(struct report *report);

/* report_joined.c: of a summary of a whole run with what traced iterations waited for. */
bool report_is_joined(const struct report *report);
/* Adds "In iterations 4, 7-9 of timestep, which were traced, " to LINE. */
void report_add_traced(const struct report *report, struct text *line);
/* Between which iterations of PHASE are those that were traced; false if none are joined. */
bool report_traced_extent(const struct report *report, const char *phase, uint64_t *first,
                          uint64_t *last);
/* Says what waiting is not shown in the tables of times, if any. */
void report_cut(struct report *report);

/* report_clocks.c: of such a trace of several hosts: how well their clocks agreed. */
void report_clocks(struct report *report);

/* report_trust.c: the errors of clustering and the overhead of measuring. */
void report_trust(struct report *report);

#endif
