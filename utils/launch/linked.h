/*
 * Lists the libraries that a program is loaded with, including those that only its libraries
 * need, by asking the program's own loader.
 */
#ifndef TSPROF_LINKED_H
#define TSPROF_LINKED_H

#include <stdbool.h>

/*
 * Calls VISIT with the name of each library until VISIT returns false.  There are none if the
 * program names no loader, or one that cannot list them.  Starts the loader with --list; the
 * program itself is not run.
 */
void linked_libraries(const char *path, bool (*visit)(void *context, const char *name),
                      void *context);

#endif
