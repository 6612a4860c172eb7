/*
 * Branches that are kept of walks: which are looked at, and that none of an earlier phase is
 * found again.  That they repeat walks rightly is test_unwind's matter.
 */
#include "unwind/branch.h"

#include "tap.h"

#include <stdlib.h>

enum { TRIES = 20000, TAGS = 128, STARTS = 4000, WALKS = 3, WORDS = 4 };

static struct walker walker;

/* What walks read: a stack of a few words. */
static uintptr_t stack[WORDS];

static uint8_t byte_at(uint64_t word, unsigned way)
{
    return (uint8_t)(word >> 8 * way);
}

/* What is flagged of TAGS is right: every byte that is TAG, and none that is empty. */
static bool flags_well(uint64_t tags, uint8_t tag)
{
    const uint64_t flagged = tags_equal(tags, tag);
    for (unsigned way = 0; way < BRANCH_WAYS; way++) {
        const uint8_t other = byte_at(tags, way);
        const bool found = byte_at(flagged, way) == 0x80;
        if ((other == tag && !found) || (other == 0 && found) ||
            (found && other != tag && other != (tag ^ 1)))
            return false;
    }
    return (flagged & ~(EVERY_BYTE << 7)) == 0;
}

static void test_tags(void)
{
    int wrong = 0;
    srand(1);
    for (int tries = 0; tries < TRIES; tries++) {
        const uint8_t tag = 0x80 | (uint8_t)rand();
        uint64_t tags = 0;
        for (unsigned way = 0; way < BRANCH_WAYS; way++) {
            const uint8_t others[] = {tag, tag ^ 1, 0, 0x80 | (uint8_t)rand()};
            tags = tags << 8 | others[rand() % 4];
        }
        wrong += !flags_well(tags, tag);
    }
    EQ_INT(wrong, 0, "of %d words of tags", TRIES);
}

/* Makes the walk from START below ROOT the latest: one that ends where a phase was marked, in
 * which word NUMBER of the stack holds NUMBER + 1 and the others zero. */
static void walk(const struct registers *start, uint32_t root, unsigned number)
{
    struct walk_memory *memory = &walker.memories[0];
    for (unsigned i = 0; i < WORDS; i++) {
        stack[i] = i == number ? number + 1 : 0;
        memory->words[i] = (struct remembered_word){&stack[i], stack[i]};
    }
    memory->epoch = recipe_epoch_async();
    memory->end = no_word();
    memory->count = 2;
    memory->frames[0] = (struct walked_frame){.node = root, .words = WORDS};
    memory->frames[1] =
        (struct walked_frame){.at = *start, .node = root + number, .words = WORDS};
}

/*
 * Whole walks from one place, under one root and then, forgotten, in part under another one.
 * None of the first root is found any more.
 */
static bool stays_forgotten(const struct registers *start)
{
    for (unsigned i = 0; i < WALKS; i++) {
        walk(start, 100, i);
        branch_keep(&walker, &walker.memories[0], 0);
    }
    walker_reset_async(&walker, 200, &(struct anchor){.cfa = 1});
    for (unsigned i = 0; i + 1 < WALKS; i++) {
        walk(start, 200, i);
        branch_keep(&walker, &walker.memories[0], 0);
    }
    walk(start, 200, 0);
    const struct branch *again = find_branch(&walker, start);
    walk(start, 200, WALKS - 1);
    const struct branch *stale = find_branch(&walker, start);
    walker_reset_async(&walker, 0, &(struct anchor){.cfa = 1});
    return again && again->frames[1].node == 200 && !stale;
}

static void test_another_root(void)
{
    bool seen[TAGS] = {false};
    int tags = 0, wrong = 0;
    for (uintptr_t i = 0; i < STARTS; i++) {
        const struct registers start = {.pc = 0x400000 + 16 * i, .sp = 0x7ffff0001000};
        bool *tag = &seen[branch_key(&start).tag % TAGS];
        tags += !*tag;
        *tag = true;
        wrong += !stays_forgotten(&start);
    }
    EQ_INT(tags, TAGS, "every tag comes");
    EQ_INT(wrong, 0, "of %d starts find a walk of another root", STARTS);
}

int main(void)
{
    test_tags();
    test_another_root();
    return tap_done();
}
