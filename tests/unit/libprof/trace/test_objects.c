/* Which handles of communicators, windows and files are known. */
#include "trace/objects.h"

#include "trace/chunks.h"

#include "tests/unit/libprof/alone.h"

enum { MEMORY = 1 << 24, OPEN_MOST = 4096, HANDLES = 5000, STEPS = 100000 };

static const int ranks[] = {0, 1};
static const struct object_group group = {ranks, 2};

static void start(void)
{
    NEED(chunks_start(MEMORY) && objects_start(MEMORY));
}

/* As addresses are that malloc gives: all differ. */
static uint64_t handle_of(uint64_t number)
{
    return UINT64_C(0x7f0000001000) + number * 48;
}

static void test_freed_ones_leave_room(void)
{
    unsigned known = 0, same = 0, left = 0;
    start();
    for (uint64_t i = 0; i < 20000; i++) {
        const uint32_t number = objects_add_file(handle_of(i), &group, NULL);
        known += number != OBJECT_UNKNOWN;
        same += objects_find_async(OBJECT_KIND_FILE, handle_of(i)) == number &&
                objects_forget(OBJECT_KIND_FILE, handle_of(i)) == number;
        left += objects_find_async(OBJECT_KIND_FILE, handle_of(i)) != OBJECT_UNKNOWN;
    }
    EQ_INT(known, 20000, "files that are opened and closed one after the other are known");
    EQ_INT(same, 20000, "by one number each");
    EQ_INT(left, 0, "until they are closed");
}

static void test_full_table(void)
{
    unsigned known = 0, after = 0;
    start();
    for (uint64_t i = 0; i < OPEN_MOST; i++)
        known += objects_add_file(handle_of(i), &group, NULL) != OBJECT_UNKNOWN;
    EQ_INT(known, OPEN_MOST, "so many are known at the same time");
    EQ_INT(objects_add_file(handle_of(OPEN_MOST), &group, NULL), OBJECT_UNKNOWN,
           "one more is not");
    objects_forget(OBJECT_KIND_FILE, handle_of(7));
    OK(objects_add_file(handle_of(OPEN_MOST), &group, NULL) != OBJECT_UNKNOWN,
       "but is when another one was closed");
    for (uint64_t i = 0; i <= OPEN_MOST; i++)
        after += objects_find_async(OBJECT_KIND_FILE, handle_of(i)) != OBJECT_UNKNOWN;
    EQ_INT(after, OPEN_MOST, "and all others are still known");
}

/* Any order of adding and forgetting, against a plain list. */
static void test_any_order(void)
{
    static uint32_t model[HANDLES];
    unsigned open = 0, wrong = 0;
    uint64_t state = 1;
    start();
    for (unsigned step = 0; step < STEPS; step++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned i = (unsigned)(state >> 33) % HANDLES;
        if (model[i] != OBJECT_UNKNOWN) {
            wrong += objects_forget(OBJECT_KIND_FILE, handle_of(i)) != model[i];
            model[i] = OBJECT_UNKNOWN;
            open--;
        } else if (open < OPEN_MOST) {
            model[i] = objects_add_file(handle_of(i), &group, NULL);
            wrong += model[i] == OBJECT_UNKNOWN;
            open++;
        }
        if (step % 1000 == 0)
            for (unsigned j = 0; j < HANDLES; j++)
                wrong += objects_find_async(OBJECT_KIND_FILE, handle_of(j)) != model[j];
    }
    EQ_INT(wrong, 0, "each is known by its number while it is open: %u are", open);
}

int main(void)
{
    alone(test_freed_ones_leave_room);
    alone(test_full_table);
    alone(test_any_order);
    return tap_done();
}
