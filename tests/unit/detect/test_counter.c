/*
 * Counters of loops are found in machine code: functions are compiled into sections of their
 * own, and where they call from, what is read as their counter has to grow by the step in every
 * pass, however the compiler keeps it.
 */
#include "detect/counter.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 6, BLOCKS_MOST = 4096 };

static uintptr_t places[PLACES];

/* Notes where it was called from. */
__attribute__((noipa)) static void come(int place)
{
    places[place] = (uintptr_t)__builtin_return_address(0) - 1;
    __asm__ volatile("" ::: "memory");
}

/* Changes what it is given the address of. */
__attribute__((noipa)) static void change(int *number)
{
    __asm__ volatile("" ::"r"(number) : "memory");
}

#define FUNCTION(name)                                                                         \
    extern const unsigned char __start_count_##name[], __stop_count_##name[];                  \
    static void name(int n);                                                                   \
    __attribute__((noipa, section("count_" #name),                                             \
                   no_sanitize("undefined", "address"))) static void                           \
    name(int n)

#define COME(place)                                                                            \
    do {                                                                                       \
        come(place);                                                                           \
        __asm__ volatile("");                                                                  \
    } while (0)

FUNCTION(plain)
{
    for (int i = 0; i < n; i++) {
        COME(0);
        if (i % 3)
            COME(1);
    }
}

/* Only the inner loop calls. */
FUNCTION(inside)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 5; j++)
            COME(0);
}

/* As optimizers like to have it: the step is taken on both sides of a condition. */
FUNCTION(sides)
{
    __asm__ volatile("xorl %%r12d, %%r12d\n"
                     "1:\n\t"
                     "testl $1, %%r12d\n\t"
                     "je 2f\n\t"
                     "addl $1, %%r12d\n\t"
                     "movl $0, %%edi\n\t"
                     "call *%1\n\t"
                     "jmp 3f\n"
                     "2:\n\t"
                     "movl $1, %%edi\n\t"
                     "call *%1\n\t"
                     "addl $1, %%r12d\n"
                     "3:\n\t"
                     "cmpl %0, %%r12d\n\t"
                     "jl 1b\n"
                     :
                     : "b"(n), "r"((uintptr_t)come | (uintptr_t)n * 0)
                     : "r12", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
                       "memory");
}

/* The counter moves to another register while a call is made, and back. */
FUNCTION(moving)
{
    __asm__ volatile("xorl %%r12d, %%r12d\n"
                     "1:\n\t"
                     "movl %%r12d, %%r13d\n\t"
                     "xorl %%r12d, %%r12d\n\t"
                     "movl $0, %%edi\n\t"
                     "call *%1\n\t"
                     "leal 2(%%r13), %%r12d\n\t"
                     "cmpl %0, %%r12d\n\t"
                     "jl 1b\n"
                     :
                     : "b"(n), "r"((uintptr_t)come | (uintptr_t)n * 0)
                     : "r12", "r13", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
                       "r11", "memory");
}

/* On one way nothing is added: it is no counter. */
FUNCTION(uneven)
{
    for (int i = 0; i < n;) {
        COME(0);
        if (places[1]++ % 3)
            i++;
    }
}

/* Its address is taken: others may change it. */
FUNCTION(taken)
{
    for (int i = 0; i < n; i++) {
        change(&i);
        COME(0);
    }
}

/* Nothing is counted. */
FUNCTION(waiting)
{
    volatile int left = n;
    while (left > 0) {
        COME(0);
        left = left / 2;
    }
}

static struct code_block blocks[BLOCKS_MOST];

struct world {
    struct code_memory *memory;
    struct counter_memory *counters;
    const unsigned char *start;
    struct code_function function;
};

static void read_code(struct world *world, const unsigned char *start,
                      const unsigned char *stop)
{
    world->start = start;
    world->function = (struct code_function){
        .code = start, .bytes = (size_t)(stop - start), .blocks = blocks};
    world->function.count =
        code_read(start, world->function.bytes, blocks, BLOCKS_MOST, world->memory);
}

static unsigned different;

/* What counter_find returns; it is different if not the same is found in smallest pieces. */
static struct code_counter look(struct world *world, uint32_t entry, uint32_t at,
                                const struct code_counter *known)
{
    const struct code_counter found =
        counter_find(&world->function, entry, at, known, world->counters);
    struct code_counter again;
    unsigned pieces = 1;
    counter_begin(&world->function, entry, at, known, world->counters);
    while (!counter_go_on(world->counters, 1, &again))
        pieces++;
    different +=
        (found.place.kind != PLACE_ELSEWHERE && pieces < 8) ||
        again.place.kind != found.place.kind || again.place.number != found.place.number ||
        again.place.offset != found.place.offset || again.ahead != found.ahead ||
        again.step != found.step || again.starts != found.starts || again.first != found.first;
    return found;
}

/* The counter of the loop that is number OUTER around the call at PLACE, innermost 0. */
static struct code_counter find(struct world *world, int place, int outer,
                                const struct code_counter *known)
{
    uint32_t around[4];
    const uint32_t at = (uint32_t)(places[place] - (uintptr_t)world->start);
    const int count = code_loops_around(blocks, world->function.count, at, around, 4);
    if (outer >= count)
        return (struct code_counter){.place = {.kind = PLACE_ELSEWHERE}};
    return look(world, around[outer], at, known);
}

#define READ(name, n) (name(n), read_code(&world, __start_count_##name, __stop_count_##name))

static void test_found(void)
{
    struct world world = {.memory = malloc(code_memory_bytes()),
                          .counters = malloc(counter_memory_bytes())};
    READ(plain, 9);
    struct code_counter first = find(&world, 0, 0, NULL), second = find(&world, 1, 0, &first);
    OK(first.place.kind != PLACE_ELSEWHERE, "a loop that counts has a counter");
    OK(second.place.kind != PLACE_ELSEWHERE && second.step == first.step,
       "and the same for its other calls");
    READ(inside, 9);
    first = find(&world, 0, 1, NULL);
    OK(first.place.kind != PLACE_ELSEWHERE, "an outer loop's, at a call of the inner one");
    READ(sides, 9);
    first = find(&world, 0, 0, NULL);
    second = find(&world, 1, 0, &first);
    OK(first.place.kind == PLACE_REGISTER && first.place.number == 12 && first.step == 1,
       "a step on each side of a condition");
    EQ_INT(first.ahead, 1, "of which one is before the call");
    EQ_INT(second.ahead, 0, "and the other behind");
    OK(first.starts && first.first == 0, "it begins with nothing");
    READ(moving, 9);
    first = find(&world, 0, 0, NULL);
    OK(first.place.kind == PLACE_REGISTER && first.place.number == 13 && first.step == 2,
       "it is found where it has moved to");
    free(world.memory);
    free(world.counters);
}

static void test_none(void)
{
    struct world world = {.memory = malloc(code_memory_bytes()),
                          .counters = malloc(counter_memory_bytes())};
    READ(waiting, 100);
    EQ_INT(find(&world, 0, 0, NULL).place.kind, PLACE_ELSEWHERE,
           "what is divided is no counter");
    READ(taken, 5);
    EQ_INT(find(&world, 0, 0, NULL).place.kind, PLACE_ELSEWHERE, "nor what others may change");
    READ(uneven, 5);
    EQ_INT(find(&world, 0, 0, NULL).place.kind, PLACE_ELSEWHERE,
           "nor what grows in some passes only");
    free(world.memory);
    free(world.counters);
}

/* The counter of the innermost loop around the call at byte AT of CODE, which is never run. */
static struct code_counter find_in(struct world *world, const unsigned char *code, size_t bytes,
                                   uint32_t at)
{
    uint32_t around[4];
    read_code(world, code, code + bytes);
    if (code_loops_around(blocks, world->function.count, at, around, 4) < 1) {
        OK(false, "there is a loop");
        return (struct code_counter){.place = {.kind = PLACE_ELSEWHERE}};
    }
    return look(world, around[0], at, NULL);
}

/*
 * xor %r12d, %r12d; 1: mov %r12d, OFFSET(%rsp); call; mov OFFSET(%rsp), %r12d; add $1, %r12d;
 * cmp $9, %r12d; jl 1b; ret
 */
#define SPILLED(offset)                                                                        \
    {                                                                                          \
        0x45, 0x31, 0xe4, 0x44, 0x89, 0x64, 0x24, offset, 0xe8, 0, 0, 0, 0, 0x44, 0x8b, 0x64,  \
            0x24, offset, 0x41, 0x83, 0xc4, 1, 0x41, 0x83, 0xfc, 9, 0x7c, 0xe7, 0xc3           \
    }

/*
 * movl $0, 8(%rsp); 1: mov 64(%rsp,%rax,4), %edx or the other way round, by OPCODE; call;
 * addl $1, 8(%rsp); cmpl $9, 8(%rsp); jl 1b; ret
 */
#define BESIDE_ARRAY(opcode)                                                                   \
    {                                                                                          \
        0xc7, 0x44, 0x24, 8, 0, 0, 0, 0, opcode, 0x54, 0x84, 0x40, 0xe8, 0, 0, 0, 0, 0x83,     \
            0x44, 0x24, 8, 1, 0x83, 0x7c, 0x24, 8, 9, 0x7c, 0xeb, 0xc3                         \
    }

static void test_frame(void)
{
    static const unsigned char above[] = SPILLED(0x08), below[] = SPILLED(0xf8),
                               loads[] = BESIDE_ARRAY(0x8b), stores[] = BESIDE_ARRAY(0x89);
    /* xor %ebx, %ebx; 1: mov %ebx, (%rsp); call; add $1, %ebx; mov %ebx, 16(%rsp);
     * xor %ebx, %ebx; call; mov 16(%rsp), %ebx; cmp $9, %ebx; jl 1b; ret */
    static const unsigned char argument[] = {
        0x31, 0xdb, 0x89, 0x1c, 0x24, 0xe8, 0,    0,    0,    0,   0x83, 0xc3,
        1,    0x89, 0x5c, 0x24, 16,   0x31, 0xdb, 0xe8, 0,    0,   0,    0,
        0x8b, 0x5c, 0x24, 16,   0x83, 0xfb, 9,    0x7c, 0xe1, 0xc3};
    struct world world = {.memory = malloc(code_memory_bytes()),
                          .counters = malloc(counter_memory_bytes())};
    struct code_counter found = find_in(&world, above, sizeof above, 12);
    OK(found.place.kind != PLACE_ELSEWHERE && found.starts && found.first == 0,
       "a counter that is kept in the frame during a call");
    EQ_INT(find_in(&world, below, sizeof below, 12).place.kind, PLACE_ELSEWHERE,
           "but not below the stack pointer, where the call writes");
    found = find_in(&world, argument, sizeof argument, 23);
    OK(found.place.kind == PLACE_BY_SP && found.place.offset == 16 && found.ahead == 1,
       "nor in an argument, which belongs to the function that is called");
    found = find_in(&world, loads, sizeof loads, 16);
    OK(found.place.kind == PLACE_BY_SP && found.place.offset == 8,
       "a counter beside an array that is read");
    EQ_INT(find_in(&world, stores, sizeof stores, 16).place.kind, PLACE_ELSEWHERE,
           "but not beside one that is written, whose index may be negative");
    free(world.memory);
    free(world.counters);
}

static void test_ways_in(void)
{
    /* xor %ebx, %ebx; 1: call; add $1, %ebx; 2: cmp $9, %ebx; jl 1b; ret; then what only an
     * exception leads to: sub $1, %ebx; jmp 2b */
    static const unsigned char caught[] = {0x31, 0xdb, 0xe8, 0,    0,    0,    0,
                                           0x83, 0xc3, 1,    0x83, 0xfb, 9,    0x7c,
                                           0xf3, 0xc3, 0x83, 0xeb, 1,    0xeb, 0xf5};
    /* test %eax, %eax; je 2f; xor %ebx, %ebx; 1: call; 2: add $1, %ebx; cmp $9, %ebx; jl 1b;
     * ret */
    static const unsigned char middle[] = {0x85, 0xc0, 0x74, 7,    0x31, 0xdb, 0xe8,
                                           0,    0,    0,    0,    0x83, 0xc3, 1,
                                           0x83, 0xfb, 9,    0x7c, 0xf3, 0xc3};
    /* xor %ebx, %ebx; 1: call; mov $1, %bh; add $1, %ebx; cmp $9, %ebx; jl 1b; ret */
    static const unsigned char half[] = {0x31, 0xdb, 0xe8, 0,    0,    0, 0,    0xb7, 1,
                                         0x83, 0xc3, 1,    0x83, 0xfb, 9, 0x7c, 0xf1, 0xc3};
    struct world world = {.memory = malloc(code_memory_bytes()),
                          .counters = malloc(counter_memory_bytes())};
    EQ_INT(find_in(&world, caught, 16, 6).place.kind, PLACE_REGISTER, "a counter");
    EQ_INT(find_in(&world, caught, sizeof caught, 6).place.kind, PLACE_ELSEWHERE,
           "but not where an exception may be caught in the loop");
    EQ_INT(find_in(&world, middle, sizeof middle, 10).place.kind, PLACE_ELSEWHERE,
           "nor where the loop is entered in its middle");
    EQ_INT(find_in(&world, half, sizeof half, 6).place.kind, PLACE_ELSEWHERE,
           "nor if the register's second byte is written");
    free(world.memory);
    free(world.counters);
}

/* A counter's loop, and behind it so much that not all ways can be followed. */
static void test_too_long(void)
{
    enum { JUMPS = 140, BRANCHES = 3000 };
    /* jne over the rest; jmp *%rax; ret */
    static const unsigned char jump[] = {0x75, 3, 0xff, 0xe0, 0xc3};
    static unsigned char code[16 + JUMPS * sizeof jump + 2 * BRANCHES];
    static const unsigned char loop[] = {0x31, 0xdb, 0xe8, 0,    0, 0,    0,   0x83,
                                         0xc3, 1,    0x83, 0xfb, 9, 0x7c, 0xf3};
    size_t bytes = sizeof loop;
    struct world world = {.memory = malloc(code_memory_bytes()),
                          .counters = malloc(counter_memory_bytes())};
    memcpy(code, loop, sizeof loop);
    for (int i = 0; i < BRANCHES; i++, bytes += 2)
        code[bytes] = 0x75; /* jne to the next one */
    EQ_INT(find_in(&world, code, bytes, 6).place.kind, PLACE_REGISTER,
           "a counter in a long function");
    for (int i = 0; i < JUMPS; i++, bytes += sizeof jump)
        memcpy(code + bytes, jump, sizeof jump);
    EQ_INT(find_in(&world, code, bytes, 6).place.kind, PLACE_ELSEWHERE,
           "but not where not all ways could be followed");
    free(world.memory);
    free(world.counters);
}

/* Damaged code gives some answer, and reads nothing but the code. */
static void test_damage(void)
{
    struct world world = {.memory = malloc(code_memory_bytes()),
                          .counters = malloc(counter_memory_bytes())};
    const unsigned char *start = __start_count_plain;
    const size_t bytes = (size_t)(__stop_count_plain - start);
    unsigned char *copy = malloc(bytes);
    unsigned answers = 0;
    plain(9);
    for (size_t i = 0; i < 8 * bytes; i++) {
        memcpy(copy, start, bytes);
        copy[i / 8] = (unsigned char)(copy[i / 8] * 7 + 13 + i % 8 * 31);
        read_code(&world, copy, copy + bytes);
        for (uint32_t at = 0; world.function.count > 0 && at < bytes; at += 5) {
            uint32_t around[4];
            const int count = code_loops_around(blocks, world.function.count, at, around, 4);
            for (int j = 0; j < count; j++)
                look(&world, around[j], at, NULL);
        }
        answers++;
    }
    EQ_INT(answers, 8 * bytes, "damaged code does no harm");
    free(copy);
    free(world.memory);
    free(world.counters);
}

int main(void)
{
    test_found();
    test_none();
    test_frame();
    test_ways_in();
    test_too_long();
    test_damage();
    EQ_INT(different, 0, "in smallest pieces the same is found");
    return tap_done();
}
