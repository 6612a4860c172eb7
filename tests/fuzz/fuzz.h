/*
 * What a fuzz target is: one function, as libFuzzer calls it.  fuzz_driver.c calls it where
 * there is no libFuzzer; AFL++ has a driver of its own for it.
 */
#ifndef TSPROF_FUZZ_H
#define TSPROF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; ends the program if DATA, SIZE bytes, shows a fault. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * A target may have what follows.
 *
 * Seed NUMBER in DATA, which has room for MOST bytes; returns its size, 0 after the last.
 * Without it fuzz_driver.c starts from random bytes.
 */
size_t fuzz_seed(size_t number, uint8_t *data, size_t most) __attribute__((weak));

/* Changes DATA, SIZE bytes with room for MOST, and returns its new size; as libFuzzer has it.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
    __attribute__((weak));

/* For it to call: changes bytes that mean nothing in particular.  Of libFuzzer or the driver.
 */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
