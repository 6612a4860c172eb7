/* Patterns with frame pointers. */
#pragma GCC optimize("O1,no-omit-frame-pointer,no-optimize-sibling-calls")
#define PATTERNS   patterns_framed
#define EXCEPTIONS exceptions_framed
#include "unwind_patterns.inc"
