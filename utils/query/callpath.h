/*
 * Finds the part of the call tree that the user means by --callpath.
 */
#ifndef TSPROF_CALLPATH_H
#define TSPROF_CALLPATH_H

#include "query/paths.h"

/*
 * Finds the call paths that NAME stands for, and everything below them.  The result has a flag
 * for each node of the file, and is for the caller to free().  NAME is region names joined by
 * ";", as in exports, or by " > ", as in the report; the last names of a call path are enough.
 * If no call path ends like that, NAME is taken for a pattern (fnmatch: ?  [ ]) of a region's
 * name or of a whole call path.  *COUNT becomes the number of call paths that NAME stands for,
 * not counting what is below them.  NULL, and ERROR, if there is none.
 */
bool *callpath_find(const struct path_tree *tree, const char *name, size_t *count,
                    struct error *error);

#endif
