/*
 * Disjoint-set forest.  See disjoint.h.
 *
 * An entry is the number of the parent iteration, or ~slot in a root, or NO_SET.
 *
 * Entry i lives at position v = i + 2^FIRST_BITS of an imaginary array.  Each range
 * [2^e, 2^(e+1)) of it, from e = FIRST_BITS on, is cut into four segments: the two bits below
 * the leading one of v choose the segment, the rest is the offset in it.
 */
#include "disjoint.h"

#include <stddef.h>

#define FIRST_BITS 10
#define NO_SET     INT32_MIN

struct place {
    unsigned segment;
    size_t offset;
    size_t length; /* of the segment */
};

static struct place place_of(uint64_t iteration)
{
    uint64_t v = iteration + (UINT64_C(1) << FIRST_BITS);
    unsigned e = 63 - (unsigned)__builtin_clzll(v);
    uint64_t length = UINT64_C(1) << (e - 2);
    return (struct place){(e - FIRST_BITS) * 4 + (unsigned)(v >> (e - 2) & 3), v & (length - 1),
                          length};
}

static int32_t *entry(const struct disjoint *forest, uint32_t iteration)
{
    struct place place = place_of(iteration);
    return &forest->segments[place.segment][place.offset];
}

bool disjoint_reserve(struct disjoint *forest, struct account *account, uint64_t iteration)
{
    if (iteration >= INT32_MAX)
        return false;
    struct place place = place_of(iteration);
    if (forest->segments[place.segment])
        return true;
    int32_t *segment = account_take(account, place.length * sizeof(*segment));
    if (!segment)
        return false;
    for (size_t i = 0; i < place.length; i++)
        segment[i] = NO_SET;
    forest->segments[place.segment] = segment;
    return true;
}

void disjoint_root(struct disjoint *forest, uint32_t iteration, uint32_t slot)
{
    *entry(forest, iteration) = (int32_t)~slot;
}

void disjoint_join(struct disjoint *forest, uint32_t root, uint32_t child)
{
    *entry(forest, child) = (int32_t)root;
}

void disjoint_remove(struct disjoint *forest, uint32_t iteration)
{
    *entry(forest, iteration) = NO_SET;
}

uint32_t disjoint_slot(const struct disjoint *forest, uint64_t iteration)
{
    /* Where memory was out there is no segment, although later ones may exist. */
    if (iteration >= INT32_MAX || !forest->segments[place_of(iteration).segment])
        return DISJOINT_NONE;
    int32_t value = *entry(forest, (uint32_t)iteration);
    while (value >= 0)
        value = *entry(forest, (uint32_t)value);
    return value == NO_SET ? DISJOINT_NONE : ~(uint32_t)value;
}

void disjoint_clear(struct disjoint *forest, struct account *account)
{
    for (unsigned s = 0; s < DISJOINT_SEGMENTS; s++) {
        size_t length = (size_t)1 << (s / 4 + FIRST_BITS - 2);
        account_give_back(account, forest->segments[s], length * sizeof(int32_t));
        forest->segments[s] = NULL;
    }
}
