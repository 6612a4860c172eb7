/*
 * What modules refer to and do not define themselves, from the symbols in their files.
 *
 * The files are read, not mapped, and the module's own memory is not looked at: whatever has
 * become of a file since it was loaded, the process lives on.  Program context.
 */
#ifndef TSPROF_UNDEFINED_H
#define TSPROF_UNDEFINED_H

#include <stdbool.h>

/* NAME is valid only meanwhile. */
typedef void undefined_visit(void *context, const char *name);

/*
 * Calls VISIT with the name of each dynamic symbol that the module in the file PATH leaves for
 * others to define.  False if nothing could be learnt from the file: it is not there or no
 * module, has lost its table of sections, or has more than 64 MiB of symbols or of names.
 */
bool undefined_each(const char *path, undefined_visit *visit, void *context);

#endif
