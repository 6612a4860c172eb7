/*
 * Which part of the call tree a user means by --callpath.
 */
#ifndef TSPROF_CALLPATH_H
#define TSPROF_CALLPATH_H

#include "query/paths.h"

/*
 * The call paths that NAME means, with all that they call: by node of the file, for the caller
 * to free().  NAME has the names of regions joined by ";", as exports have them, or by " > ",
 * as the report; it may be the end of a call path only.  If that is no call path, NAME may be a
 * pattern with * ? [ ] (fnmatch) of a region's name or of a whole call path.  NULL, and ERROR,
 * if there is none. *COUNT: how many call paths NAME means, without what they call.
 */
bool *callpath_find(const struct path_tree *tree, const char *name, size_t *count,
                    struct error *error);

#endif
