/*
 * Processes that may do more than the user who started them: set-user-id and set-group-id
 * programs, and those with capabilities.  The loader preloads a library into them only if it
 * lies in one of the system's directories and is itself set-user-id.  Even then measuring them
 * would let the user choose, by the environment, which files the process writes, and see what
 * it does.
 */
#ifndef TSPROF_SECURE_H
#define TSPROF_SECURE_H

#include <stdbool.h>

/* Whether this is such a process: then nothing is measured, read or written.  Any context. */
bool secure_process(void);

#endif
