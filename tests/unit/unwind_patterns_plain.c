/* Patterns without frame pointers, with sibling calls. */
#pragma GCC optimize("O2,omit-frame-pointer,optimize-sibling-calls")
#define PATTERNS patterns_plain
#include "unwind_patterns.inc"
