/* The table of what was decided for functions, against an array. */
#include "regions/decisions.h"

#include "tap.h"

#include <pthread.h>
#include <stdlib.h>

enum { ARENA_BYTES = 16 << 20, FUNCTIONS = 20000, ROUNDS = 200000 };

static const uintptr_t code = 0x7f1234500000;

/* Functions lie as densely as they can, or as they do. */
static uintptr_t function_at(unsigned number)
{
    return code + (number % 2 ? number : 16 * (uintptr_t)number);
}

static bool is_added(struct decisions **decisions, struct arena *arena, uintptr_t function,
                     bool left_out)
{
    if (decisions_add(*decisions, function, left_out))
        return true;
    struct decisions *larger = decisions_enlarge(*decisions, arena);
    if (larger)
        *decisions = larger;
    return larger && decisions_add(larger, function, left_out);
}

static void test_against_an_array(void)
{
    static enum decision expected[FUNCTIONS];
    struct arena arena;
    NEED(arena_create_async(&arena, ARENA_BYTES) == 0);
    struct decisions *decisions = decisions_create(&arena, 1);
    NEED(decisions);
    unsigned differ = 0, refused = 0;
    srand(1);
    for (unsigned i = 0; i < ROUNDS; i += tap_stride()) {
        const unsigned number = (unsigned)rand() % FUNCTIONS;
        const uintptr_t function = function_at(number);
        differ += decisions_find_async(decisions, function) != expected[number];
        if (expected[number] == DECISION_NONE) {
            const bool left_out = rand() % 2;
            refused += !is_added(&decisions, &arena, function, left_out);
            expected[number] = left_out ? DECISION_LEFT_OUT : DECISION_KEPT;
        } else if (rand() % 8 == 0) {
            decisions_forget(decisions, function, function + 1);
            expected[number] = DECISION_NONE;
        }
    }
    for (unsigned i = 0; i < FUNCTIONS; i++)
        differ += decisions_find_async(decisions, function_at(i)) != expected[i];
    EQ_INT(refused, 0, "there is room for all");
    EQ_INT(differ, 0, "every answer is the last decision");
    OK(2 * decisions->used <= decisions->last + (size_t)2, "at most half of it is used");
    decisions_forget(decisions, 0, UINTPTR_MAX);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        differ += decisions_find_async(decisions, function_at(i)) != DECISION_NONE;
    EQ_INT(differ, 0, "and all are forgotten at once");
    arena_destroy_async(&arena);
}

/* A library that comes and goes for ever takes no more room. */
static void test_room_is_used_again(void)
{
    struct arena arena;
    NEED(arena_create_async(&arena, ARENA_BYTES) == 0);
    struct decisions *decisions = decisions_create(&arena, 64), *first = decisions;
    for (unsigned i = 0; i < 10000; i++) {
        for (unsigned function = 0; function < 50; function++)
            NEED(is_added(&decisions, &arena, code + function, i % 2));
        decisions_forget(decisions, code, code + 50);
    }
    OK(decisions == first, "the table is as it was");
    arena_destroy_async(&arena);
}

static void test_no_room(void)
{
    struct arena arena;
    unsigned added = 0;
    NEED(arena_create_async(&arena, 8192) == 0);
    struct decisions *decisions = decisions_create(&arena, 1);
    while (added < 8192 && is_added(&decisions, &arena, code + added, true))
        added++;
    OK(added > 32 && added < 1024, "%u functions have room", added);
    EQ_INT(decisions_find_async(decisions, code + added), DECISION_NONE, "others do not");
    OK(!decisions_create(&arena, 1 << 20), "nor is there memory for a larger table");
    arena_destroy_async(&arena);
}

static struct decisions *shared;

/* What is decided before stays so while others are added. */
static void *reads(void *differ)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        *(unsigned *)differ +=
            decisions_find_async(shared, code + 2 * (i % 100)) != DECISION_LEFT_OUT;
    return NULL;
}

static void test_readers(void)
{
    struct arena arena;
    pthread_t reader;
    unsigned differ = 0;
    NEED(arena_create_async(&arena, ARENA_BYTES) == 0);
    shared = decisions_create(&arena, 4096);
    for (unsigned i = 0; i < 100; i++)
        decisions_add(shared, code + 2 * i, true);
    NEED(pthread_create(&reader, NULL, reads, &differ) == 0);
    for (unsigned round = 0; round < 200; round++) {
        for (unsigned i = 0; i < 100; i++)
            decisions_add(shared, code + 1000 + i, false);
        decisions_forget(shared, code + 1000, code + 1100);
    }
    pthread_join(reader, NULL);
    EQ_INT(differ, 0, "a thread that reads sees what does not change");
    arena_destroy_async(&arena);
}

int main(void)
{
    test_against_an_array();
    test_room_is_used_again();
    test_no_room();
    test_readers();
    return tap_done();
}
