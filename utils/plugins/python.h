/* A pattern that is a class of Python, in the process that was started for it.  For this room.
 */
#ifndef TSPROF_PYTHON_H
#define TSPROF_PYTHON_H

/* The text of tsprof_pattern.py; empty where the command was built without it. */
extern const char tsprof_pattern_module[];

/* Becomes a python3 that runs tsprof_pattern.py, which loads CLASS ("": the only one that is a
 * pattern) of the file PATH and serves it over CHILD_SOCKET. */
_Noreturn void python_run(const char *path, const char *class);

#endif
