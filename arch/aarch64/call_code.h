/* Recognising call instructions. */
#ifndef TSPROF_ARCH_CALL_CODE_H
#define TSPROF_ARCH_CALL_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { ARCH_CALL_BYTES = 4 /* of a direct call, with a relative distance */ };

/*
 * Whether a call instruction, in any of its encodings, ends just before ADDRESS.  FUNCTION is
 * where the function around it starts; the code from there to ADDRESS must be readable.
 */
bool arch_call_precedes(uintptr_t address, uintptr_t function);

/*
 * Whether CODE, of which ARCH_CALL_BYTES must be readable, is a direct call; if so, sets
 * *TARGET to the address of the function that it calls.  Instructions are aligned, so nothing
 * else is one.
 */
bool arch_is_call_async(const unsigned char *code, uintptr_t *target);

#endif
