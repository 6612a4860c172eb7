/*
 * The parts of `tsprof info`.  Each function prints its lines on stdout; command/cmd_info.c
 * calls them in order.  Only the command uses this room.
 */
#ifndef TSPROF_INFO_H
#define TSPROF_INFO_H

#include "print/print.h"
#include "query/query.h"

#include <stdbool.h>
#include <stddef.h>

/* info.c: what the parts have in common. */

/* Prints the line "LABEL   TEXT" with TEXT escaped, and frees it. */
void info_line(const char *label, struct text *text);
/* The same of the value of the fact KEY; prints nothing if it is unknown. */
void info_fact(const struct summary *summary, const char *label, const char *key);

/* info_run.c: the file, the program, when and where it ran. */
void info_run(const struct summary *summary);
/* How many ranks are in the file, selected or not. */
size_t info_count_ranks(const struct summary *summary);

/* info_trace.c: the trace that waiting was found in, and its clocks. */
void info_trace(const struct summary *summary);

/* info_setup.c: what the run was measured with, and the settings. */
void info_setup(const struct summary *summary);

/* info_content.c: the sizes of the file's tables; which threads the lines that follow are
 * about, if not all. */
void info_tables(const struct summary *summary);
void info_selected(const struct selection *selection);

/* info_cost.c: the overhead of measuring, and how exact the samples are. */
void info_cost(const struct selection *selection);

/* info_stalls.c: how long it kept the program at once, and with what. */
void info_stalls(const struct selection *selection);

/* info_counters.c: what the processor and the system counted. */
void info_counters(const struct selection *selection);

/* info_phases.c: the marked phases and their iterations. */
void info_phases(const struct selection *selection);

/* info_loops.c: loops that were found in a program without markers. */
void info_loops(const struct selection *selection);

/* info_quality.c: how well clusters represent their iterations, for MOST metrics (0: a few). */
void info_quality(const struct selection *selection, size_t most);
/* The errors of PHASE, for MOST metrics (0: all) and those by which it is judged, as a list of
 * JSON on stdout. */
void info_errors_json(const struct selection *selection, uint32_t phase, size_t most);

/* info_system.c: the ranks on each host; the topologies of communicators. */
void info_hosts(const struct summary *summary);
void info_topologies(const struct summary *summary);

/* info_threads.c: a table of locations. */
void info_threads(const struct selection *selection);

/* info_notes.c: notes of locations. */
void info_notes(const struct summary *summary);

/* info_json.c: the same as one document, with the errors of MOST metrics (0: all); returns
 * whether the numbers add up.  Its keys are an interface and never change. */
bool info_json(const struct selection *selection, size_t most);

/* info_checks.c: whether the numbers add up: the result, too. */
bool info_checks(const struct summary *summary);

#endif
