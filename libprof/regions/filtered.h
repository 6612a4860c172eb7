/*
 * Which functions TSPROF_FILTER leaves out: they are sampled like any that tell nothing.
 *
 * Symbols of whole modules are looked up at once, those that are there at the start then, so
 * that nothing is looked up while functions run; what is loaded later follows when its first
 * function is entered.  Each function is decided once, and the same for all threads.
 */
#ifndef TSPROF_FILTERED_H
#define TSPROF_FILTERED_H

#include "regions/decisions.h"

struct thread;

/* NULL: none is left out. */
extern struct decisions *filtered_decisions __attribute__((visibility("hidden")));

/*
 * What filtered_is_out does where it does not find the answer at once.  Where it must not look
 * for one, in a signal handler of the program for instance, the function is left out this time.
 */
bool filtered_ask(uintptr_t function);

/* Whether it is known at first glance that FUNCTION is left out.  Any context. */
static inline bool filtered_is_surely_out(uintptr_t function)
{
    const struct decisions *decisions = __atomic_load_n(&filtered_decisions, __ATOMIC_ACQUIRE);
    return decisions && __atomic_load_n(decisions_home_async(decisions, function),
                                        __ATOMIC_RELAXED) == decisions_word(function, true);
}

/* Whether FUNCTION is left out.  Program context of any thread; preserves errno. */
static inline bool filtered_is_out(uintptr_t function)
{
    const struct decisions *decisions = __atomic_load_n(&filtered_decisions, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!decisions, 1))
        return false;
    const uint64_t word =
        __atomic_load_n(decisions_home_async(decisions, function), __ATOMIC_RELAXED);
    if (__builtin_expect(word == decisions_word(function, true), 1))
        return true;
    return word != decisions_word(function, false) && filtered_ask(function);
}

#endif
