/*
 * The code behind aliases of return addresses: a table of jumps, each of which leads to the
 * address in its word of alias_targets.  To an unwinder a jump is an empty frame between a
 * function and its caller.
 */
#ifndef TSPROF_ARCH_ALIAS_TABLE_H
#define TSPROF_ARCH_ALIAS_TABLE_H

#include <stdint.h>

enum { ALIAS_COUNT = 4096, ALIAS_BYTES = 16 };

/* The jumps, and where each leads. */
extern const char alias_code[ALIAS_COUNT * ALIAS_BYTES] __attribute__((visibility("hidden")));
extern uintptr_t alias_targets[ALIAS_COUNT] __attribute__((visibility("hidden")));

#endif
