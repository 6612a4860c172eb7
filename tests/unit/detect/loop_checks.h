/* Checks of how often the loops of programs written as text are cut. */
#ifndef TSPROF_LOOP_CHECKS_H
#define TSPROF_LOOP_CHECKS_H

#include "detect/loop_text.h"
#include "tap.h"

/* Loop NTH of TEXT is cut as often as it has passes, less at most two. */
static inline void is_cut(const char *name, const char *text, unsigned nth, bool reads_code)
{
    simulate(text, reads_code, 1);
    const uint64_t place = place_in(text, nth), truth = world.truth[place], cut = cut_at(place);
    OK(!world.broken, "%s: verdicts fit together", name);
    if (!OK(cut <= truth && cut + 2 >= truth, "%s: %s%s", name, text,
            reads_code ? ", the code is read" : ""))
        printf("# %llu of %llu\n", (unsigned long long)cut, (unsigned long long)truth);
}

/* The same with the code read, and without. */
static inline void is_cut_always(const char *name, const char *text, unsigned nth)
{
    is_cut(name, text, nth, false);
    is_cut(name, text, nth, true);
}

#endif
