/*
 * A table of jumps, each of which leads to where its word says: the code of aliases of return
 * addresses.  To an unwinder a jump is a frame without contents between a function and its
 * caller.
 */
#ifndef TSPROF_ARCH_ALIAS_TABLE_H
#define TSPROF_ARCH_ALIAS_TABLE_H

#include <stdint.h>

enum { ALIAS_COUNT = 4096, ALIAS_BYTES = 16 };

/* The jumps, and where each leads. */
extern const char alias_code[ALIAS_COUNT * ALIAS_BYTES] __attribute__((visibility("hidden")));
extern uintptr_t alias_targets[ALIAS_COUNT] __attribute__((visibility("hidden")));

#endif
