/*
 * What the steps of waits_random.c share: the plan that all ranks draw from the seed, how long
 * a rank computes, which it draws itself, and what they communicate by.
 */
#ifndef RANDOM_PLAN_H
#define RANDOM_PLAN_H

#include "program.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 8, MESSAGES = 6, SMALL = 64, LARGE = 200000, TAGS = 16 };

static uint64_t plan, chance;
static int most_us, step_number;
static MPI_Comm comms[3]; /* all, a half of them, and the two halves */
static MPI_Win window;
static int memory[MOST_RANKS];
static char outgoing[MESSAGES][LARGE], incoming[MESSAGES][LARGE];
static int out[MOST_RANKS], in[MOST_RANKS], counts[MOST_RANKS], offsets[MOST_RANKS];

/* A number below N that all ranks draw. */
static int draw(int n)
{
    return (int)(random_next(&plan) % (uint64_t)n);
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Computes for a time that follows from STATE, not at all in a third of all cases. */
__attribute__((noinline)) static void compute_by(uint64_t *state)
{
    const uint64_t number = random_next(state);
    const double end = now_us() + (double)(number / 3 % (uint64_t)most_us);
    while (number % 3 && now_us() < end)
        continue;
}

/* For a time that only this rank knows. */
static void compute(void)
{
    compute_by(&chance);
}

/* Between two looks at whether something has come: without it there were too many events. */
static void rest(void)
{
    usleep(100);
}

/* Of a step that uses fewer than TAGS of them: no other step has them. */
static int new_tags(void)
{
    return TAGS * ++step_number;
}

static int right_of(int rank)
{
    return (rank + 1) % program_ranks;
}

static int left_of(int rank)
{
    return (rank + program_ranks - 1) % program_ranks;
}

#endif
