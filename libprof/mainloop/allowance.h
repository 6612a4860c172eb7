/*
 * What looking for the main loop may cost (search.h): the file that knows how the time allowed
 * is divided between examining calls and cutting on one side, and reading code (loop_code.h) on
 * the other.
 *
 * In the first second both together may take 10 ms.  Either side takes 6 ms at most, and what
 * it takes beyond SEARCH_HALF_NS the other one has less.  1 ms more is for what looking may
 * cost anew each time that its cost has been reduced although all was used up:
 * SEARCH_AGAIN_LEAST_NS three times, and then half as much each time.  After the first second
 * both together may take one SEARCH_SHARE of the time.
 *
 * For the thread that is searched, in program context.  All numbers are nanoseconds.
 */
#ifndef TSPROF_ALLOWANCE_H
#define TSPROF_ALLOWANCE_H

#include "mainloop/search.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether NS is in the first second of SEARCH. */
bool allowance_is_first_second(const struct search *search, int64_t ns);

/* What examining calls and cutting may cost from BEGIN_NS to NS, besides what is free. */
int64_t allowance_ns(const struct search *search, int64_t begin_ns, int64_t ns);

/*
 * What reading code has cost since costs were last reduced, as far as it counts as a part of
 * that: after the first second, up to half of what is allowed from BEGIN_NS to NS.
 */
int64_t allowance_read_ns(const struct search *search, int64_t begin_ns, int64_t ns);

/* What is left at NS of what they may cost in all; below 0 if they have cost more. */
int64_t allowance_left_ns(const struct search *search, int64_t ns);

/* Withholds from reading code what the other side has taken until NS beyond its half. */
void allowance_withhold(struct search *search, int64_t ns);

/* What they may cost anew, besides the share of the time, when costs have been reduced at NS.
 */
int64_t allowance_again_ns(struct search *search, int64_t ns);

#endif
