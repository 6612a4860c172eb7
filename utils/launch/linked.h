/*
 * The libraries that a program is loaded with, those that only its libraries need included, as
 * its own loader lists them.
 */
#ifndef TSPROF_LINKED_H
#define TSPROF_LINKED_H

#include <stdbool.h>

/*
 * Calls VISIT with the name of each until it returns false.  A file that names no loader, or
 * one that cannot tell, has none.  Starts the loader, and not the program.
 */
void linked_libraries(const char *path, bool (*visit)(void *context, const char *name),
                      void *context);

#endif
