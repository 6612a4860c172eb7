// Exceptions through functions with frame pointers.
#pragma GCC optimize("O1,no-omit-frame-pointer,no-optimize-sibling-calls")
#define EXCEPTIONS exceptions_framed
#include "unwind_exceptions.inc"
