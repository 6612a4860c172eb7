/* The instructions that call functions. */
#ifndef TSPROF_ARCH_CALL_CODE_H
#define TSPROF_ARCH_CALL_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { ARCH_CALL_BYTES = 5 /* of a call of a function at a fixed distance */ };

/*
 * Whether a call, in any of its encodings, ends just before ADDRESS, in code that starts at
 * FUNCTION and can be read.
 */
bool arch_call_precedes(uintptr_t address, uintptr_t function);

/*
 * Whether CODE, of which ARCH_CALL_BYTES can be read, is a call of a function at a fixed
 * distance: then *TARGET is where that starts.
 */
bool arch_is_call_async(const unsigned char *code, uintptr_t *target);

#endif
