/* Memory of the runtime: alignment, zeros, exhaustion, and reuse by size class. */
#include "host/arena.h"

#include "tap.h"

#include <stdint.h>
#include <string.h>

static bool all_zero(const char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (memory[i])
            return false;
    return true;
}

static void test_what_is_taken_is_aligned_zero_and_apart(void)
{
    struct arena arena;
    bool aligned = true, zero = true, apart = true;
    char *end = NULL;
    EQ_INT(arena_create_async(&arena, 1 << 16), 0, "64 KiB can be had");
    for (size_t bytes = 1; bytes < 300; bytes += 7) {
        char *memory = arena_take_async(&arena, bytes);
        aligned = aligned && (uintptr_t)memory % 64 == 0;
        zero = zero && all_zero(memory, bytes);
        apart = apart && memory >= end;
        memset(memory, 0xff, bytes);
        end = memory + bytes;
    }
    OK(aligned, "aligned to 64 bytes");
    OK(zero, "filled with zeros");
    OK(apart, "one after the other");
    arena_destroy_async(&arena);
    OK(arena.base == NULL, "destroyed");
    arena_destroy_async(&arena);
    OK(arena.base == NULL, "and once more");
}

static void test_an_arena_ends(void)
{
    struct arena arena;
    NEED(arena_create_async(&arena, 4096) == 0);
    OK(!arena_take_async(&arena, 4097), "no more than there is");
    OK(!arena_take_async(&arena, SIZE_MAX), "nor as much as can be said");
    OK(arena_take_async(&arena, 4096), "but all of it");
    OK(!arena_take_async(&arena, 1), "then nothing");
    arena_destroy_async(&arena);
    EQ_INT(arena_create_async(&arena, SIZE_MAX / 2), -1, "there is no such address space");
}

static void test_blocks_of_a_class_are_reused(void)
{
    struct heap heap = {0};
    bool reused = true, grown = false;
    NEED(arena_create_async(&heap.arena, 1 << 20) == 0);
    for (size_t bytes = 1; bytes < 5000; bytes += 13) {
        void *first = heap_allocate_async(&heap, bytes);
        memset(first, 0xff, bytes);
        heap_release_async(&heap, first, bytes);
        size_t used = heap.arena.used;
        void *second = heap_allocate_async(&heap, bytes);
        reused = reused && second == first;
        grown = grown || heap.arena.used != used;
        heap_release_async(&heap, second, bytes);
    }
    OK(reused, "what was released comes back first");
    OK(!grown, "and takes no new memory");
    heap_release_async(&heap, NULL, 100);
    OK(heap_allocate_async(&heap, 100), "releasing nothing is allowed");
    arena_destroy_async(&heap.arena);
}

static void test_blocks_do_not_overlap(void)
{
    enum { BLOCKS = 500 };
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    struct heap heap = {0};
    uint32_t random = 1;
    bool intact = true;
    NEED(arena_create_async(&heap.arena, 1 << 24) == 0);
    for (int round = 0; round < 20 * BLOCKS; round++) {
        random = random * 1664525 + 1013904223;
        unsigned at = (random >> 8) % BLOCKS;
        for (size_t i = 0; i < sizes[at]; i++)
            intact = intact && blocks[at][i] == at % 251;
        heap_release_async(&heap, blocks[at], sizes[at]);
        sizes[at] = 1 + (random >> 18) % 3000;
        blocks[at] = heap_allocate_async(&heap, sizes[at]);
        memset(blocks[at], (int)(at % 251), sizes[at]);
    }
    OK(intact, "10000 blocks of random sizes keep what was written");
    arena_destroy_async(&heap.arena);
}

static void test_a_heap_ends(void)
{
    struct heap heap = {0};
    unsigned blocks = 0;
    NEED(arena_create_async(&heap.arena, 1 << 16) == 0);
    void *block = heap_allocate_async(&heap, 1024);
    for (void *next = block; next; next = heap_allocate_async(&heap, 1024))
        blocks++;
    EQ_INT(blocks, 64, "64 KiB hold 64 blocks of 1 KiB");
    heap_release_async(&heap, block, 1024);
    OK(heap_allocate_async(&heap, 1000) == block, "after a release there is one again");
    OK(!heap_allocate_async(&heap, SIZE_MAX / 2), "there is no block of half of all memory");
    arena_destroy_async(&heap.arena);
}

static void test_a_budget_is_shared(void)
{
    struct arena first, second, unmetered;
    NEED(arena_create_async(&first, 1 << 24) == 0);
    NEED(arena_create_async(&second, 1 << 24) == 0);
    NEED(arena_create_async(&unmetered, 1 << 24) == 0);
    arena_meter(&first);
    arena_meter(&second);
    budget_set(1 << 20, 1 << 20);
    OK(arena_take_async(&first, 600000), "a metered arena takes from the budget");
    OK(!arena_take_async(&second, 600000), "and leaves no more than the rest to another");
    OK(arena_take_async(&second, 300000), "which may have that");
    OK(!budget_draw_async(200000) && budget_draw_async(1000), "as others may");
    budget_return_async(1000);
    OK(budget_draw_async(1000), "what is given back can be drawn again");
    OK(arena_take_async(&unmetered, 1 << 23), "an arena without a meter is not bound");
    size_t blocks = 0;
    while (arena_take_async(&first, 64))
        blocks++;
    while (arena_take_async(&second, 64))
        blocks++;
    OK(blocks > 0 && first.used + second.used <= 1 << 20, "together never more than allowed");
    budget_set(SIZE_MAX, SIZE_MAX);
    arena_destroy_async(&first);
    arena_destroy_async(&second);
    arena_destroy_async(&unmetered);
}

static void test_metered_arenas_leave_their_part_to_others(void)
{
    struct heap heap = {0};
    NEED(arena_create_async(&heap.arena, 1 << 24) == 0);
    arena_meter(&heap.arena);
    budget_set(1 << 20, 1 << 19);
    OK(!heap_allocate_async(&heap, 600000), "no more than their part can be had");
    size_t blocks = 0;
    while (heap_allocate_async(&heap, 64))
        blocks++;
    EQ_INT(blocks * 64, 1 << 19, "but all of it");
    OK(budget_draw_async(1 << 19), "others have the rest");
    OK(!budget_draw_async(1), "and no more");
    budget_return_async(1 << 19);
    OK(!heap_allocate_async(&heap, 64), "what they give back is not for metered arenas");
    budget_set(SIZE_MAX, SIZE_MAX);
    arena_destroy_async(&heap.arena);
}

static size_t used_bytes;
static int times_asked;

static size_t say_used_async(void)
{
    times_asked++;
    return used_bytes;
}

static void test_what_is_drawn_for_nothing_can_be_drawn_again(void)
{
    const size_t all = 1 << 20, step = 1 << 12;
    size_t drawn = 0;
    budget_set(all, 0);
    budget_settle_by(say_used_async);
    times_asked = 0;
    /* Half of what is drawn is used. */
    for (used_bytes = 0; budget_draw_async(step); used_bytes = drawn / 2)
        drawn += step;
    OK(used_bytes >= all / 10 * 9 && used_bytes <= all, "%zu of %zu are used", used_bytes, all);
    const int before = times_asked;
    OK(before < 10, "it is asked %d times for that", before);
    for (int i = 0; i < 1000; i++)
        drawn += budget_draw_async(step);
    EQ_INT(times_asked, before, "and no more when there is nothing to be found");
    budget_set(SIZE_MAX, SIZE_MAX);
}

static void test_some_is_kept_for_metered_arenas(void)
{
    struct heap heap = {0};
    NEED(arena_create_async(&heap.arena, 1 << 24) == 0);
    arena_meter(&heap.arena);
    budget_set(1 << 20, 1 << 19);
    size_t others = 0, blocks = 0;
    while (budget_draw_async(1 << 10))
        others += 1 << 10;
    while (heap_allocate_async(&heap, 1 << 10))
        blocks++;
    EQ_INT(blocks << 10, 1 << 16, "an eighth of their part is left to them");
    EQ_INT(others, (1 << 20) - (1 << 16), "and others may have all the rest");
    budget_set(SIZE_MAX, SIZE_MAX);
    arena_destroy_async(&heap.arena);
}

static void test_what_is_kept_comes_last(void)
{
    struct heap heap = {0};
    NEED(arena_create_async(&heap.arena, 1 << 24) == 0);
    arena_meter(&heap.arena);
    budget_set(1 << 20, 1 << 19);
    size_t blocks = 0, more = 0;
    while (blocks < 1 << 8 && heap_allocate_async(&heap, 1 << 10))
        blocks++;
    while (budget_draw_async(1 << 10))
        continue;
    while (heap_allocate_async(&heap, 1 << 10))
        more++;
    EQ_INT(blocks << 10, 1 << 18, "metered arenas have used half of their part");
    EQ_INT(more << 10, 1 << 16, "when others have used the rest an eighth is still left");
    budget_set(SIZE_MAX, SIZE_MAX);
    arena_destroy_async(&heap.arena);
}

static void test_promises_are_taken_back(void)
{
    budget_set(1 << 20, 1 << 19);
    const size_t first = budget_reserve_async(), second = budget_reserve_async();
    budget_unreserve_async(first);
    EQ_INT(budget_reserve_async(), ((1 << 19) - second) / 2, "the next has its half again");
    budget_set(SIZE_MAX, SIZE_MAX);
}

static void test_promises_leave_something(void)
{
    size_t sum = 0, last = 1 << 19;
    bool halves = true;
    budget_set(1 << 20, 1 << 19);
    for (int i = 0; i < 19; i++) {
        size_t promised = budget_reserve_async();
        halves = halves && promised == last / 2;
        last = promised;
        sum += promised;
    }
    OK(halves, "each is half of what the one before left");
    EQ_INT(sum, (1 << 19) - 1, "together they are never all there is");
    EQ_INT(budget_reserve_async(), 0, "in the end there is nothing to promise");
    OK(budget_draw_async((1 << 20) - (1 << 16)), "nothing has been drawn");
    budget_set(SIZE_MAX, SIZE_MAX);
}

int main(void)
{
    test_what_is_taken_is_aligned_zero_and_apart();
    test_an_arena_ends();
    test_blocks_of_a_class_are_reused();
    test_blocks_do_not_overlap();
    test_a_heap_ends();
    test_a_budget_is_shared();
    test_metered_arenas_leave_their_part_to_others();
    test_promises_leave_something();
    test_what_is_drawn_for_nothing_can_be_drawn_again();
    test_some_is_kept_for_metered_arenas();
    test_what_is_kept_comes_last();
    test_promises_are_taken_back();
    return tap_done();
}
