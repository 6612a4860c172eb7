// Exceptions through functions without frame pointers.
#pragma GCC optimize("O2,omit-frame-pointer")
#define EXCEPTIONS exceptions_plain
#include "unwind_exceptions.inc"
