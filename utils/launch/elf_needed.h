/*
 * What an ELF file asks the kernel and the loader for: its libraries (DT_NEEDED), and the
 * loader itself.
 */
#ifndef TSPROF_ELF_NEEDED_H
#define TSPROF_ELF_NEEDED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls VISIT with each name until it returns false.  A file that is not a whole 64-bit ELF
 * file of this machine's byte order simply has none.  Names are gone after the call.
 */
void elf_needed(const char *path, bool (*visit)(void *context, const char *name),
                void *context);

/* Puts the path of the loader that the program PATH names into LOADER; false if it has none. */
bool elf_loader(const char *path, char *loader, size_t size);

#endif
