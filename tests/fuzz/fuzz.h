/*
 * What a fuzz target is: one function, as libFuzzer calls it.  fuzz_driver.c calls it where
 * there is no libFuzzer.
 */
#ifndef TSPROF_FUZZ_H
#define TSPROF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; ends the program if DATA, SIZE bytes, shows a fault. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
