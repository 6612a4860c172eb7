/*
 * Finds that one rank after another has more to do than the others.  See findings_ranks.h.
 */
#include "findings/findings_ranks.h"

#include <math.h>

#define COVER 0.5 /* of all blocks, the least in which some rank stands out */
#define NEARLY                                                                                 \
    0.8 /* of the excess of the hottest rank: one that has so much stays the hottest */

/* The span that has most in BLOCK of those that are not always; NULL: none. */
static const struct span *hottest_span(const struct ranks *ranks, size_t block)
{
    const struct span *best = NULL;
    double most = -INFINITY;
    for (size_t s = 0; s < ranks->span_count; s++) {
        const struct span *span = &ranks->spans[s];
        if (span->always || block < span->first || block >= span->end)
            continue;
        double excess = ranks_excess(ranks, span->rank, block);
        if (excess > most) {
            most = excess;
            best = span;
        }
    }
    return best;
}

static bool is_after(const struct span *late, const struct span *early)
{
    return late->rank != early->rank && late->first + 1 >= early->end;
}

/* The span that ends first of those that are not always; NULL without any. */
static const struct span *first_to_end(const struct ranks *ranks)
{
    const struct span *first = NULL;
    for (size_t s = 0; s < ranks->span_count; s++)
        if (!ranks->spans[s].always && (!first || ranks->spans[s].end < first->end))
            first = &ranks->spans[s];
    return first;
}

/* Whether the ranks that stand out take turns, mostly one at a time. */
static bool is_moving(const struct ranks *ranks)
{
    const struct span *first = first_to_end(ranks);
    size_t covered = 0, after = 0;
    for (size_t b = 0; b < ranks->blocks; b++)
        covered += hottest_span(ranks, b) != NULL;
    for (size_t s = 0; s < ranks->span_count; s++)
        after += !ranks->spans[s].always && is_after(&ranks->spans[s], first);
    return after > 0 && (double)covered >= COVER * (double)ranks->blocks;
}

/* The hottest span of BLOCK; the one that was hottest BEFORE is kept while it nearly is. */
static const struct span *hot_or_nearly(const struct ranks *ranks, const struct span *before,
                                        size_t block)
{
    const struct span *span = hottest_span(ranks, block);
    if (span && before && block < before->end &&
        ranks_excess(ranks, before->rank, block) >=
            NEARLY * ranks_excess(ranks, span->rank, block))
        return before;
    return span;
}

/* The last part of the finding; NULL: none. */
static const struct finding_part *last_part(const struct finding *finding)
{
    return finding->part_count ? &finding->parts[finding->part_count - 1] : NULL;
}

/*
 * The iterations of BLOCK in which SPAN has most, less those in the last part of FINDING:
 * from FIRST to before END.  BEGINS: another span had most in the block before.
 */
static void find_iterations(const struct ranks *ranks, const struct finding *finding,
                            const struct span *span, size_t block, bool begins, uint64_t *first,
                            uint64_t *end)
{
    const uint64_t *blocks = ranks->look->blocks.first;
    const struct finding_part *last = last_part(finding);
    /* Of a block that two share, the other may have had the first half. */
    *first = begins && block <= span->first + 1 ? span_border(ranks, span, span->first, true)
                                                : blocks[block];
    *end =
        block + 1 == span->end ? span_border(ranks, span, block + 1, false) : blocks[block + 1];
    if (last && last->iterations.last >= *first)
        *first = last->iterations.last + 1;
}

/* Adds the parts, their iterations and the values; returns the span with the largest excess. */
static struct span add_parts(struct ranks *ranks, struct finding *finding)
{
    double usual = 0, iterations = 0;
    const struct span *before = NULL;
    struct span most = {0};
    for (size_t b = 0; b < ranks->blocks; b++) {
        const struct span *span = hot_or_nearly(ranks, before, b);
        uint64_t first, end;
        if (!span)
            continue;
        most = span->excess > most.excess ? *span : most;
        find_iterations(ranks, finding, span, b, span != before, &first, &end);
        before = span;
        if (first >= end)
            continue;
        double length = (double)(end - first);
        finding_add_part(finding, ranks_number(ranks, span->rank), first, end - 1);
        finding_add_range(finding, first, end - 1);
        finding->excess += ranks_excess(ranks, span->rank, b) * length;
        finding->gain +=
            (ranks_value(ranks, span->rank, b) - ranks_mean_of_all(ranks, b, b + 1)) * length;
        usual += ranks->middle[b] * length;
        iterations += length;
    }
    finding->usual = iterations > 0 ? usual / iterations : 0;
    finding->value = finding->usual + (iterations > 0 ? finding->excess / iterations : 0);
    return most;
}

void find_moving_rank(struct ranks *ranks)
{
    if (!is_moving(ranks))
        return;
    struct finding *finding = ranks_add_finding(ranks, FINDING_MOVING_RANK);
    const struct span most = add_parts(ranks, finding);
    for (size_t s = 0; s < ranks->span_count; s++)
        ranks->spans[s].reported |= !ranks->spans[s].always;
    finding_add_ranks_of_parts(finding, ranks);
    double middle;
    struct range range = span_range(ranks, &most);
    size_t other = ranks_middle(ranks, most.first, most.end, &middle);
    explain_rank(finding, ranks->look, most.rank, other, (struct iteration_list){&range, 1});
    /* That is the part with most; all of them have less, in the mean. */
    if (most.excess > 0)
        finding->cause.value *= fmin((finding->value - finding->usual) / most.excess, 1);
}
