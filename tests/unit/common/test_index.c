/* The hash table of numbers of things: what was entered is found, whatever its hash. */
#include "common/index.h"
#include "tap.h"

#include <string.h>

enum { THINGS = 5000 };

struct wanted {
    const uint64_t *things;
    uint64_t thing;
};

static bool is_wanted(const void *context, uint32_t number)
{
    const struct wanted *wanted = context;
    return wanted->things[number] == wanted->thing;
}

/* Enters THINGS different things, each twice, with the hash that HASH gives; how many it has
 * got numbers for. */
static uint32_t enter_all(struct index *index, uint64_t *things, uint64_t (*hash)(uint64_t))
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < 2 * THINGS; i++) {
        struct wanted wanted = {things, i % THINGS * 3};
        if (!index_reserve(index, (size_t)count + 1))
            return 0;
        uint32_t *slot = index_slot(index, hash(wanted.thing), is_wanted, &wanted);
        if (*slot == 0) {
            things[count] = wanted.thing;
            *slot = ++count;
        }
    }
    return count;
}

static bool finds_all(const struct index *index, const uint64_t *things,
                      uint64_t (*hash)(uint64_t))
{
    bool found = true;
    for (uint32_t i = 0; i < THINGS; i++) {
        struct wanted wanted = {things, things[i]}, absent = {things, things[i] + 1};
        found &= *index_slot(index, hash(wanted.thing), is_wanted, &wanted) == i + 1 &&
                 *index_slot(index, hash(absent.thing), is_wanted, &absent) == 0;
    }
    return found;
}

static uint64_t good_hash(uint64_t thing)
{
    return index_hash_number(INDEX_HASH, thing);
}

/* All in a few long chains, some of which go round the end of the table. */
static uint64_t bad_hash(uint64_t thing)
{
    return UINT64_MAX - thing % 8;
}

static void test_things_are_found(const char *what, uint64_t (*hash)(uint64_t))
{
    static uint64_t things[THINGS];
    struct index index = {0};
    OK(enter_all(&index, things, hash) == THINGS, "each thing gets one number, %s", what);
    OK(finds_all(&index, things, hash), "every thing is found, and no other, %s", what);
    size_t slots = index.mask + 1;
    OK(slots >= 2 * THINGS && slots < 8 * THINGS && (slots & index.mask) == 0,
       "the table is at most half full, %s", what);
    index_free(&index);
    OK(!index.slots, "nothing is left when it is freed, %s", what);
}

/* The address sanitizer, where it is there, ends the program otherwise. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void test_too_much_room_is_refused(void)
{
    struct index index = {0};
    OK(index_reserve(&index, 1) && index.mask == 15, "room for one thing");
    struct index_slot *slots = index.slots;
    OK(!index_reserve(&index, SIZE_MAX / 64), "room for more than there is memory is refused");
    OK(index.slots == slots && index.mask == 15, "then the table is what it was");
    index_free(&index);
}

static void test_hashes_tell_apart(void)
{
    uint64_t split = index_hash_text(index_hash_text(INDEX_HASH, "ab"), "c");
    OK(split != index_hash_text(index_hash_text(INDEX_HASH, "a"), "bc"),
       "where a text ends is in the hash");
    OK(index_hash_text(INDEX_HASH, "text") == index_hash_bytes(INDEX_HASH, "text", 4),
       "a text has the hash of its bytes");
    OK((uint32_t)good_hash(1) != (uint32_t)good_hash(UINT64_C(1) << 32),
       "all bits of a number are in the lower half of its hash");
}

int main(void)
{
    test_things_are_found("with a good hash", good_hash);
    test_things_are_found("with a bad hash", bad_hash);
    test_too_much_room_is_refused();
    test_hashes_tell_apart();
    return tap_done();
}
