/*
 * What is preloaded into a program: the runtime, and what has to come before it.
 */
#ifndef TSPROF_PRELOAD_H
#define TSPROF_PRELOAD_H

/*
 * Puts RUNTIME first in LD_PRELOAD, unless it is there already, and removes other runtimes of
 * tsprof: two would both stand between the program and MPI.  The address sanitizer's library,
 * if it is there or the file PROGRAM needs it (NULL: it is not known), goes before everything
 * else; programs that are built with it refuse to start otherwise.
 */
void preload_runtime(const char *runtime, const char *program);

#endif
