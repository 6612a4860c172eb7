/*
 * The process of a user's pattern: starting it, ending it, and how it has ended.  It has the
 * socket as CHILD_SOCKET and no other file but standard error, dies with the command, and is
 * the leader of a process group, so that what it has started dies with it.  For this room;
 * program context.
 */
#ifndef TSPROF_CHILD_H
#define TSPROF_CHILD_H

#include "base/base.h"

#include <sys/types.h>

enum { CHILD_SOCKET = 3 };

/* Starts the process of the pattern FILE, a shared object or FILE.py[:CLASS]; *SOCKET is the
 * caller's end.  0, and ERROR, if there is no such file or no process. */
pid_t child_start(const char *file, int *socket, struct error *error);

/* *PROCESS has closed its socket: waits a moment for its end and says into ERROR how it ended,
 * and *PROCESS is 0 then.  One that has not ended is left as it is. */
void child_explain(pid_t *process, struct error *error);

/* Ends PROCESS at once, and all that it has started. */
void child_end(pid_t process);

#endif
