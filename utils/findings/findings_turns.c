/*
 * Finds that ranks take turns in having more to do: the same ones again after some iterations.
 * See findings_ranks.h.
 */
#include "findings/findings_ranks.h"

#include "base/base.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_TURN 64  /* iterations */
#define TURN_MATCH   0.8 /* of the iterations have the same hot rank one turn later */
#define TURN_KAPPA   0.6 /* that much of what chance does not explain (Cohen's kappa) */

/* The share of iterations whose hot rank is the same TURN iterations later. */
static double match_of(const struct blocks *blocks, size_t turn)
{
    size_t same = 0;
    for (size_t i = turn; i < blocks->hot_count; i++)
        same += blocks->hot[i] == blocks->hot[i - turn] && blocks->hot[i] != SUMMARY_NONE;
    return (double)same / (double)(blocks->hot_count - turn);
}

/* The share of iterations that would have the same hot rank as others by chance. */
static double chance_of(const struct ranks *ranks)
{
    const struct blocks *blocks = &ranks->look->blocks;
    double *times = allocate(ranks->ranks, sizeof *times), sum = 0;
    for (size_t i = 0; i < blocks->hot_count; i++)
        if (blocks->hot[i] != SUMMARY_NONE)
            times[blocks->hot[i]]++;
    for (size_t r = 0; r < ranks->ranks; r++)
        sum += times[r] * times[r];
    free(times);
    return sum / ((double)blocks->hot_count * (double)blocks->hot_count);
}

/* The shortest turn after which the same ranks are hot again; 0: none, or always the same. */
static size_t find_turn(const struct ranks *ranks)
{
    const struct blocks *blocks = &ranks->look->blocks;
    if (!blocks->hot || match_of(blocks, 1) >= TURN_MATCH)
        return 0;
    const double chance = chance_of(ranks),
                 least = fmax(TURN_MATCH, chance + TURN_KAPPA * (1 - chance));
    for (size_t turn = 2; turn <= LONGEST_TURN && 4 * turn <= blocks->hot_count; turn++)
        if (match_of(blocks, turn) >= least)
            return turn;
    return 0;
}

/* How much more the hot rank has than the mean of all: the median of all iterations. */
static double median_lead(const struct blocks *blocks)
{
    double *leads = allocate(blocks->hot_count, sizeof *leads);
    memcpy(leads, blocks->lead, blocks->hot_count * sizeof *leads);
    double median = median_of(leads, blocks->hot_count);
    free(leads);
    return median;
}

void find_turns(struct ranks *ranks)
{
    const struct look *look = ranks->look;
    const struct blocks *blocks = &look->blocks;
    size_t turn = find_turn(ranks);
    double sum = 0;
    if (turn == 0 || median_lead(blocks) < RANKS_TIME_SHARE * fabs(look->mean))
        return;
    for (size_t i = 0; i < blocks->hot_count; i++)
        sum += blocks->lead[i];
    struct finding *finding = ranks_add_finding(ranks, FINDING_MOVING_RANK);
    const struct range all = ranks_iterations(ranks);
    finding->period = turn;
    for (size_t s = 0; s < ranks->span_count; s++)
        ranks->spans[s].reported = true;
    for (size_t i = 0; i < 2 * turn; i++)
        if (blocks->hot[i] != SUMMARY_NONE)
            finding_add_part(finding, ranks_number(ranks, blocks->hot[i]), look->first + i,
                             look->first + i);
    finding_add_ranks_of_parts(finding, ranks);
    finding_add_range(finding, all.first, all.last);
    finding->excess = finding->gain = sum;
    ranks_middle(ranks, 0, ranks->blocks, &finding->usual);
    finding->value = finding->usual + sum / (double)look->count;
}
