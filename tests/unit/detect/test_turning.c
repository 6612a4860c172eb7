/*
 * A loop that is entered in the middle of its body, since the beginning of its first pass lies
 * in front of it, begins where that lies in the loop; if that is so.
 */
#include "detect/code.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/*
 * Places of the code of x86-64 below: of the calls in front of the loop; at the beginning of
 * the loop's body; in the rest of it; behind it.
 */
enum { FIRST = 4, AGAIN = 16, REST = 26, BEHIND = 36, BYTES = 41 };
enum { MULTIPLY = 1000, PRODUCT = 2000, SUM = 3000, NO_CALL = 0, OUTER = 0 };

static unsigned char code[BYTES];

/* A call of CALLEE at byte AT, which is as many bytes from the start of the code. */
static void call(uint32_t at, uint32_t callee)
{
    static const unsigned char nothing[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    const uint32_t distance = callee - (at + 5);
    if (callee == NO_CALL) {
        memcpy(code + at, nothing, sizeof nothing);
        return;
    }
    code[at] = 0xe8;
    memcpy(code + at + 1, &distance, 4);
}

static void jump(uint32_t at, unsigned char opcode, uint32_t to)
{
    code[at] = opcode;
    code[at + 1] = (unsigned char)(to - (at + 2));
}

/* The code, with these callees in front of the loop. */
static void write_code(uint32_t callee, uint32_t other)
{
    memset(code, 0x90, sizeof code);
    jump(2, 0x7e, BEHIND);
    call(FIRST, callee);
    call(FIRST + 5, other);
    jump(FIRST + 10, 0xeb, REST);
    call(AGAIN, MULTIPLY);
    call(AGAIN + 5, PRODUCT);
    call(REST, SUM);
    jump(REST + 8, 0x75, AGAIN);
    jump(BEHIND, 0x75, OUTER);
    code[BYTES - 1] = 0xc3;
}

static struct code_block blocks[BYTES];

/* The entries of the loops around byte AT, innermost first; returns how many there are. */
static int around(uint32_t at, uint32_t *entries)
{
    struct code_memory *memory = malloc(code_memory_bytes());
    NEED(memory);
    const uint32_t count = code_read(code, sizeof code, blocks, BYTES, memory);
    const int found = count > 0 ? code_loops_around(blocks, count, at, entries, 4) : -1;
    free(memory);
    return found;
}

static uint32_t inner_entry(void)
{
    uint32_t entries[4];
    return around(REST, entries) == 2 ? entries[0] : UINT32_MAX;
}

static void test_entry(void)
{
    uint32_t entries[4];
    write_code(MULTIPLY, PRODUCT);
    EQ_INT(around(REST, entries), 2, "both loops are around the rest of the body,");
    EQ_INT(entries[0], AGAIN, "the inner one begins where its body does,");
    EQ_INT(entries[1], OUTER, "the outer one where it did");
    EQ_INT(around(AGAIN + 5, entries), 2, "both are around the beginning, too,");
    EQ_INT(entries[0], AGAIN, "the same");
    EQ_INT(around(FIRST, entries), 1, "in front of it is the outer one alone");
    EQ_INT(entries[0], OUTER, "which is the same as well");
    EQ_INT(around(BEHIND, entries), 1, "and so it is behind");
}

/* The call at byte TO comes after the one at byte FROM: whether another pass has begun. */
static bool crosses(uint32_t from, uint32_t to)
{
    struct code_memory *memory = malloc(code_memory_bytes());
    NEED(memory);
    uint32_t entries[4];
    const int loops = around(to, entries);
    const uint32_t count = code_read(code, sizeof code, blocks, BYTES, memory);
    const struct code_way way =
        code_way_between(blocks, count, from, to, entries, (unsigned)loops, memory);
    free(memory);
    return way.known && way.crossed & 1;
}

static void test_passes(void)
{
    write_code(MULTIPLY, PRODUCT);
    OK(crosses(REST, AGAIN), "a pass begins with the beginning of the body");
    OK(!crosses(AGAIN + 5, REST), "and goes on with its rest,");
    OK(!crosses(FIRST + 5, REST), "as the first does");
}

static void test_others(void)
{
    write_code(MULTIPLY, SUM);
    EQ_INT(inner_entry(), REST, "other calls in front of a loop are no beginning of its pass");
    write_code(PRODUCT, MULTIPLY);
    EQ_INT(inner_entry(), REST, "nor the same in another order");
    write_code(NO_CALL, PRODUCT);
    EQ_INT(inner_entry(), REST, "nor some of them");
    write_code(MULTIPLY, PRODUCT);
    call(AGAIN, NO_CALL);
    EQ_INT(inner_entry(), AGAIN, "more may come in front of them");
    call(AGAIN + 5, NO_CALL);
    EQ_INT(inner_entry(), REST, "a beginning without any call is none");
    write_code(MULTIPLY, PRODUCT);
    jump(REST + 8, 0xeb, AGAIN);
    uint32_t entries[4];
    EQ_INT(around(REST, entries), 1, "without a way out");
    EQ_INT(entries[0], REST, "nobody knows where passes end");
}

int main(void)
{
    test_entry();
    test_passes();
    test_others();
    return tap_done();
}
