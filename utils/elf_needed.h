/*
 * The libraries that an ELF file asks the loader for (DT_NEEDED).
 */
#ifndef TSPROF_ELF_NEEDED_H
#define TSPROF_ELF_NEEDED_H

#include <stdbool.h>

/*
 * Calls VISIT with each name until it returns false.  A file that is not a whole 64-bit ELF
 * file of this machine's byte order simply has none.  Names are gone after the call.
 */
void elf_needed(const char *path, bool (*visit)(void *context, const char *name),
                void *context);

#endif
