/*
 * Images for AFL++, as a library that AFL_CUSTOM_MUTATOR_LIBRARY names: what libFuzzer has from
 * LLVMFuzzerCustomMutator.
 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16 };

struct mutator {
    uint64_t random;
    uint8_t data[MOST];
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *context, uint8_t *input, size_t size, uint8_t **changed,
                       uint8_t *other, size_t other_size, size_t most);
void afl_custom_deinit(void *context);

void *afl_custom_init(void *afl, unsigned seed)
{
    (void)afl;
    struct mutator *mutator = calloc(1, sizeof *mutator);
    if (mutator)
        mutator->random = seed;
    return mutator;
}

/* One byte becomes another: AFL++ has its own ways to change bytes, and uses them too. */
static size_t change_byte(uint8_t *data, size_t size, size_t most)
{
    static uint64_t random = 1;
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (size == 0 && most > 0)
        size = 1;
    if (size > 0)
        data[(random >> 40) % size] = (uint8_t)(random >> 32);
    return size;
}

size_t afl_custom_fuzz(void *context, uint8_t *input, size_t size, uint8_t **changed,
                       uint8_t *other, size_t other_size, size_t most)
{
    struct mutator *mutator = context;
    (void)other;
    (void)other_size;
    most = most < MOST ? most : MOST;
    size = size < most ? size : most;
    memcpy(mutator->data, input, size);
    mutator->random = mutator->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    *changed = mutator->data;
    return image_mutate(mutator->data, size, most, mutator->random >> 16, change_byte);
}

void afl_custom_deinit(void *context)
{
    free(context);
}
