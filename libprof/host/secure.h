/*
 * Processes that may do more than who started them: set-user-id and set-group-id programs, and
 * those with capabilities.  The loader preloads a library into them only if it is in one of the
 * system's directories and itself set-user-id; measuring it even then would let the user
 * choose, by the environment, files that the process writes, and see what it does.
 */
#ifndef TSPROF_SECURE_H
#define TSPROF_SECURE_H

#include <stdbool.h>

/* Whether this is such a process: nothing is measured, read or written then.  Any context. */
bool secure_process(void);

#endif
