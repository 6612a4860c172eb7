/* See allowance.h. */
#include "mainloop/allowance.h"

enum { SECOND_NS = 1000000000, AGAIN_IN_FULL = 3, AGAIN_HALVINGS = 20 };

bool allowance_is_first_second(const struct search *search, int64_t ns)
{
    return ns - search->begin_ns < SECOND_NS;
}

/* How much of the time from BEGIN_NS to NS is in the first second. */
static int64_t in_first_second(const struct search *search, int64_t begin_ns, int64_t ns)
{
    const int64_t first_ns = search->begin_ns + SECOND_NS;
    return (ns < first_ns ? ns : first_ns) - (begin_ns < first_ns ? begin_ns : first_ns);
}

/* Of so much of the first second. */
static int64_t allowed_first(const struct search *search, int64_t first_ns)
{
    const int64_t more_ns = loop_code_spent_ns(search->code) - SEARCH_HALF_NS,
                  all_ns = SECOND_NS / SEARCH_FIRST_SHARE,
                  less_ns = more_ns < 0        ? 0
                            : more_ns < all_ns ? more_ns
                                               : all_ns;
    return first_ns * (all_ns - less_ns) / SECOND_NS;
}

int64_t allowance_ns(const struct search *search, int64_t begin_ns, int64_t ns)
{
    const int64_t first_ns = in_first_second(search, begin_ns, ns);
    return allowed_first(search, first_ns) + (ns - begin_ns - first_ns) / SEARCH_SHARE;
}

int64_t allowance_read_ns(const struct search *search, int64_t begin_ns, int64_t ns)
{
    const int64_t later_ns = ns - begin_ns - in_first_second(search, begin_ns, ns),
                  half_ns = later_ns / SEARCH_SHARE / 2,
                  read_ns = loop_code_spent_ns(search->code) - search->read_ns;
    return read_ns < half_ns ? read_ns : half_ns;
}

void allowance_withhold(struct search *search, int64_t ns)
{
    const int64_t more_ns =
        search->spent_ns + search->cutting_ns + search->looking_ns - SEARCH_HALF_NS;
    if (allowance_is_first_second(search, ns))
        search->code->withheld_ns = more_ns > 0 ? more_ns : 0;
}

int64_t allowance_left_ns(const struct search *search, int64_t ns)
{
    return SEARCH_FREE_NS + allowance_ns(search, search->begin_ns, ns) - search->spent_ns -
           search->cutting_ns - search->looking_ns;
}

int64_t allowance_again_ns(struct search *search, int64_t ns)
{
    const int64_t left_ns = allowance_left_ns(search, ns);
    if (left_ns >= SEARCH_AGAIN_NS || !allowance_is_first_second(search, ns))
        return SEARCH_AGAIN_NS;
    const unsigned halvings =
        search->exhausted < AGAIN_IN_FULL ? 0 : search->exhausted - (AGAIN_IN_FULL - 1);
    const int64_t least_ns =
        SEARCH_AGAIN_LEAST_NS >> (halvings < AGAIN_HALVINGS ? halvings : AGAIN_HALVINGS);
    if (left_ns > least_ns)
        return left_ns;
    search->exhausted++;
    return least_ns;
}
