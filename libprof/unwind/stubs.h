/*
 * Code that linkers and the start files put into modules, often without call-frame information:
 * PLT stubs, _init, _fini and others.  It is recognised by its bytes (see arch/), all of them.
 */
#ifndef TSPROF_STUBS_H
#define TSPROF_STUBS_H

#include <stdbool.h>
#include <stdint.h>

/* A place in such code. */
struct stub {
    uintptr_t function; /* where the piece of code starts */
    uint32_t depth;     /* canonical frame address (CFA) minus stack pointer, in bytes */
    int16_t
        return_offset; /* of the return address, from the CFA; 0: in the auxiliary register */
    int16_t fp_offset; /* of the caller's frame pointer; 0: in its register */
};

/* Fills STUB for PC; false if PC is not in such code.  Any context. */
bool stub_find_async(uintptr_t pc, struct stub *stub);

#endif
