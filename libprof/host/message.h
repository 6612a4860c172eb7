/* The runtime's messages to users, one line at a time on standard error.  Program context. */
#ifndef TSPROF_MESSAGE_H
#define TSPROF_MESSAGE_H

#include <stdbool.h>

/*
 * Writes "tsprof: ..." and a newline with a single write(2) when TSPROF_VERBOSE is at least
 * LEVEL.  Formats on the stack, preserves errno, cuts lines at 1000 bytes.  Not for signal
 * handlers: snprintf may allocate for some formats.
 */
void message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Remembers which file standard error is; once it is another one, messages stop. */
void message_start(void);

/* Sets the verbosity that message() compares with; 1 until then. */
void message_set_verbosity(int verbosity);

/* Whether message() would write a message of LEVEL. */
bool message_is_shown(int level);

/* Adds "rank N" to every later line. */
void message_set_rank(int rank);

#endif
