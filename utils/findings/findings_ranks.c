/*
 * Searches for ranks that have more to do than others, always, for a while or in turn.  See
 * findings_look.h; doc/report.md tells the rules.
 */
#include "findings/findings_look.h"

#include "base/base.h"
#include "file/file.h"
#include "findings/robust.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_SHARE   0.05 /* of an iteration that a rank has more, at least ... */
#define WORK_SHARE   0.1  /* ... and of what the middle rank has ... */
#define SPREADS      4    /* ... and as many standard deviations of ranks */
#define SHOULDERS    0.75 /* of that, in the mean: it may rise and fall slowly */
#define NOISE        5    /* standard errors that it must have more in the mean */
#define NOISE_OF_FEW 4    /* standard deviations, if it does so in few blocks */
#define FEW_BLOCKS   8
#define LEAST_BLOCKS 3 /* in a row, or 1 / SHORT_SHARE of all */
#define SHORT_SHARE  32
#define MOST_SPANS   8    /* of one rank */
#define ALWAYS       0.75 /* of the iterations: then it is called all of them */
#define MOST_TOLD    16   /* findings of ranks that do not move, in one phase */
#define MOVING_COVER 0.5  /* of the iterations that some rank stands out in, if they move */
#define NEARLY       0.8  /* of the hottest rank's, for which another is not taken yet */
#define ALIKE        0.8  /* of their iterations that ranks must share to be told together */
#define IDLE_SHARE   0.5  /* of what the middle rank has: less is idle */
#define IDLE_TIME    0.1  /* of an iteration that an idle rank has less, at least */
#define IMBALANCE    0.15 /* the least that is told */
#define LONGEST_TURN 64
#define TURN_MATCH   0.8 /* of iterations that have the same hot rank one turn later */
#define TREND_VALUES 128
#define GROWTH_TAU   0.7
#define GROWTH_Z     3.9
#define MOST_REFINED 4096 /* iterations of a block that its border is looked for in */

/* Successive blocks in which a rank stands out. */
struct span {
    size_t rank; /* index */
    size_t first, end;
    double excess; /* mean per iteration */
    bool always;
};

struct ranks {
    const struct look *look;
    struct collection *collection;
    size_t ranks, blocks;
    double *excess; /* [rank * blocks + block]: more than the middle of the others; NaN */
    double *least;  /* by block: what it takes to stand out */
    double *middle; /* by block: the middle rank's */
    double *row;    /* scratch, by rank */
    struct span *spans;
    size_t span_count;
    bool *told; /* by span */
};

static double value_at(const struct ranks *ranks, size_t rank, size_t block)
{
    return ranks->look->blocks.values[block * ranks->ranks + rank];
}

static double excess_at(const struct ranks *ranks, size_t rank, size_t block)
{
    return ranks->excess[rank * ranks->blocks + block];
}

static double block_length(const struct ranks *ranks, size_t block)
{
    const uint64_t *first = ranks->look->blocks.first;
    return (double)(first[block + 1] - first[block]);
}

/* Values of BLOCK in the row, less what ranks do not have; returns how many. */
static size_t fill_row(struct ranks *ranks, size_t block)
{
    size_t count = 0;
    for (size_t r = 0; r < ranks->ranks; r++)
        if (!isnan(value_at(ranks, r, block)))
            ranks->row[count++] = value_at(ranks, r, block);
    return count;
}

/*
 * How much more each rank has than the median of all ranks.  With two ranks it is the
 * difference to the other rank, which may be negative.
 */
static void measure_block(struct ranks *ranks, size_t block)
{
    size_t count = fill_row(ranks, block);
    double middle = NAN, high = 0, spread = 0;
    if (count > 1) {
        sort_values(ranks->row, count);
        middle = sorted_median(ranks->row, count);
        high = ranks->row[count - 1];
        spread = count > 2 ? spread_about(ranks->row, count, middle) : 0;
    }
    for (size_t r = 0; r < ranks->ranks; r++) {
        double value = value_at(ranks, r, block);
        double other = count == 2 && value == middle ? high : middle;
        ranks->excess[r * ranks->blocks + block] = value - other;
    }
    ranks->middle[block] = middle;
    ranks->least[block] = fmax(fmax(TIME_SHARE * fabs(ranks->look->mean), SPREADS * spread),
                               WORK_SHARE * fabs(middle));
}

static void open_ranks(struct ranks *ranks, struct collection *collection,
                       const struct look *look)
{
    *ranks = (struct ranks){.look = look,
                            .collection = collection,
                            .ranks = look->blocks.ranks,
                            .blocks = look->blocks.count};
    ranks->excess = allocate(ranks->ranks * ranks->blocks, sizeof *ranks->excess);
    ranks->least = allocate(ranks->blocks, sizeof *ranks->least);
    ranks->middle = allocate(ranks->blocks, sizeof *ranks->middle);
    ranks->row = allocate(ranks->ranks, sizeof *ranks->row);
    for (size_t b = 0; b < ranks->blocks; b++)
        measure_block(ranks, b);
}

static void close_ranks(struct ranks *ranks)
{
    free(ranks->excess);
    free(ranks->least);
    free(ranks->middle);
    free(ranks->row);
    free(ranks->spans);
    free(ranks->told);
}

/* By how much the excess of a rank differs from block to block: a standard deviation. */
static double noise_of(const struct ranks *ranks, size_t rank)
{
    double *changes = allocate(ranks->blocks, sizeof *changes);
    size_t count = 0;
    for (size_t b = 1; b < ranks->blocks; b++) {
        double change = excess_at(ranks, rank, b) - excess_at(ranks, rank, b - 1);
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
    double excess = excess_at(ranks, rank, block), least = ranks->least[block];
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
        double excess = excess_at(ranks, span->rank, b);
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

static void add_span(struct ranks *ranks, struct span span)
{
    ranks->spans = reallocate(ranks->spans, ranks->span_count + 1, sizeof *ranks->spans);
    ranks->spans[ranks->span_count++] = span;
}

/* The spans of RANK, found from the largest on between those found. */
static void find_spans(struct ranks *ranks, size_t rank)
{
    struct span todo[2 * MOST_SPANS + 1] = {{.end = ranks->blocks}};
    size_t left = 1, found = 0, begin = ranks->span_count;
    double noise = noise_of(ranks, rank), blocks = 0;
    while (left > 0 && found < MOST_SPANS) {
        struct span whole = todo[--left];
        struct span span = best_span(ranks, rank, whole.first, whole.end);
        if (span.first == span.end || !is_real(ranks, &span, noise))
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
            value = (isnan(value) ? 0 : value) + look->work_means[thread + i][cluster];
    }
    return value;
}

/*
 * The iteration where SPAN begins or ends: about BLOCK's first, where the rank begins, or
 * ceases, to have half of its excess.
 */
static uint64_t refine(const struct ranks *ranks, const struct span *span, size_t block,
                       bool begins)
{
    const uint64_t *first = ranks->look->blocks.first;
    size_t low = block > 0 ? block - 1 : 0, high = block < ranks->blocks ? block + 1 : block;
    uint64_t from = first[low], to = first[high], best = first[block];
    size_t thread = 0;
    if (to - from > MOST_REFINED || block == (begins ? 0 : ranks->blocks) || to - from <= 2)
        return best;
    for (size_t r = 0; r < span->rank; r++)
        thread += ranks->look->selection->ranks[r].count;
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

static struct range range_of(const struct ranks *ranks, const struct span *span)
{
    uint64_t end = refine(ranks, span, span->end, false);
    return (struct range){refine(ranks, span, span->first, true), end - 1};
}

static uint32_t rank_number(const struct ranks *ranks, size_t rank)
{
    return ranks->look->selection->ranks[rank].rank;
}

/* The mean of RANK over blocks FIRST to before END, by iterations; NaN without any. */
static double mean_between(const struct ranks *ranks, size_t rank, size_t first, size_t end)
{
    double sum = 0, length = 0;
    for (size_t b = first; b < end; b++) {
        double value = value_at(ranks, rank, b);
        if (isnan(value))
            continue;
        sum += value * block_length(ranks, b);
        length += block_length(ranks, b);
    }
    return length > 0 ? sum / length : NAN;
}

/* The rank whose mean over the blocks is in the middle; its mean is *VALUE. */
static size_t middle_rank(struct ranks *ranks, size_t first, size_t end, double *value)
{
    size_t count = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        double mean = mean_between(ranks, r, first, end);
        if (!isnan(mean))
            ranks->row[count++] = mean;
    }
    *value = count ? median_of(ranks->row, count) : 0;
    for (size_t r = 0; r < ranks->ranks; r++)
        if (mean_between(ranks, r, first, end) == *value)
            return r;
    return 0;
}

static struct finding *add_finding(struct ranks *ranks, enum finding_kind kind)
{
    struct finding *finding = collection_add(ranks->collection, ranks->look, kind);
    finding->metric = ranks->look->work;
    return finding;
}

static bool share_blocks(const struct span *a, const struct span *b)
{
    size_t first = a->first > b->first ? a->first : b->first;
    size_t end = a->end < b->end ? a->end : b->end;
    size_t most_a = a->end - a->first, most_b = b->end - b->first;
    size_t longer = most_a > most_b ? most_a : most_b;
    return end > first && (double)(end - first) >= ALIKE * (double)longer;
}

/* Reports a span, together with all others that have nearly the same blocks. */
static void tell_span(struct ranks *ranks, const struct span *span)
{
    const struct span *most = span;
    struct finding *finding = add_finding(ranks, FINDING_SLOW_RANKS);
    for (size_t s = 0; s < ranks->span_count; s++) {
        const struct span *other = &ranks->spans[s];
        if (ranks->told[s] || !share_blocks(span, other))
            continue;
        ranks->told[s] = true;
        finding_add_rank(finding, rank_number(ranks, other->rank));
        most = other->excess > most->excess ? other : most;
    }
    struct range range = range_of(ranks, most);
    size_t usual = middle_rank(ranks, most->first, most->end, &finding->usual);
    finding->value = mean_between(ranks, most->rank, most->first, most->end);
    finding_add_range(finding, range.first, range.last);
    finding->excess = (finding->value - finding->usual) * (double)finding->iteration_count;
    explain_rank(finding, ranks->look, most->rank, usual, (struct iteration_list){&range, 1});
}

/* The span with the largest excess that is not reported yet; NULL if there is none. */
static const struct span *largest_untold(const struct ranks *ranks)
{
    const struct span *largest = NULL;
    double most = 0;
    for (size_t s = 0; s < ranks->span_count; s++) {
        const struct span *span = &ranks->spans[s];
        double size = span->excess * (double)(span->end - span->first);
        if (!ranks->told[s] && size > most) {
            most = size;
            largest = span;
        }
    }
    return largest;
}

/* The span that has most in BLOCK of those that are not always; NULL: none. */
static const struct span *hottest_span(const struct ranks *ranks, size_t block)
{
    const struct span *best = NULL;
    double most = -INFINITY;
    for (size_t s = 0; s < ranks->span_count; s++) {
        const struct span *span = &ranks->spans[s];
        if (span->always || block < span->first || block >= span->end)
            continue;
        double excess = excess_at(ranks, span->rank, block);
        if (excess > most) {
            most = excess;
            best = span;
        }
    }
    return best;
}

static void add_part(struct finding *finding, uint32_t rank, uint64_t first, uint64_t last)
{
    struct finding_part *before =
        finding->part_count ? &finding->parts[finding->part_count - 1] : NULL;
    if (before && before->rank == rank && before->iterations.last + 1 == first) {
        before->iterations.last = last;
        return;
    }
    if (finding->part_count == FINDING_MOST_RANGES)
        return;
    finding->parts =
        reallocate(finding->parts, finding->part_count + 1, sizeof *finding->parts);
    finding->parts[finding->part_count++] = (struct finding_part){rank, {first, last}};
}

/* The distinct ranks of a finding's parts, in ascending order. */
static void list_ranks(struct finding *finding, size_t ranks, const struct selection *selection)
{
    for (size_t r = 0; r < ranks; r++)
        for (size_t p = 0; p < finding->part_count; p++)
            if (finding->parts[p].rank == selection->ranks[r].rank) {
                finding_add_rank(finding, selection->ranks[r].rank);
                break;
            }
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
    return after > 0 && (double)covered >= MOVING_COVER * (double)ranks->blocks;
}

/* The hottest span of BLOCK; the one that was hottest BEFORE is kept as long as it nearly is.
 */
static const struct span *hot_or_nearly(const struct ranks *ranks, const struct span *before,
                                        size_t block)
{
    const struct span *span = hottest_span(ranks, block);
    if (span && before && block < before->end &&
        excess_at(ranks, before->rank, block) >= NEARLY * excess_at(ranks, span->rank, block))
        return before;
    return span;
}

static void tell_moving(struct ranks *ranks)
{
    struct finding *finding = add_finding(ranks, FINDING_MOVING_RANK);
    const uint64_t *first = ranks->look->blocks.first;
    double usual = 0, iterations = 0;
    struct span most = {0};
    const struct span *before = NULL;
    for (size_t b = 0; b < ranks->blocks; b++) {
        const struct span *span = hot_or_nearly(ranks, before, b);
        if (!span)
            continue;
        most = span->excess > most.excess ? *span : most;
        /* Of a block that two share, the other may have had the first half. */
        bool begins = span != before && b <= span->first + 1;
        uint64_t from = begins ? refine(ranks, span, span->first, true) : first[b];
        uint64_t end = b + 1 == span->end ? refine(ranks, span, b + 1, false) : first[b + 1];
        struct finding_part *last =
            finding->part_count ? &finding->parts[finding->part_count - 1] : NULL;
        if (last && last->iterations.last >= from)
            from = last->iterations.last + 1;
        before = span;
        if (from >= end)
            continue;
        add_part(finding, rank_number(ranks, span->rank), from, end - 1);
        finding_add_range(finding, from, end - 1);
        finding->excess += excess_at(ranks, span->rank, b) * (double)(end - from);
        usual += ranks->middle[b] * (double)(end - from);
        iterations += (double)(end - from);
    }
    for (size_t s = 0; s < ranks->span_count; s++)
        ranks->told[s] |= !ranks->spans[s].always;
    list_ranks(finding, ranks->ranks, ranks->look->selection);
    finding->usual = iterations > 0 ? usual / iterations : 0;
    finding->value = finding->usual + (iterations > 0 ? finding->excess / iterations : 0);
    double middle;
    struct range range = range_of(ranks, &most);
    size_t other = middle_rank(ranks, most.first, most.end, &middle);
    explain_rank(finding, ranks->look, most.rank, other, (struct iteration_list){&range, 1});
}

static void find_slow(struct ranks *ranks)
{
    for (size_t r = 0; r < ranks->ranks; r++)
        find_spans(ranks, r);
    ranks->told = allocate(ranks->span_count, sizeof *ranks->told);
    if (is_moving(ranks))
        tell_moving(ranks);
    for (size_t told = 0; told < MOST_TOLD; told++) {
        const struct span *span = largest_untold(ranks);
        if (!span)
            break;
        tell_span(ranks, span);
    }
}

/* The share of iterations whose hot rank is the same TURN iterations later. */
static double match_of(const struct blocks *blocks, size_t turn)
{
    size_t same = 0;
    for (size_t i = turn; i < blocks->hot_count; i++)
        same += blocks->hot[i] == blocks->hot[i - turn] && blocks->hot[i] != SUMMARY_NONE;
    return (double)same / (double)(blocks->hot_count - turn);
}

/* The shortest turn after which the same ranks are hot again; 0: none, or always the same. */
static size_t find_turn(const struct blocks *blocks)
{
    if (!blocks->hot || match_of(blocks, 1) >= TURN_MATCH)
        return 0;
    for (size_t turn = 2; turn <= LONGEST_TURN && 4 * turn <= blocks->hot_count; turn++)
        if (match_of(blocks, turn) >= TURN_MATCH)
            return turn;
    return 0;
}

static void find_turns(struct ranks *ranks)
{
    const struct look *look = ranks->look;
    const struct blocks *blocks = &look->blocks;
    size_t turn = find_turn(blocks);
    if (turn == 0)
        return;
    double *leads = allocate(blocks->hot_count, sizeof *leads), sum = 0;
    memcpy(leads, blocks->lead, blocks->hot_count * sizeof *leads);
    for (size_t i = 0; i < blocks->hot_count; i++)
        sum += leads[i];
    bool worth = median_of(leads, blocks->hot_count) >= TIME_SHARE * fabs(look->mean);
    free(leads);
    if (!worth)
        return;
    struct finding *finding = add_finding(ranks, FINDING_MOVING_RANK);
    finding->period = turn;
    for (size_t i = 0; i < 2 * turn; i++)
        if (blocks->hot[i] != SUMMARY_NONE)
            add_part(finding, rank_number(ranks, blocks->hot[i]), look->first + i,
                     look->first + i);
    list_ranks(finding, ranks->ranks, look->selection);
    finding_add_range(finding, look->first, look->first + look->count - 1);
    finding->excess = sum;
    middle_rank(ranks, 0, ranks->blocks, &finding->usual);
    finding->value = finding->usual + sum / (double)look->count;
}

/* Least, mean and most of ranks over some blocks. */
struct extent {
    double min, mean, max;
    size_t count;
};

static struct extent extent_between(const struct ranks *ranks, size_t first, size_t end)
{
    struct extent extent = {INFINITY, 0, -INFINITY, 0};
    for (size_t r = 0; r < ranks->ranks; r++) {
        double mean = mean_between(ranks, r, first, end);
        if (isnan(mean))
            continue;
        extent.count++;
        extent.mean += mean;
        extent.min = fmin(extent.min, mean);
        extent.max = fmax(extent.max, mean);
    }
    extent.mean = extent.count ? extent.mean / (double)extent.count : 0;
    return extent;
}

static double imbalance_between(const struct ranks *ranks, size_t first, size_t end)
{
    struct extent extent = extent_between(ranks, first, end);
    return imbalance_is_known(extent.min, extent.max, extent.count)
               ? (double)imbalance_of(extent.mean, extent.max, extent.count)
               : 0;
}

/* Finds work that is always distributed in the same unequal way, without one rank that stands
 * out. */
static void find_imbalance(struct ranks *ranks)
{
    struct extent all = extent_between(ranks, 0, ranks->blocks),
                  early = extent_between(ranks, 0, ranks->blocks / 2),
                  late = extent_between(ranks, ranks->blocks / 2, ranks->blocks);
    double more = all.max - all.mean;
    if (imbalance_between(ranks, 0, ranks->blocks) < IMBALANCE ||
        more < TIME_SHARE * fabs(ranks->look->mean) || early.count < 2 || late.count < 2)
        return;
    /* Chance does not choose the same ranks twice. */
    double common = 0, early_square = 0, late_square = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        double a = mean_between(ranks, r, 0, ranks->blocks / 2) - early.mean;
        double b = mean_between(ranks, r, ranks->blocks / 2, ranks->blocks) - late.mean;
        if (isnan(a) || isnan(b))
            continue;
        common += a * b;
        early_square += a * a;
        late_square += b * b;
    }
    if (all.count < 4 || common < 0.7 * sqrt(early_square * late_square))
        return;
    struct finding *finding = add_finding(ranks, FINDING_IMBALANCE);
    finding->value = imbalance_between(ranks, 0, ranks->blocks);
    finding->excess = more * (double)ranks->look->count;
    size_t most = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        double mean = mean_between(ranks, r, 0, ranks->blocks);
        if (mean >= all.mean + more / 2)
            finding_add_rank(finding, rank_number(ranks, r));
        if (mean == all.max)
            most = r;
    }
    struct range range = {ranks->look->first, ranks->look->first + ranks->look->count - 1};
    finding_add_range(finding, range.first, range.last);
    double middle;
    size_t other = middle_rank(ranks, 0, ranks->blocks, &middle);
    explain_rank(finding, ranks->look, most, other, (struct iteration_list){&range, 1});
}

static void find_growth(struct ranks *ranks)
{
    double values[TREND_VALUES];
    size_t count = ranks->blocks < TREND_VALUES ? ranks->blocks : TREND_VALUES;
    if (count < 10)
        return;
    for (size_t i = 0; i < count; i++) {
        struct extent extent =
            extent_between(ranks, ranks->blocks * i / count, ranks->blocks * (i + 1) / count);
        values[i] = extent.count > 1 ? extent.max - extent.mean : 0;
    }
    struct trend trend = trend_of(values, count);
    size_t tenth = count / 10;
    double first = median_of(values, tenth), last = median_of(values + count - tenth, tenth);
    if (trend.tau < GROWTH_TAU || trend.z < GROWTH_Z ||
        last - first < TIME_SHARE * fabs(ranks->look->mean))
        return;
    struct finding *finding = add_finding(ranks, FINDING_GROWING_IMBALANCE);
    size_t tenth_blocks = ranks->blocks / 10;
    finding->usual = imbalance_between(ranks, 0, tenth_blocks);
    finding->value = imbalance_between(ranks, ranks->blocks - tenth_blocks, ranks->blocks);
    finding->excess = (last - first) / 2 * (double)ranks->look->count;
    finding_add_range(finding, ranks->look->first, ranks->look->first + ranks->look->count - 1);
}

/* Whether RANK has much less to do than the MIDDLE one; its mean is *MEAN. */
static bool is_idle(const struct ranks *ranks, size_t rank, double middle, double *mean)
{
    *mean = mean_between(ranks, rank, 0, ranks->blocks);
    return *mean < IDLE_SHARE * middle && middle - *mean >= IDLE_TIME * fabs(ranks->look->mean);
}

/* Finds ranks with much less to do than others, such as one that only distributes work. */
static void find_idle(struct ranks *ranks)
{
    const struct look *look = ranks->look;
    double middle, mean, least = INFINITY;
    size_t other = middle_rank(ranks, 0, ranks->blocks, &middle), most = 0, count = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        if (!is_idle(ranks, r, middle, &mean))
            continue;
        count++;
        if (mean < least) {
            least = mean;
            most = r;
        }
    }
    if (count == 0 || count > ranks->ranks / 4)
        return;
    struct finding *finding = add_finding(ranks, FINDING_IDLE_RANKS);
    struct range range = {look->first, look->first + look->count - 1};
    for (size_t r = 0; r < ranks->ranks; r++)
        if (is_idle(ranks, r, middle, &mean))
            finding_add_rank(finding, rank_number(ranks, r));
    finding->value = least;
    finding->usual = middle;
    finding->excess = (middle - least) * (double)look->count;
    finding_add_range(finding, range.first, range.last);
    explain_rank(finding, look, other, most, (struct iteration_list){&range, 1});
}

void find_ranks(struct collection *collection, const struct look *look)
{
    struct ranks ranks;
    size_t before = collection->count;
    if (look->blocks.ranks < 2)
        return;
    open_ranks(&ranks, collection, look);
    find_slow(&ranks);
    if (collection->count == before)
        find_turns(&ranks);
    if (collection->count == before)
        find_imbalance(&ranks);
    find_growth(&ranks);
    find_idle(&ranks);
    close_ranks(&ranks);
}
