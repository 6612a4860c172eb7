/*
 * What the loop search (search.h) costs, and how much that may be: SEARCH_FREE_NS, a share of
 * the time, and while there is no main loop in sight, SEARCH_DOUBT_NS in the first second.
 * Costs are those of examining calls, which are timed now and then; of cutting loops,
 * clustering their passes included; and of reading code (loop_code.h).
 *
 * For the thread whose main loop is searched for, in program context.
 */
#ifndef TSPROF_SEARCH_COST_H
#define TSPROF_SEARCH_COST_H

#include <stdbool.h>
#include <stdint.h>

struct search;
struct thread;

enum {
    SEARCH_FREE_NS = 1000000,  /* what the search may cost in any case */
    SEARCH_FIRST_SHARE = 200,  /* in the first second, one part in so many of the time, */
    SEARCH_SHARE = 1024,       /* and one in so many of the time after that, */
    SEARCH_MAIN_TIMES = 8,     /* or so many times that once the main loop is hardly in doubt */
    SEARCH_AGAIN_NS = 1000000, /* what it may cost anew each time its cost has been reduced, */
    SEARCH_AGAIN_LEAST_NS = 250000, /* in the first second, if it has cost too much already, */
    /* and what it may, with reading code, while there is no main loop in sight */
    SEARCH_DOUBT_NS = 9400000,
    SEARCH_TIMED = 16,          /* one in so many examined calls is timed */
    SEARCH_LOOK_USUAL_NS = 200, /* what examining a call takes, to begin with, */
    SEARCH_CUT_USUAL_NS = 3000, /* and cutting */
    SEARCH_LOOK_TIMES = 4, /* if examining takes so many times as long as usual, or longer, */
    SEARCH_CUT_TIMES = 16  /* or cutting so many times, others had the processor, or caches */
};

/* All times in nanoseconds. */
struct search_cost {
    int64_t measure_ns; /* when costs were last reduced, or when the search began */
    int64_t free_ns;    /* what it may have cost since then, besides its share of the time */
    int64_t looking_ns, cutting_ns;      /* what examining and cutting have cost since then, */
    int64_t look_usual_ns, cut_usual_ns; /* and what one takes in half of the cases */
    int64_t read_ns;  /* what reading code had cost then, by its own account */
    int64_t spent_ns; /* what examining and cutting had cost then, from the beginning */
    int64_t doubt_ns; /* what both have cost while it was in doubt which is the main loop */
    bool is_in_doubt; /* it was when a call was last timed */
};

/* Begins when SEARCH does. */
void search_cost_start(struct search *search);

/* Nanoseconds since START, in ticks of the clock. */
int64_t search_cost_since(uint64_t start);

/*
 * Divides what cutting has cost since START, in ticks, but for CLUSTERED_NS, among LOOPS, which
 * is a set, and adds to each loop what clustering its passes has cost.
 */
void search_cost_add_cut(struct thread *thread, uint32_t loops, uint64_t start,
                         int64_t clustered_ns);

/* Adds SEARCH_TIMED calls, one of which took SPENT_NS to examine. */
void search_cost_add_look(struct search *search, int64_t spent_ns);

bool search_cost_is_first_second(const struct search *search, int64_t ns);

/* What is left at NS of what the search may cost in all; below 0 if it has cost more. */
int64_t search_cost_left(const struct search *search, int64_t ns);

/*
 * Whether no more may be spent in the first second, since there is no main loop in sight and
 * all that looking for one may take was taken.
 */
bool search_cost_is_used_up(const struct search *search, int64_t ns);

/* Whether it has cost more than its share of the time since costs were last reduced. */
bool search_cost_is_too_much(struct search *search, int64_t ns);

/* Measures costs anew from NS on, when something was done to reduce them. */
void search_cost_begin_anew(struct search *search, int64_t ns);

#endif
