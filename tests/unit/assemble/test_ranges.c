/* Ranges that hold an address are those that looking at all of them finds. */
#include "assemble/ranges.h"

#include "tap.h"

#include <stdlib.h>

enum { ROUNDS = 200, RANGES = 60, SPAN = 400, MOST = 16 };

static struct range all[RANGES];

static size_t look_at_all(size_t count, uint64_t address, uint32_t *found, size_t most)
{
    size_t holding = 0;
    for (size_t i = 0; i < count; i++)
        if (all[i].begin <= address && address < all[i].end && holding++ < most)
            found[holding - 1] = all[i].number;
    return holding;
}

/* Whether both find the same of COUNT ranges; of too many those that are found may be any. */
static bool agrees_at(const struct ranges *ranges, size_t count, uint64_t address)
{
    uint32_t found[MOST], wanted[MOST];
    size_t there = ranges_find(ranges, address, found, MOST);
    if (there != look_at_all(count, address, wanted, MOST))
        return false;
    for (size_t i = 0; there <= MOST && i < there; i++)
        if (found[i] != wanted[i])
            return false;
    return true;
}

static void test_the_same_are_found(void)
{
    int wrong = 0;
    srand(1);
    for (int round = 0; round < ROUNDS; round++) {
        struct ranges ranges = {0};
        size_t count = (size_t)rand() % RANGES;
        int longest = round % 2 ? SPAN : 10;
        for (size_t i = 0; i < count; i++) {
            uint64_t begin = (uint64_t)(rand() % SPAN);
            /* Some are empty. */
            all[i] =
                (struct range){begin, begin + (uint64_t)(rand() % longest), (uint32_t)(3 * i)};
            if (!ranges_add(&ranges, all[i].begin, all[i].end, all[i].number))
                wrong++;
        }
        if (!ranges_sort(&ranges))
            wrong++;
        for (uint64_t address = 0; address < 2 * SPAN; address++)
            wrong += !agrees_at(&ranges, count, address);
        ranges_free(&ranges);
    }
    EQ_INT(wrong, 0, "of %d sets of ranges", ROUNDS);
}

static void test_the_ends_of_the_address_space(void)
{
    struct ranges ranges = {0};
    uint32_t found[2];
    ranges_add(&ranges, UINT64_MAX - 1, UINT64_MAX, 7);
    ranges_add(&ranges, 0, 1, 8);
    ranges_sort(&ranges);
    OK(ranges_find(&ranges, UINT64_MAX - 1, found, 2) == 1 && found[0] == 7,
       "the last but one");
    EQ_INT(ranges_find(&ranges, UINT64_MAX, found, 2), 0, "nothing holds the last");
    OK(ranges_find(&ranges, 0, found, 2) == 1 && found[0] == 8, "the first");
    ranges_free(&ranges);
}

int main(void)
{
    test_the_same_are_found();
    test_the_ends_of_the_address_space();
    return tap_done();
}
