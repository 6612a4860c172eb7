/*
 * The one line that a run leaves on standard error: where the summary is, what is in it, how to
 * look at it.  What is in it is known to several rooms at several times, and is collected here.
 * Program context, of process 0's thread that writes the summary.
 */
#ifndef TSPROF_LAST_LINE_H
#define TSPROF_LAST_LINE_H

#include <stdbool.h>

/*
 * Adds a remark, which stands behind the summary's name.  Remarks are separated by
 * semicolons, in the order in which they came.  One that does not fit into the line is left
 * out; then returns false.
 */
bool last_line_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says that what FORMAT describes is in the summary NAME. */
void last_line_set(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the line, at level 1, if there is a summary.  Forgets everything. */
void last_line_say(void);

#endif
