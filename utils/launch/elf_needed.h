/*
 * Reads from an ELF file which libraries it needs (DT_NEEDED), and which loader.
 */
#ifndef TSPROF_ELF_NEEDED_H
#define TSPROF_ELF_NEEDED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Calls VISIT with the name of each needed library until VISIT returns false.  A file that is
 * not a 64-bit ELF file of this machine's byte order has none.  Names are valid only during the
 * call.
 */
void elf_needed(const char *path, bool (*visit)(void *context, const char *name),
                void *context);

/* Whether PATH is a 64-bit ELF file of this machine's byte order. */
bool elf_is_native(const char *path);

/* Puts the path of PATH's loader into LOADER; false if PATH names none, or if it is too long.
 */
bool elf_loader(const char *path, char *loader, size_t size);

#endif
