/*
 * Loops are found in machine code: functions are compiled into sections of their own, and call
 * from places that are known to be in loops or not.
 */
#include "detect/code.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 18 };

static uintptr_t places[PLACES];

/* Notes where it was called from. */
__attribute__((noipa)) static void come(int place)
{
    places[place] = (uintptr_t)__builtin_return_address(0) - 1;
    __asm__ volatile("" ::: "memory");
}

/* A function that is alone in a section, whose bounds the linker tells. */
#define FUNCTION(name)                                                                         \
    extern const unsigned char __start_code_##name[], __stop_code_##name[];                    \
    static void name(int n);                                                                   \
    __attribute__((noipa, section("code_" #name))) static void name(int n)

/* No call is the last thing that a function does: it would be a jump. */
#define COME(place)                                                                            \
    do {                                                                                       \
        come(place);                                                                           \
        __asm__ volatile("");                                                                  \
    } while (0)

FUNCTION(straight)
{
    COME(0);
    if (n)
        COME(1);
}

FUNCTION(nested)
{
    COME(0);
    for (int i = 0; i < n; i++) {
        COME(1);
        for (int j = 0; j < n; j++) {
            COME(2);
            if (j % 2)
                COME(3);
        }
        COME(4);
    }
    COME(5);
}

FUNCTION(rarely)
{
    for (int i = 0; i < n; i++) {
        if (__builtin_expect(i % 10 == 0, 0))
            COME(0);
        COME(1);
        if (__builtin_expect(i % 7 == 0, 0))
            continue;
        COME(2);
    }
    while (n-- > 0)
        COME(3);
}

FUNCTION(chosen)
{
    for (int i = 0; i < n; i++) {
        switch (i % 7) {
        case 0:
            COME(0);
            break;
        case 1:
            COME(1);
            continue;
        case 2:
            for (int j = 0; j < n; j++)
                COME(2);
            break;
        case 3:
            COME(3);
            break;
        case 4:
            COME(4);
            break;
        case 5:
            COME(5);
            break;
        default:
            break;
        }
        COME(6);
    }
    COME(7);
}

enum { BLOCKS_MOST = 4096 };

static struct code_block blocks[BLOCKS_MOST];

/* code_loops_around for the call at AT of a function that is read for that alone. */
static int around_of(const unsigned char *code, size_t bytes, size_t at, uint32_t *around,
                     unsigned most, struct code_memory *memory)
{
    const uint32_t count = code_read(code, bytes, blocks, BLOCKS_MOST, memory);
    return count == 0 || at >= bytes
               ? -1
               : code_loops_around(blocks, count, (uint32_t)at, around, most);
}

/* Whether FUNCTION is the same if it is read in pieces of so many STEPS. */
static bool is_same_in_pieces(const unsigned char *start, const unsigned char *stop,
                              uint64_t steps)
{
    static struct code_block pieces[BLOCKS_MOST];
    struct code_memory *memory = malloc(code_memory_bytes());
    NEED(memory);
    memset(blocks, 0, sizeof blocks);
    memset(pieces, 0, sizeof pieces);
    uint32_t all = 0;
    unsigned times = 1;
    const uint32_t count =
        code_read(start, (size_t)(stop - start), blocks, BLOCKS_MOST, memory);
    NEED(code_read_begin(start, (size_t)(stop - start), pieces, BLOCKS_MOST, memory));
    while (!code_read_go_on(memory, steps, &all))
        times++;
    free(memory);
    return times > 1 && all == count && memcmp(blocks, pieces, sizeof blocks) == 0;
}

struct around {
    uint32_t loops[4];
    int count;
};

static struct around look(const unsigned char *start, const unsigned char *stop, int place)
{
    struct around around;
    const size_t bytes = (size_t)(stop - start);
    struct code_memory *memory = malloc(code_memory_bytes());
    around.count =
        around_of(start, bytes, places[place] - (uintptr_t)start, around.loops, 4, memory);
    free(memory);
    return around;
}

#define LOOK(name, place) look(__start_code_##name, __stop_code_##name, place)

static void test_functions(void)
{
    straight(3);
    EQ_INT(LOOK(straight, 0).count, 0, "a function without loops has none");
    EQ_INT(LOOK(straight, 1).count, 0, "nor under a condition");
    nested(3);
    struct around outer = LOOK(nested, 1), inner = LOOK(nested, 2), odd = LOOK(nested, 3),
                  after = LOOK(nested, 4);
    EQ_INT(LOOK(nested, 0).count, 0, "before a loop there is none");
    EQ_INT(LOOK(nested, 5).count, 0, "nor after it");
    EQ_INT(outer.count, 1, "a loop is around its body");
    EQ_INT(inner.count, 2, "both are around the inner one's");
    EQ_INT(odd.count, 2, "also under a condition");
    OK(outer.loops[0] == after.loops[0], "one loop is one, whatever the place");
    OK(outer.loops[0] == inner.loops[1], "the outer one comes last");
    OK(inner.loops[0] == odd.loops[0] && inner.loops[0] != inner.loops[1],
       "the inner one is another");
}

static void test_conditions(void)
{
    rarely(30);
    struct around rare = LOOK(rarely, 0), always = LOOK(rarely, 1), mostly = LOOK(rarely, 2),
                  next = LOOK(rarely, 3);
    EQ_INT(rare.count, 1, "what happens rarely is in the loop");
    OK(rare.loops[0] == always.loops[0] && mostly.loops[0] == always.loops[0] &&
           always.count == 1,
       "in the same one as what always happens");
    OK(next.count == 1 && next.loops[0] != always.loops[0], "the next loop is another");
    chosen(30);
    struct around last = LOOK(chosen, 6);
    EQ_INT(last.count, 1, "a loop goes through a table of jumps");
    for (int i = 0; i < 6; i++)
        OK(LOOK(chosen, i).count == 1 + (i == 2) &&
               LOOK(chosen, i).loops[i == 2] == last.loops[0],
           "case %d is in it", i);
    EQ_INT(LOOK(chosen, 7).count, 0, "and what follows is not");
}

/* The way from the call at one place to that at another, with the loops around the latter. */
static struct code_way way(const unsigned char *start, const unsigned char *stop, int from,
                           int to)
{
    struct code_memory *memory = malloc(code_memory_bytes());
    const struct around around = look(start, stop, to);
    const uint32_t count =
        code_read(start, (size_t)(stop - start), blocks, BLOCKS_MOST, memory);
    const struct code_way found =
        code_way_between(blocks, count, (uint32_t)(places[from] - (uintptr_t)start),
                         (uint32_t)(places[to] - (uintptr_t)start), around.loops,
                         (unsigned)around.count, memory);
    free(memory);
    return found;
}

#define WAY(name, from, to) way(__start_code_##name, __stop_code_##name, from, to)

FUNCTION(by_turns)
{
    for (int i = 0; i < n; i++) {
        if (i % 2) {
            COME(0);
            COME(1);
        } else {
            COME(2);
        }
        if (i % 3)
            COME(3);
    }
}

static void test_ways(void)
{
    struct code_way found;
    straight(3);
    found = WAY(straight, 0, 1);
    OK(found.known && found.possible, "a call may come after another");
    found = WAY(straight, 1, 0);
    OK(found.known && !found.possible, "and not before it, without a loop");
    nested(3);
    found = WAY(nested, 1, 2);
    EQ_INT(found.crossed & 2, 0, "a call further on is in the same pass");
    OK(found.crossed & 1, "of the outer loop; the inner one is entered");
    found = WAY(nested, 4, 1);
    EQ_INT(found.crossed, 1, "one further back is in another pass");
    found = WAY(nested, 3, 2);
    EQ_INT(found.crossed, 1, "of the inner loop, if both are in that");
    found = WAY(nested, 2, 4);
    EQ_INT(found.crossed, 0, "after the inner loop the pass of the outer one goes on");
    found = WAY(nested, 5, 1);
    OK(found.known && !found.possible, "a loop that was left is not entered again");
    by_turns(12);
    found = WAY(by_turns, 0, 2);
    EQ_INT(found.crossed, 1, "two sides of a condition are not in one pass");
    found = WAY(by_turns, 2, 0);
    EQ_INT(found.crossed, 1, "either way");
    found = WAY(by_turns, 0, 1);
    EQ_INT(found.crossed, 0, "two calls of one side are");
    found = WAY(by_turns, 3, 2);
    EQ_INT(found.crossed, 1, "what follows the condition is not before it");
    found = WAY(by_turns, 2, 3);
    EQ_INT(found.crossed, 0, "but behind");
}

/* Nothing but the inner loop makes calls; the outer one may, at the end. */
FUNCTION(inside)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            COME(0);
            COME(1);
        }
        if (i % 3 == 2)
            COME(2);
    }
}

/*
 * Whether a pass of the loop that is OUTER around place TO may begin unseen on the way there
 * from place FROM, for who sees so many of the first places.
 */
static bool unseen(const unsigned char *start, const unsigned char *stop, int from, int to,
                   int outer, int seen)
{
    struct code_memory *memory = malloc(code_memory_bytes());
    const struct around around = look(start, stop, to);
    const uint32_t count =
        code_read(start, (size_t)(stop - start), blocks, BLOCKS_MOST, memory);
    uint32_t sites[PLACES];
    for (int i = 0; i < seen; i++)
        sites[i] = (uint32_t)(places[i] - (uintptr_t)start);
    const uint32_t set = code_unseen(blocks, count, sites[from], sites[to], around.loops,
                                     (unsigned)around.count, sites, (unsigned)seen, memory);
    OK((set >> outer & 1) == code_unseen(blocks, count, sites[from], sites[to],
                                         &around.loops[outer], 1, sites, (unsigned)seen,
                                         memory),
       "the same is found of a loop by itself");
    free(memory);
    return set >> outer & 1;
}

#define UNSEEN(name, from, to, outer, seen)                                                    \
    unseen(__start_code_##name, __stop_code_##name, from, to, outer, seen)

static void test_passes_unseen(void)
{
    inside(9);
    OK(UNSEEN(inside, 1, 0, 1, 2),
       "the inner loop's calls may be in another pass of the outer");
    OK(UNSEEN(inside, 1, 0, 1, 3), "also if that makes a call in some of its passes");
    OK(!UNSEEN(inside, 0, 1, 1, 3), "not those that follow each other in one pass");
    OK(!UNSEEN(inside, 2, 0, 1, 3), "nor behind that call, which is in the outer one itself");
    nested(3);
    OK(!UNSEEN(nested, 2, 2, 1, 6),
       "where each pass of the outer loop makes a call it is seen");
    OK(!UNSEEN(nested, 2, 2, 1, 3), "be it only one");
}

/*
 * Does one of many things in each pass, as an interpreter does: so many that compilers for all
 * processors make a table of them.
 */
#define CASE(number)                                                                           \
    case number:                                                                               \
        COME(number);                                                                          \
        break;
FUNCTION(dispatching)
{
    for (int i = 0; i < n; i++) {
        switch (i % 19) {
            CASE(0)
            CASE(1)
            CASE(2)
            CASE(3)
            CASE(4)
            CASE(5)
            CASE(6)
            CASE(7)
            CASE(8)
            CASE(9)
            CASE(10)
            CASE(11)
            CASE(12)
            CASE(13)
            CASE(14)
            CASE(15)
            CASE(16)
            CASE(17)
        default:
            break;
        }
    }
}

static bool dispatches(const unsigned char *start, const unsigned char *stop, int seen)
{
    struct code_memory *memory = malloc(code_memory_bytes());
    const struct around around = look(start, stop, 0);
    const uint32_t count =
        code_read(start, (size_t)(stop - start), blocks, BLOCKS_MOST, memory);
    uint32_t sites[PLACES];
    for (int i = 0; i < seen; i++)
        sites[i] = (uint32_t)(places[i] - (uintptr_t)start);
    const bool does = code_is_dispatcher(blocks, count, around.loops[around.count - 1], sites,
                                         (unsigned)seen, memory);
    free(memory);
    return does;
}

#define DISPATCHES(name, seen) dispatches(__start_code_##name, __stop_code_##name, seen)

static void test_dispatchers(void)
{
    dispatching(38);
    OK(DISPATCHES(dispatching, PLACES), "a loop does one thing or another in each pass");
    OK(!DISPATCHES(dispatching, 1), "not if only one of them is known");
    chosen(30);
    OK(!DISPATCHES(chosen, 7), "nor where all passes end with the same");
    by_turns(12);
    OK(!DISPATCHES(by_turns, 4), "nor where conditions choose");
}

static void test_damage(void)
{
    const size_t bytes = (size_t)(__stop_code_chosen - __start_code_chosen);
    unsigned char *copy = malloc(bytes);
    struct code_memory *memory = malloc(code_memory_bytes());
    uint32_t around[4];
    unsigned answers = 0;
    /* Every length and every damaged byte: no answer matters, but there is one. */
    for (size_t length = 1; length <= bytes; length++)
        answers += around_of(__start_code_chosen, length, length / 2, around, 4, memory) >= -1;
    for (size_t i = 0; i < bytes; i++) {
        memcpy(copy, __start_code_chosen, bytes);
        copy[i] = (unsigned char)(copy[i] * 7 + 13);
        answers += around_of(copy, bytes, bytes - 1, around, 4, memory) >= -1;
        const uint32_t count = code_read(copy, bytes, blocks, BLOCKS_MOST, memory);
        if (count > 0)
            code_way_between(blocks, count, (uint32_t)i, (uint32_t)(bytes / 2), &(uint32_t){0},
                             1, memory);
    }
    EQ_INT(answers, 2 * bytes, "code that is cut off or damaged does no harm");
    EQ_INT(around_of(copy, 0, 0, around, 4, memory), -1, "nothing has no loops");
    free(copy);
    free(memory);
}

static void test_pieces(void)
{
    OK(is_same_in_pieces(__start_code_nested, __stop_code_nested, 1), "in smallest pieces");
    OK(is_same_in_pieces(__start_code_chosen, __stop_code_chosen, 1), "with a table of jumps");
    OK(is_same_in_pieces(__start_code_chosen, __stop_code_chosen, 50), "in larger ones");
}

int main(void)
{
    test_functions();
    test_conditions();
    test_ways();
    test_passes_unseen();
    test_dispatchers();
    test_damage();
    test_pieces();
    return tap_done();
}
