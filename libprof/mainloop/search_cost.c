/* See search_cost.h. */
#include "mainloop/search_cost.h"

#include "host/host.h"
#include "iterations/iterations.h"
#include "mainloop/candidate.h"
#include "mainloop/named.h"
#include "mainloop/search.h"

void search_cost_start(struct search *search)
{
    search->cost = (struct search_cost){.measure_ns = search->begin_ns,
                                        .free_ns = SEARCH_FREE_NS,
                                        .look_usual_ns = SEARCH_LOOK_USUAL_NS,
                                        .cut_usual_ns = SEARCH_CUT_USUAL_NS};
}

int64_t search_cost_since(uint64_t start)
{
    return clock_to_ns_async(clock_ticks_async()) - clock_to_ns_async(start);
}

/*
 * What is reckoned for something that has SPENT_NS, but not more than so many TIMES *USUAL_NS,
 * which follows the median: what others do on the machine must not change what is found.
 */
static int64_t reckon(int64_t spent_ns, int64_t *usual_ns, int64_t times)
{
    const int64_t most_ns = *usual_ns * times, step_ns = *usual_ns / 16 + 1;
    *usual_ns += spent_ns > *usual_ns ? step_ns : *usual_ns > step_ns ? -step_ns : 0;
    return spent_ns < most_ns ? spent_ns : most_ns;
}

/*
 * What clustering passes of loop NUMBER has cost since this was last asked.  It is done when
 * other calls come.
 */
static int64_t clustered_since(struct thread *thread, unsigned number)
{
    struct candidate *candidate = &thread->search->candidates[number];
    const int64_t before_ns = candidate->clustered_ns;
    candidate->clustered_ns = thread->iterations->series[search_series(number)].cost_ns;
    /* A series that was dropped has begun anew. */
    return candidate->clustered_ns - (before_ns <= candidate->clustered_ns ? before_ns : 0);
}

void search_cost_add_cut(struct thread *thread, uint32_t loops, uint64_t start,
                         int64_t clustered_ns)
{
    struct search *search = thread->search;
    const int64_t own_ns = search_cost_since(start) - clustered_ns;
    const int64_t spent_ns = reckon(own_ns > 0 ? own_ns : 0, &search->cost.cut_usual_ns,
                                    SEARCH_CUT_TIMES),
                  count = __builtin_popcount(loops);
    search->cost.cutting_ns += spent_ns;
    search->cost.doubt_ns += search->cost.is_in_doubt ? spent_ns : 0;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const int64_t since_ns = clustered_since(thread, i);
        search->cost.cutting_ns += since_ns;
        search->cost.doubt_ns += search->cost.is_in_doubt ? since_ns : 0;
        search->candidates[i].cost_ns += since_ns + (loops >> i & 1 ? spent_ns / count : 0);
    }
}

void search_cost_add_look(struct search *search, int64_t spent_ns)
{
    const int64_t reckoned_ns =
        SEARCH_TIMED *
        reckon(spent_ns > 0 ? spent_ns : 0, &search->cost.look_usual_ns, SEARCH_LOOK_TIMES);
    search->cost.looking_ns += reckoned_ns;
    search->cost.doubt_ns += search->cost.is_in_doubt ? reckoned_ns : 0;
}

/* What the search may cost from BEGIN_NS to NS, in nanoseconds, besides what it may in any
 * case. */
static int64_t share_of(const struct search *search, int64_t begin_ns, int64_t ns)
{
    const int64_t first_ns = search->begin_ns + 1000000000;
    const int64_t before = begin_ns < first_ns ? begin_ns : first_ns,
                  after = ns < first_ns ? ns : first_ns;
    return (after - before) / SEARCH_FIRST_SHARE +
           (ns - begin_ns - (after - before)) / SEARCH_SHARE;
}

int64_t search_cost_left(const struct search *search, int64_t ns)
{
    return SEARCH_FREE_NS + share_of(search, search->begin_ns, ns) - search->cost.spent_ns -
           search->cost.cutting_ns - search->cost.looking_ns;
}

bool search_cost_is_first_second(const struct search *search, int64_t ns)
{
    return ns - search->begin_ns < 1000000000;
}

bool search_cost_is_used_up(const struct search *search, int64_t ns)
{
    return search->cost.is_in_doubt && search_cost_is_first_second(search, ns) &&
           search->cost.doubt_ns + loop_code_spent_ns(search->code) > SEARCH_DOUBT_NS &&
           !named_is_set_async();
}

bool search_cost_is_too_much(struct search *search, int64_t ns)
{
    const int64_t share_ns = share_of(search, search->cost.measure_ns, ns),
                  reading_ns = loop_code_spent_ns(search->code) - search->cost.read_ns;
    /* Reading code is no reason to look at less, but shares the time. */
    const int64_t spent_ns = search->cost.cutting_ns + search->cost.looking_ns +
                             (reading_ns < share_ns / 2 ? reading_ns : share_ns / 2);
    if (spent_ns <= search->cost.free_ns + share_ns)
        return false;
    return search_cost_is_first_second(search, ns) || spent_ns > SEARCH_MAIN_TIMES * share_ns ||
           !candidate_is_any(search, ns, candidate_is_main);
}

void search_cost_begin_anew(struct search *search, int64_t ns)
{
    struct search_cost *cost = &search->cost;
    const int64_t left_ns = search_cost_left(search, ns);
    for (unsigned i = 0; i < LOOPS_MOST; i++)
        search->candidates[i].cost_ns = search->candidates[i].recent_ns = 0;
    cost->spent_ns += cost->cutting_ns + cost->looking_ns;
    cost->cutting_ns = cost->looking_ns = 0;
    cost->read_ns = loop_code_spent_ns(search->code);
    cost->free_ns = left_ns >= SEARCH_AGAIN_NS || !search_cost_is_first_second(search, ns)
                        ? SEARCH_AGAIN_NS
                    : left_ns > SEARCH_AGAIN_LEAST_NS ? left_ns
                                                      : SEARCH_AGAIN_LEAST_NS;
    cost->measure_ns = ns;
}
