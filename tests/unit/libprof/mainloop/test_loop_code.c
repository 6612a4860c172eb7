/*
 * What reading machine code may take: where there is much of it, answers are late, and come
 * when there is time.  How long a piece is, is counted in instructions, but for those that
 * sanitizers add.  Functions are made by the assembler, and never run.
 */
#include "mainloop/loop_code.h"

#include "host/host.h"

#include "tap.h"
#include "tests/unit/trap.h"

#include <signal.h>
#include <stdlib.h>

enum {
    FUNCTIONS = 1500,
    ANSWER_MOST_NS = 12 * 1000 * 1000, /* that one may take: several ways, each of some 1 ms */
    LONG_AGO_S = 1000000,
    PIECE = 500,              /* steps of a piece whose instructions are counted: */
    COUNTED_PIECES = 12,      /* of a counter: to count all of them takes long */
    STEP_INSTRUCTIONS = 16,   /* so many of each step, at most; LOOP_CODE_PIECE_STEPS: 15 us */
    MORE_INSTRUCTIONS = 1000, /* and what comes to that at the end of a piece */
    BLOCK_INSTRUCTIONS = 80   /* and of each block on a way */
};

/* Functions of a loop in a loop with two calls each, and one of very many branches. */
__asm__(".text\n"
        "many:\n"
        ".rept 1500\n"
        ".cfi_startproc\n"
        "push %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset rbx, -16\n"
        "xorl %ebx, %ebx\n"
        "1: movl $3, %ebp\n"
        "2: call tap_done_not\n"
        ".rept 40\n"
        "jne 3f\n"
        "nop\n"
        "3:\n"
        ".endr\n"
        "call tap_done_not\n"
        "decl %ebp\n"
        "jnz 2b\n"
        "addl $1, %ebx\n"
        "cmpl $9, %ebx\n"
        "jl 1b\n"
        "pop %rbx\n"
        "ret\n"
        ".cfi_endproc\n"
        ".endr\n"
        "many_end:\n"
        "tap_done_not: ret\n");

/* A large function of many loops with a call each. */
__asm__(".text\n"
        "large:\n"
        ".cfi_startproc\n"
        ".rept 2000\n"
        "1: call tap_done_not\n"
        "jne 2f\n"
        "nop\n"
        "2: loop 1b\n"
        ".endr\n"
        "ret\n"
        ".cfi_endproc\n"
        "large_end: nop\n");

/* A long loop in which much grows, but nothing for long that is counted. */
__asm__(".text\n"
        "counted:\n"
        ".cfi_startproc\n"
        "push %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset rbx, -16\n"
        "xorl %ebx, %ebx\n"
        "counted_loop: call tap_done_not\n"
        ".rept 150\n"
        "addl $1, %eax\n"
        "addl $1, %ecx\n"
        "addl $1, %edx\n"
        "addl $1, %esi\n"
        ".endr\n"
        "addl $1, %ebx\n"
        "cmpl $9, %ebx\n"
        "jl counted_loop\n"
        "pop %rbx\n"
        "ret\n"
        ".cfi_endproc\n"
        "nop\n");

extern const unsigned char many[], many_end[], large[], large_end[], counted_loop[];

enum { FIRST_CALL = 1 + 2 + 5, SECOND_CALL = FIRST_CALL + 5 + 40 * 3 };

static struct loop_code *make(int64_t since_ns)
{
    struct loop_code *code = calloc(1, sizeof *code);
    NEED(code);
    code->memory = calloc(1, code_memory_bytes());
    code->piece_memory = calloc(1, code_memory_bytes());
    code->counter_memory = calloc(1, counter_memory_bytes());
    NEED(code->memory && code->piece_memory && code->counter_memory);
    code->begin_ns = clock_now_async() - since_ns;
    code->free_ns = LOOP_CODE_FREE_NS;
    return code;
}

static void drop(struct loop_code *code)
{
    free(code->memory);
    free(code->piece_memory);
    free(code->counter_memory);
    free(code);
}

static uintptr_t function(unsigned number)
{
    return (uintptr_t)many + number * ((size_t)(many_end - many) / FUNCTIONS);
}

static volatile long instructions;

static void on_trap(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    instructions++;
}

/* Whether instructions can be counted.  GCC tells of sanitizers, and Clang by another name. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
enum { CAN_COUNT = 0 };
#else
enum { CAN_COUNT = CAN_STEP };
#endif

/* Asks all there is to ask of a function; returns how many answers are late. */
static unsigned ask(struct loop_code *code, unsigned number)
{
    loop_code_go_on(code);
    const uintptr_t first = function(number) + FIRST_CALL,
                    second = function(number) + SECOND_CALL;
    uint64_t around[LOOPS_AROUND_MOST];
    const int count = loop_code_around(code, first, around);
    const struct code_way way = loop_code_way(code, first, second),
                          back = loop_code_way(code, second, first);
    if (count == 2)
        loop_code_counter(code, first, (uintptr_t)around[1]);
    return (unsigned)(count == LOOPS_LATER) + way.late + back.late;
}

static void test_much_code(void)
{
    struct loop_code *code = make(0);
    unsigned late = 0, over = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const int64_t before_ns = clock_now_async();
        late += ask(code, i);
        const int64_t allowed_ns = loop_code_allowed_ns(code, before_ns - code->begin_ns);
        over += loop_code_spent_ns(code) > allowed_ns + ANSWER_MOST_NS;
    }
    OK(late > 0, "%u answers about %u functions are late", late, (unsigned)FUNCTIONS);
    EQ_INT(over, 0, "no more was read than there was time for");
    code->begin_ns -= (int64_t)LONG_AGO_S * 1000000000;
    late = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        late += ask(code, i);
    EQ_INT(late, 0, "they come when there is time");
    drop(code);
}

static void test_time(void)
{
    const struct loop_code *code = make(0);
    const int64_t second_ns = 1000000000;
    EQ_INT(loop_code_allowed_ns(code, 0), LOOP_CODE_FREE_NS, "a little time in any case");
    EQ_INT(loop_code_allowed_ns(code, 5 * second_ns) - loop_code_allowed_ns(code, second_ns),
           4 * second_ns / 2048, "and half a 1024th of what passes");
    drop((struct loop_code *)code);
}

/* loop_code_counter, when the answer is there. */
static const struct code_counter *counter_of(struct loop_code *code, uintptr_t address,
                                             uintptr_t entry)
{
    const struct code_counter *found;
    while (!(found = loop_code_counter(code, address, entry)))
        loop_code_go_on(code);
    return found;
}

/* A counter that the code has tells passes only if it can be read. */
static void test_read(void)
{
    struct loop_code *code = make((int64_t)LONG_AGO_S * 1000000000);
    uint64_t around[LOOPS_AROUND_MOST];
    const uintptr_t first = function(7) + FIRST_CALL, second = function(7) + SECOND_CALL;
    NEED(loop_code_around(code, first, around) == 2);
    const uintptr_t entry = (uintptr_t)around[1];
    OK(counter_of(code, first, entry)->place.kind == PLACE_REGISTER, "a counter");
    OK(!loop_code_is_counted(code, first, entry), "which nobody has read");
    counter_of(code, second, entry);
    loop_code_note_read(code, second, entry, false);
    OK(!loop_code_is_counted(code, second, entry), "or not been able to read");
    loop_code_note_read(code, first, entry, true);
    OK(loop_code_is_counted(code, first, entry), "which was read");
    OK(!loop_code_is_counted(code, second, entry), "but not at the other call");
    drop(code);
}

/* A large function is read in pieces; small ones, and what was read before, are there
 * meanwhile. */
static void test_pieces(void)
{
    struct loop_code *code = make(0), *other = make(0);
    const uintptr_t call = (uintptr_t)large, last = (uintptr_t)large_end - 11;
    uint64_t around[LOOPS_AROUND_MOST], expected[LOOPS_AROUND_MOST];
    int pieces = 1;
    NEED(loop_code_around(code, function(3) + FIRST_CALL, around) == 2);
    uint64_t steps = code_steps(code->piece_memory), most = 0;
    EQ_INT(loop_code_around(code, call, around), LOOPS_SOON, "a large function is there soon");
    EQ_INT(loop_code_around(code, last, around), LOOPS_SOON, "for none of its calls");
    loop_code_go_on(code);
    EQ_INT(loop_code_around(code, function(4) + FIRST_CALL, around), 2, "small ones are there");
    EQ_INT(loop_code_around(code, function(3) + SECOND_CALL, around), 2,
           "as are those that were read before");
    for (bool was_read = false; !was_read; pieces++) {
        was_read = loop_code_go_on(code);
        const uint64_t now = code_steps(code->piece_memory);
        most = now - steps > most ? now - steps : most;
        steps = now;
        NEED(pieces < 1000);
    }
    OK(pieces > 5, "in %d pieces", pieces);
    OK(most < 3 * LOOP_CODE_PIECE_STEPS, "the longest of %llu steps", (unsigned long long)most);
    OK(!loop_code_go_on(code), "and then no more");
    loop_code_read_at_once(other, true);
    EQ_INT(loop_code_around(other, last, expected), 1, "at once it is there at once");
    EQ_INT(loop_code_around(code, last, around), 1, "it is there now");
    EQ_INT(around[0], expected[0], "as if it had been read at once");
    EQ_INT(loop_code_around(code, function(4) + SECOND_CALL, around), 2,
           "what was read meanwhile is there");
    EQ_INT(around[1], function(4) + 3, "and right");
    drop(code);
    drop(other);
}

/* loop_code_around, when the answer is there. */
static int around_of(struct loop_code *code, uintptr_t address, uint64_t *around)
{
    int count;
    while ((count = loop_code_around(code, address, around)) == LOOPS_SOON)
        loop_code_go_on(code);
    return count;
}

/* A counter is looked for in pieces. */
static void test_counter_pieces(void)
{
    struct loop_code *code = make(0), *other = make(0);
    const uintptr_t entry = (uintptr_t)counted_loop;
    uint64_t around[LOOPS_AROUND_MOST];
    int pieces = 1;
    NEED(around_of(code, entry, around) == 1 && around[0] == entry);
    OK(!loop_code_counter(code, entry, entry), "a counter is there soon");
    OK(loop_code_is_busy(code), "and is looked for");
    OK(!loop_code_is_counted(code, entry, entry), "until then the loop is not counted");
    for (; loop_code_is_busy(code) && pieces < 1000; pieces++)
        OK(!loop_code_go_on(code), "no function is read meanwhile");
    OK(pieces > 2, "it was in %d pieces", pieces);
    const struct code_counter *found = loop_code_counter(code, entry, entry);
    OK(found && found->place.kind == PLACE_REGISTER && found->step == 1, "and then is there");
    loop_code_read_at_once(other, true);
    NEED(loop_code_around(other, entry, around) == 1);
    const struct code_counter *expected = loop_code_counter(other, entry, entry);
    OK(expected && found && expected->place.number == found->place.number &&
           expected->starts == found->starts && expected->first == found->first,
       "as if it had been looked for at once");
    drop(code);
    drop(other);
}

/* What is not there yet when the search ends is looked for then. */
static void test_counter_at_end(void)
{
    struct loop_code *code = make(0);
    const uintptr_t entry = (uintptr_t)counted_loop;
    uint64_t around[LOOPS_AROUND_MOST];
    NEED(around_of(code, entry, around) == 1);
    OK(!loop_code_counter(code, entry, entry), "a counter that is not there yet");
    loop_code_read_at_once(code, true);
    const struct code_counter *found = loop_code_counter(code, entry, entry);
    OK(found && found->place.kind == PLACE_REGISTER, "is there when nothing is in pieces");
    drop(code);
}

/* Instructions of what is done in between. */
static void start_counting(void)
{
    instructions = 0;
    if (CAN_COUNT)
        trap_every_instruction();
}

static long stop_counting(long longest)
{
    if (CAN_COUNT)
        trap_no_instruction();
    return instructions > longest ? instructions : longest;
}

/* The number of blocks of a function with loops, branches and calls, which is read into BLOCKS.
 */
static uint32_t count_reading(struct loop_code *code, struct code_block *blocks, uint32_t most)
{
    const size_t bytes = function(1) - function(0);
    uint32_t count = 0;
    long longest = 0;
    bool was_read = false;
    NEED(
        code_read_begin((const unsigned char *)function(0), bytes, blocks, most, code->memory));
    while (!was_read) {
        start_counting();
        was_read = code_read_go_on(code->memory, PIECE, &count);
        longest = stop_counting(longest);
    }
    OK(longest < PIECE * STEP_INSTRUCTIONS + MORE_INSTRUCTIONS,
       "reading: %ld instructions in a piece", longest);
    return count;
}

static void count_counter(struct loop_code *code, const struct code_block *blocks,
                          uint32_t count)
{
    const struct code_function read = {.code = (const unsigned char *)function(0),
                                       .bytes = function(1) - function(0),
                                       .blocks = blocks,
                                       .count = count};
    struct code_counter found;
    uint32_t around[LOOPS_AROUND_MOST];
    long longest = 0;
    int pieces = 0;
    NEED(code_loops_around(blocks, count, FIRST_CALL, around, LOOPS_AROUND_MOST) == 2);
    counter_begin(&read, around[1], FIRST_CALL, NULL, code->counter_memory);
    for (; pieces < COUNTED_PIECES; pieces++) {
        start_counting();
        counter_go_on(code->counter_memory, PIECE, &found);
        longest = stop_counting(longest);
    }
    while (!counter_go_on(code->counter_memory, PIECE, &found))
        pieces++;
    OK(longest < PIECE * STEP_INSTRUCTIONS + MORE_INSTRUCTIONS,
       "looking for a counter: %ld instructions in a piece", longest);
    OK(pieces > COUNTED_PIECES && found.place.kind == PLACE_REGISTER, "it is found in %d",
       pieces);
}

static void count_ways(struct loop_code *code, const struct code_block *blocks, uint32_t count)
{
    uint32_t around[LOOPS_AROUND_MOST];
    const uint32_t sites[] = {FIRST_CALL, SECOND_CALL};
    NEED(code_loops_around(blocks, count, FIRST_CALL, around, LOOPS_AROUND_MOST) == 2);
    start_counting();
    const struct code_way way =
        code_way_between(blocks, count, SECOND_CALL, FIRST_CALL, around, 2, code->memory);
    const long between = stop_counting(0);
    OK(way.known && way.crossed == 1 && between < count * BLOCK_INSTRUCTIONS,
       "a way: %ld instructions, %u blocks", between, count);
    start_counting();
    const uint32_t unseen = code_unseen(blocks, count, SECOND_CALL, FIRST_CALL, &around[1], 1,
                                        sites, 2, code->memory);
    const long instead = stop_counting(0);
    OK(unseen == 1 && instead < 2 * count * BLOCK_INSTRUCTIONS,
       "what is passed unseen: %ld instructions", instead);
}

/* How long pieces are, and what is found at once. */
static void test_instructions(void)
{
    static struct code_block blocks[1000];
    struct loop_code *code = make(0);
    const uint32_t count = count_reading(code, blocks, 1000);
    NEED(count > 80);
    count_counter(code, blocks, count);
    count_ways(code, blocks, count);
    drop(code);
}

/* Of many small functions not all are read for one call. */
static void test_many_small(void)
{
    struct loop_code *code = make(0);
    uint64_t around[LOOPS_AROUND_MOST];
    unsigned read = 0;
    int count = 2;
    while (count == 2) {
        count = loop_code_around(code, function(read + 10) + FIRST_CALL, around);
        read += count == 2;
    }
    EQ_INT(count, LOOPS_SOON, "the others are there soon");
    OK(read >= 2 && loop_code_spent_ns(code) < LOOP_CODE_STAY_STEPS * 5 / 2 + 4000,
       "of small functions %u are read at once, in %lld ns", read,
       (long long)loop_code_spent_ns(code));
    while (loop_code_is_busy(code))
        loop_code_go_on(code);
    EQ_INT(loop_code_around(code, function(read + 10) + FIRST_CALL, around), 2,
           "in later calls");
    drop(code);
}

/* A jump of the program's out of a piece leaves nothing that is gone on with. */
static void test_jump(void)
{
    struct loop_code *code = make(0);
    uint64_t around[LOOPS_AROUND_MOST];
    EQ_INT(loop_code_around(code, (uintptr_t)large, around), LOOPS_SOON, "a large function");
    code->in_piece = true;
    OK(!loop_code_go_on(code), "is not read on if a piece of it was left");
    OK(!loop_code_is_busy(code), "nor is anything else");
    EQ_INT(loop_code_around(code, (uintptr_t)large, around), -1, "it cannot be understood");
    EQ_INT(loop_code_around(code, function(4) + FIRST_CALL, around), 2, "others can");
    drop(code);
}

int main(void)
{
    measurement_clock = (struct clock){.multiplier = UINT64_C(1) << 32};
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    test_time();
    test_much_code();
    test_read();
    test_pieces();
    test_counter_pieces();
    test_counter_at_end();
    test_instructions();
    test_many_small();
    test_jump();
    return tap_done();
}
