/*
 * Code that linkers and the start files put into modules, often without call-frame information:
 * stubs that call through a table, _init and _fini.  It is known by its bytes, all of them.
 */
#ifndef TSPROF_STUBS_H
#define TSPROF_STUBS_H

#include <stdbool.h>
#include <stdint.h>

/* A place in such code. */
struct stub {
    uintptr_t function; /* where the code starts */
    uint32_t depth;     /* the canonical frame address less the stack pointer */
    bool fp_saved; /* the caller's frame pointer is at CFA - 16; else still in its register */
};

/* Fills STUB for PC; false if it is no such code.  Any context. */
bool stub_find_async(uintptr_t pc, struct stub *stub);

#endif
