/* Finds ranks that have more to do than others, always or for a while.  See findings_ranks.h.
 */
#include "findings/findings_ranks.h"

#define MOST_FINDINGS 16 /* in one phase */
#define ALIKE         0.8 /* ranks are reported together if they share this much of their blocks */

/* Whether most blocks of either are also blocks of the other. */
static bool share_blocks(const struct span *a, const struct span *b)
{
    size_t first = a->first > b->first ? a->first : b->first;
    size_t end = a->end < b->end ? a->end : b->end;
    size_t most_a = a->end - a->first, most_b = b->end - b->first;
    size_t longer = most_a > most_b ? most_a : most_b;
    return end > first && (double)(end - first) >= ALIKE * (double)longer;
}

/* Why the rank of SPAN has more in RANGE than rank USUAL (an index). */
static struct finding_cause cause_of(const struct ranks *ranks, const struct span *span,
                                     size_t usual, struct range range)
{
    struct finding finding = {.corrected = ranks->look->corrected,
                              .cause = {.metric = SUMMARY_NONE, .path = SUMMARY_NONE}};
    explain_rank(&finding, ranks->look, span->rank, usual, (struct iteration_list){&range, 1});
    return finding.cause;
}

/* Adds the ranks of the spans that have nearly the same blocks as SPAN, for the same cause;
 * returns the span of those with most per iteration. */
static struct span *add_alike(struct ranks *ranks, struct finding *finding, struct span *span)
{
    const struct range range = span_range(ranks, span);
    struct span *most = span;
    double usual_value;
    const size_t usual = ranks_middle(ranks, span->first, span->end, &usual_value);
    const struct finding_cause cause = cause_of(ranks, span, usual, range);
    size_t asked = 0;
    for (size_t s = 0; s < ranks->span_count; s++) {
        struct span *other = &ranks->spans[s];
        if (other->reported || !share_blocks(span, other))
            continue;
        if (other != span && asked++ < MOST_ASKED) {
            const struct finding_cause another = cause_of(ranks, other, usual, range);
            if (!is_same_cause(ranks->look->tree, &cause, &another))
                continue;
        }
        other->reported = true;
        finding_add_rank(finding, ranks_number(ranks, other->rank));
        most = other->excess > most->excess ? other : most;
    }
    return most;
}

static void report_span(struct ranks *ranks, struct span *span)
{
    struct finding *finding = ranks_add_finding(ranks, FINDING_SLOW_RANKS);
    const struct span *most = add_alike(ranks, finding, span);
    const struct range range = span_range(ranks, most);
    const size_t usual = ranks_middle(ranks, most->first, most->end, &finding->usual);
    finding->cause = cause_of(ranks, most, usual, range);
    finding->value = ranks_mean(ranks, most->rank, most->first, most->end);
    finding_add_range(finding, range.first, range.last);
    finding->excess = (finding->value - finding->usual) * (double)finding->iteration_count;
    finding->gain = (finding->value - ranks_mean_of_all(ranks, most->first, most->end)) *
                    (double)finding->iteration_count;
}

/* The span with the largest excess that is not reported yet; NULL if there is none. */
static struct span *largest_unreported(const struct ranks *ranks)
{
    struct span *largest = NULL;
    double most = 0;
    for (size_t s = 0; s < ranks->span_count; s++) {
        struct span *span = &ranks->spans[s];
        double size = span->excess * (double)(span->end - span->first);
        if (!span->reported && size > most) {
            most = size;
            largest = span;
        }
    }
    return largest;
}

void find_slow_ranks(struct ranks *ranks)
{
    struct span *span = largest_unreported(ranks);
    for (size_t i = 0; i < MOST_FINDINGS && span; i++) {
        report_span(ranks, span);
        span = largest_unreported(ranks);
    }
}
