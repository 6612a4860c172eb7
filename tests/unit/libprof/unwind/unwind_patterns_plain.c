/* Patterns without frame pointers, with sibling calls. */
#pragma GCC optimize("O2,omit-frame-pointer,optimize-sibling-calls")
#define PATTERNS   patterns_plain
#define EXCEPTIONS exceptions_plain
#include "unwind_patterns.inc"
