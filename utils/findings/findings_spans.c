/*
 * Spans: successive blocks in which a rank stands out, and the iterations in which they begin
 * and end.  See findings_ranks.h.
 */
#include "findings/findings_ranks.h"

#include "base/base.h"
#include "file/file.h"
#include "findings/findings_means.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

#define SHOULDERS    0.75 /* of what it takes to stand out, in the mean: a slow rise and fall */
#define NOISE        5    /* standard errors of the mean that the excess must reach */
#define NOISE_OF_FEW 4    /* standard deviations, in a span of fewer than FEW_BLOCKS */
#define FEW_BLOCKS   8
#define LEAST_BLOCKS 3 /* of a span, or 1 / SHORT_SHARE of all if that is more */
#define SHORT_SHARE  32
#define OFTEN        0.75 /* of the iterations in which something is possible: then it is so */
#define CERTAIN      0.3  /* of the excess, where times are corrected and well known */
#define TIGHT        0.9  /* they are: the least that is possible is so much of the most */
#define AS_MUCH      0.75 /* of the share of time without a processor: ranks lack it alike */
#define LEAST_UNSURE 32   /* iterations that tell, if they are not */
#define MOST_SPANS   8    /* of one rank */
#define ALWAYS       0.75 /* of the blocks: a rank that stands out in so many always does */
#define MOST_REFINED 4096 /* iterations among which a border is looked for */

/* By how much the excess of a rank differs from block to block: a standard deviation. */
static double noise_of(const struct ranks *ranks, size_t rank)
{
    double *changes = allocate(ranks->blocks, sizeof *changes);
    size_t count = 0;
    for (size_t b = 1; b < ranks->blocks; b++) {
        double change = ranks_excess(ranks, rank, b) - ranks_excess(ranks, rank, b - 1);
        if (!isnan(change))
            changes[count++] = change;
    }
    double noise = change_spread(changes, count);
    free(changes);
    return noise;
}

/* The evidence of BLOCK for the rank: at most 1, so that one block alone is not enough. */
static double score(const struct ranks *ranks, size_t rank, size_t block)
{
    double excess = ranks_excess(ranks, rank, block), least = ranks->least[block];
    if (isnan(excess) || least <= 0)
        return -0.5;
    double ratio = excess / least;
    return (ratio > 1 ? 1 : ratio < 0 ? 0 : ratio) - 0.5;
}

/* The successive blocks among FIRST to END - 1 with the most evidence for RANK (Kadane's
 * algorithm). */
static struct span best_span(const struct ranks *ranks, size_t rank, size_t first, size_t end)
{
    struct span best = {.rank = rank, .first = first, .end = first};
    double sum = 0, most = 0;
    size_t begin = first;
    for (size_t b = first; b < end; b++) {
        if (sum <= 0) {
            sum = 0;
            begin = b;
        }
        sum += score(ranks, rank, b);
        if (sum > most) {
            most = sum;
            best.first = begin;
            best.end = b + 1;
        }
    }
    return best;
}

/* Whether the rank stands out in SPAN, other than by chance; sets its mean excess. */
static bool is_real(const struct ranks *ranks, struct span *span, double noise)
{
    size_t length = span->end - span->first, least = ranks->blocks / SHORT_SHARE, having = 0;
    double sum = 0, limit = 0;
    for (size_t b = span->first; b < span->end; b++) {
        double excess = ranks_excess(ranks, span->rank, b);
        if (isnan(excess))
            continue;
        having++;
        sum += excess;
        limit += ranks->least[b];
    }
    span->excess = having ? sum / (double)having : 0;
    /* Few blocks in a row are easily found somewhere. */
    double errors = having < FEW_BLOCKS ? NOISE_OF_FEW : NOISE / sqrt((double)having);
    return length >= (least > LEAST_BLOCKS ? least : LEAST_BLOCKS) &&
           sum >= SHOULDERS * limit && span->excess >= errors * noise;
}

static double level_of(const double *values, size_t first, size_t end, double share)
{
    double *sorted = allocate(end - first, sizeof *sorted);
    size_t count = 0;
    for (size_t p = first; p < end; p++)
        if (!isnan(values[p]))
            sorted[count++] = values[p];
    sort_values(sorted, count);
    const double level = count ? sorted_quantile(sorted, count, share) : NAN;
    free(sorted);
    return level;
}

/* The first point that is not before ITERATION. */
static size_t point_at(const struct points *points, uint64_t iteration)
{
    size_t low = 0, high = points->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (points->at[middle] < iteration)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a rank does itself in some iterations, where times are corrected. */
struct level {
    double low, high;       /* it may have been least and most, in a quarter of them each */
    double rather, or_less; /* it was rather, in three quarters of them, at least or at most */
};

static struct level level_in(const struct look *look, size_t rank, size_t from, size_t to)
{
    const struct own own = look_own(look, rank);
    return (struct level){
        level_of(own.low, from, to, OFTEN), level_of(own.high, from, to, 1 - OFTEN),
        level_of(own.rather, from, to, 1 - OFTEN), level_of(own.rather, from, to, OFTEN)};
}

/* Whether what a rank does is nearly known. */
static bool is_tight(const struct level *level)
{
    return level->low >= TIGHT * level->high;
}

/* The number of the first selected thread of RANK. */
static size_t first_thread(const struct look *look, size_t rank)
{
    size_t thread = 0;
    for (size_t r = 0; r < rank; r++)
        thread += look->selection->ranks[r].count;
    return thread;
}

/* The share of its time for which RANK had no processor in RANGE. */
static double lacking(const struct look *look, size_t rank, const struct range *range)
{
    const struct iteration_list list = {range, 1};
    const size_t thread = first_thread(look, rank);
    const double time = mean_of_rank(look, look->metric_means, thread, rank, list);
    return time > 0 ? mean_of_rank(look, look->preempted_means, thread, rank, list) / time : 0;
}

/* Whether two ranks had no processor for about the same share of iterations FIRST to before
 * END: then both always wanted one, also while they waited, and lost it in their own work and
 * in waiting alike. */
static bool lack_alike(const struct look *look, size_t a, size_t b, uint64_t first,
                       uint64_t end)
{
    const struct range range = {first, end - 1};
    const double of_a = lacking(look, a, &range), of_b = lacking(look, b, &range);
    return fmin(of_a, of_b) > 0 && fmin(of_a, of_b) >= AS_MUCH * fmax(of_a, of_b);
}

bool ranks_differ(const struct ranks *ranks, size_t more, size_t less, size_t first, size_t end,
                  double excess)
{
    const struct look *look = ranks->look;
    if (!look->own.value)
        return true;
    const size_t from = point_at(&look->points, look->blocks.first[first]),
                 to = point_at(&look->points, look->blocks.first[end]);
    if (from >= to)
        return false;
    const struct level high = level_in(look, more, from, to),
                       low = level_in(look, less, from, to);
    if (is_tight(&high) &&
        (is_tight(&low) ||
         !lack_alike(look, more, less, look->blocks.first[first], look->blocks.first[end])))
        return high.low - low.high >= CERTAIN * excess;
    return to - from >= LEAST_UNSURE && high.rather > low.or_less;
}

/* Whether what RANK has more in SPAN is certain where times are corrected. */
static bool is_certain(struct ranks *ranks, const struct span *span)
{
    double value;
    if (!ranks->look->own.value)
        return true;
    size_t other = ranks_middle(ranks, span->first, span->end, &value);
    for (size_t r = 0; r < ranks->ranks && other == span->rank && ranks->ranks == 2; r++)
        other = r == span->rank ? other : r;
    return ranks_differ(ranks, span->rank, other, span->first, span->end, span->excess);
}

static void add_span(struct ranks *ranks, struct span span)
{
    ranks->spans = reallocate(ranks->spans, ranks->span_count + 1, sizeof *ranks->spans);
    ranks->spans[ranks->span_count++] = span;
}

/* Each next span lies between those that were found before. */
void spans_find(struct ranks *ranks, size_t rank)
{
    struct span todo[2 * MOST_SPANS + 1] = {{.end = ranks->blocks}};
    size_t left = 1, found = 0, begin = ranks->span_count;
    double noise = noise_of(ranks, rank), blocks = 0;
    while (left > 0 && found < MOST_SPANS) {
        struct span whole = todo[--left];
        struct span span = best_span(ranks, rank, whole.first, whole.end);
        if (span.first == span.end || !is_real(ranks, &span, noise) ||
            !is_certain(ranks, &span))
            continue;
        add_span(ranks, span);
        found++;
        blocks += (double)(span.end - span.first);
        todo[left++] = (struct span){.first = whole.first, .end = span.first};
        todo[left++] = (struct span){.first = span.end, .end = whole.end};
    }
    if (blocks < ALWAYS * (double)ranks->blocks)
        return;
    struct span always = {.rank = rank, .end = ranks->blocks, .always = true};
    is_real(ranks, &always, 0);
    ranks->span_count = begin;
    add_span(ranks, always);
}

/* Of rank R, whose first selected thread is number THREAD; NaN if it has none. */
static double rank_value(const struct look *look, size_t r, size_t thread, uint64_t iteration)
{
    double value = NAN;
    for (size_t i = 0; i < look->selection->ranks[r].count; i++) {
        const struct series *series = look_series(look, r, i);
        uint32_t cluster = series ? series_cluster(series, iteration) : SUMMARY_NONE;
        if (cluster != SUMMARY_NONE)
            value = (isnan(value) ? 0 : value) + look->own_means[thread + i][cluster];
    }
    return value;
}

uint64_t span_border(const struct ranks *ranks, const struct span *span, size_t block,
                     bool begins)
{
    const uint64_t *first = ranks->look->blocks.first;
    size_t low = block > 0 ? block - 1 : 0, high = block < ranks->blocks ? block + 1 : block;
    uint64_t from = first[low], to = first[high], best = first[block];
    if (to - from > MOST_REFINED || block == (begins ? 0 : ranks->blocks) || to - from <= 2)
        return best;
    const size_t thread = first_thread(ranks->look, span->rank);
    double sum = 0, most = -INFINITY;
    for (uint64_t i = from; i <= to; i++) {
        if (sum > most) {
            most = sum;
            best = i;
        }
        if (i == to)
            break;
        size_t of = i < first[block] ? low : block;
        double middle = ranks->middle[of < ranks->blocks ? of : ranks->blocks - 1];
        double more =
            rank_value(ranks->look, span->rank, thread, i) - middle - span->excess / 2;
        if (!isnan(more))
            sum += begins ? -more : more;
    }
    return best;
}

struct range span_range(const struct ranks *ranks, const struct span *span)
{
    uint64_t end = span_border(ranks, span, span->end, false);
    return (struct range){span_border(ranks, span, span->first, true), end - 1};
}
