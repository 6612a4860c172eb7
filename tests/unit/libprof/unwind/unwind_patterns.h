/*
 * Ways to fill a stack, for the test of the stack walker: every compiler flavour of them, and
 * what they share.  test_unwind.c owns the definitions.
 */
#ifndef TSPROF_UNWIND_PATTERNS_H
#define TSPROF_UNWIND_PATTERNS_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of the patterns: how often it was entered, and where it starts. */
struct pattern_counter {
    uintptr_t function;
    uint64_t entered;
    bool looks; /* each time, itself or through what it calls */
    struct pattern_counter *next;
};

extern struct pattern_counter *pattern_counters;

extern bool pattern_counting;

#define ENTER_AND(always_looks, function_pointer)                                              \
    static struct pattern_counter pattern_counter;                                             \
    if (pattern_counter.function == 0) {                                                       \
        pattern_counter.looks = (always_looks);                                                \
        pattern_counter.function = (uintptr_t)(function_pointer);                              \
        pattern_counter.next = pattern_counters;                                               \
        pattern_counters = &pattern_counter;                                                   \
    }                                                                                          \
    pattern_counter.entered += pattern_counting

/* Counts an entry of the function it stands first in, which always looks at the stack. */
#define ENTER(function_pointer) ENTER_AND(true, function_pointer)

/*
 * The same for a function that does not, that may be left for another by a sibling call, or
 * whose return address must have no alias.
 */
#define ENTER_AT_TIMES(function_pointer) ENTER_AND(false, function_pointer)

/* Where the nearest pattern that can be jumped out to waits. */
struct jump_target {
    sigjmp_buf place;
    struct jump_target *outer;
    bool in_handler;
};

/* What belongs to the stack that runs. */
struct strand {
    struct jump_target *target;
    bool in_handler;
};

extern struct strand *strand;

/* Pseudo-random below BOUND, the same in every run. */
uint32_t pick(uint32_t bound);

/* Walks the stack from the caller in both ways and compares. */
void look(void);

/* Calls a few patterns, or looks; DEPTH is what is left of the nesting. */
void go(int depth);

/* Lets another stack run until it yields. */
void switch_strand(int depth);

/* A flavour of all patterns; returns what it computed to keep the calls from being tail calls.
 */
typedef int (*pattern)(int depth);
enum { PATTERN_COUNT = 17 };
extern const pattern patterns_plain[PATTERN_COUNT];
extern const pattern patterns_framed[PATTERN_COUNT];

/* Catch what they throw from below. */
int exceptions_plain(int depth);
int exceptions_framed(int depth);

#ifdef __cplusplus
}
#endif

#endif
