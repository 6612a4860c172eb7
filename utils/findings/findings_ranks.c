/*
 * Searches for ranks that have more or less to do than others: measures what each has more than
 * the others, then calls one search after another.  See findings_look.h; doc/report.md tells
 * the rules.
 */
#include "findings/findings_ranks.h"

#include "base/base.h"
#include "statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

/* What a rank must have more than the middle one in order to stand out, besides
 * RANKS_TIME_SHARE. */
#define WORK_SHARE 0.1 /* of what the middle rank has */
#define SPREADS    4   /* standard deviations of ranks */

double ranks_value(const struct ranks *ranks, size_t rank, size_t block)
{
    return ranks->look->blocks.values[block * ranks->ranks + rank];
}

double ranks_excess(const struct ranks *ranks, size_t rank, size_t block)
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
        if (!isnan(ranks_value(ranks, r, block)))
            ranks->row[count++] = ranks_value(ranks, r, block);
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
        double value = ranks_value(ranks, r, block);
        double other = count == 2 && value == middle ? high : middle;
        ranks->excess[r * ranks->blocks + block] = value - other;
    }
    ranks->middle[block] = middle;
    ranks->least[block] =
        fmax(fmax(RANKS_TIME_SHARE * fabs(ranks->look->mean), SPREADS * spread),
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
    for (size_t r = 0; r < ranks->ranks; r++)
        spans_find(ranks, r);
}

static void close_ranks(struct ranks *ranks)
{
    free(ranks->excess);
    free(ranks->least);
    free(ranks->middle);
    free(ranks->row);
    free(ranks->spans);
}

uint32_t ranks_number(const struct ranks *ranks, size_t rank)
{
    return ranks->look->selection->ranks[rank].rank;
}

double ranks_mean(const struct ranks *ranks, size_t rank, size_t first, size_t end)
{
    double sum = 0, length = 0;
    for (size_t b = first; b < end; b++) {
        double value = ranks_value(ranks, rank, b);
        if (isnan(value))
            continue;
        sum += value * block_length(ranks, b);
        length += block_length(ranks, b);
    }
    return length > 0 ? sum / length : NAN;
}

double ranks_mean_of_all(const struct ranks *ranks, size_t first, size_t end)
{
    double sum = 0;
    size_t count = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        const double mean = ranks_mean(ranks, r, first, end);
        if (isnan(mean))
            continue;
        sum += mean;
        count++;
    }
    return count ? sum / (double)count : 0;
}

size_t ranks_middle(struct ranks *ranks, size_t first, size_t end, double *value)
{
    size_t count = 0;
    for (size_t r = 0; r < ranks->ranks; r++) {
        double mean = ranks_mean(ranks, r, first, end);
        if (!isnan(mean))
            ranks->row[count++] = mean;
    }
    *value = count ? median_of(ranks->row, count) : 0;
    for (size_t r = 0; r < ranks->ranks; r++)
        if (ranks_mean(ranks, r, first, end) == *value)
            return r;
    return 0;
}

struct range ranks_iterations(const struct ranks *ranks)
{
    const struct look *look = ranks->look;
    return (struct range){look->first, look->first + look->count - 1};
}

struct finding *ranks_add_finding(struct ranks *ranks, enum finding_kind kind)
{
    struct finding *finding = collection_add(ranks->collection, ranks->look, kind);
    finding->metric = ranks->look->work;
    return finding;
}

void finding_add_part(struct finding *finding, uint32_t rank, uint64_t first, uint64_t last)
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

void finding_add_ranks_of_parts(struct finding *finding, const struct ranks *ranks)
{
    for (size_t r = 0; r < ranks->ranks; r++)
        for (size_t p = 0; p < finding->part_count; p++)
            if (finding->parts[p].rank == ranks_number(ranks, r)) {
                finding_add_rank(finding, ranks_number(ranks, r));
                break;
            }
}

/* What is searched for, in this order. */
static const struct {
    void (*find)(struct ranks *ranks);
    bool as_a_last_resort; /* only if nothing has been found before */
} searches[] = {
    {find_turns, false},    {find_moving_rank, true},        {find_slow_ranks, false},
    {find_imbalance, true}, {find_growing_imbalance, false}, {find_idle_ranks, false},
};

void find_ranks(struct collection *collection, const struct look *look)
{
    struct ranks ranks;
    size_t before = collection->count;
    if (look->blocks.ranks < 2)
        return;
    open_ranks(&ranks, collection, look);
    for (size_t i = 0; i < sizeof searches / sizeof searches[0]; i++)
        if (!searches[i].as_a_last_resort || collection->count == before)
            searches[i].find(&ranks);
    close_ranks(&ranks);
}
