/* Reading memory that may not be there.  Any context; preserves errno. */
#ifndef TSPROF_PEEK_H
#define TSPROF_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies SIZE bytes at ADDRESS to TO; false if some of them cannot be read. */
bool peek_async(uintptr_t address, void *to, size_t size);

/*
 * Whether the page at ADDRESS, which is mapped, is known to be lost, since its file was
 * truncated.
 */
bool peek_is_lost_async(uintptr_t address);

#endif
