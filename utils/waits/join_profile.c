/* One iteration out of a cluster, with its waiting.  See join_parts.h. */
#include "waits/join_parts.h"

#include <stdlib.h>

/* A value of the cluster, and what of it the iteration has. */
struct share {
    uint32_t class, metric, node;
    int64_t value, part;
    int64_t left; /* of the part, after waiting was taken from it */
};

/* What the trace has of METRIC, a metric of the run, on call paths of CLASS: NEW_METRIC is the
 * part of it that is meant, SUMMARY_NONE its own. */
struct claim {
    uint32_t class, metric, new_metric;
    int64_t value;
};

struct sharing {
    struct join *join;
    struct share *shares; /* by class, metric and node */
    size_t share_count;
    struct claim *claims; /* by class, metric and new metric */
    size_t claim_count;
    struct cell *added; /* waiting, and what it is taken from; in no order */
    size_t added_count, added_room;
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    if (one->class != other->class)
        return one->class < other->class ? -1 : 1;
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

static int compare_claims(const void *a, const void *b)
{
    const struct claim *one = a, *other = b;
    if (one->class != other->class)
        return one->class < other->class ? -1 : 1;
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    return one->new_metric < other->new_metric ? -1 : one->new_metric > other->new_metric;
}

static int compare_cells(const void *a, const void *b)
{
    const struct cell *one = a, *other = b;
    if (one->node != other->node)
        return one->node < other->node ? -1 : 1;
    return one->metric < other->metric ? -1 : one->metric > other->metric;
}

/* VALUE * PART / WHOLE, PART being no more than WHOLE. */
static int64_t scaled(int64_t value, int64_t part, int64_t whole)
{
    return (int64_t)((__int128)value * part / whole);
}

static void list_shares(struct sharing *sharing, const struct profile *whole, uint64_t size)
{
    sharing->shares = allocate(whole->count + 1, sizeof *sharing->shares);
    for (size_t i = 0; i < whole->count; i++) {
        const struct cell *cell = &whole->cells[i];
        sharing->shares[sharing->share_count++] =
            (struct share){sharing->join->class_of[cell->node],
                           cell->metric,
                           cell->node,
                           cell->value,
                           cell->value / (int64_t)size,
                           0};
    }
    if (whole->count > 1)
        qsort(sharing->shares, whole->count, sizeof *sharing->shares, compare_shares);
}

static void list_claims(struct sharing *sharing, const struct profile *from)
{
    const struct join *join = sharing->join;
    sharing->claims = allocate(from->count + 1, sizeof *sharing->claims);
    for (size_t i = 0; i < from->count; i++) {
        const struct join_metric *metric = &join->metrics[from->cells[i].metric];
        sharing->claims[sharing->claim_count++] = (struct claim){
            join->wait_class_of[from->cells[i].node], metric->whole,
            metric->is_new ? metric->number : SUMMARY_NONE, from->cells[i].value};
    }
    if (from->count > 1)
        qsort(sharing->claims, from->count, sizeof *sharing->claims, compare_claims);
}

/* The shares of one class and metric. */
struct group {
    struct share *list;
    size_t count;
};

static int64_t sum_of_values(struct group group)
{
    int64_t sum = 0;
    for (size_t i = 0; i < group.count; i++)
        sum += group.list[i].value > 0 ? group.list[i].value : 0;
    return sum;
}

static int64_t sum_of_parts(struct group group)
{
    int64_t sum = 0;
    for (size_t i = 0; i < group.count; i++)
        sum += group.list[i].part > 0 ? group.list[i].part : 0;
    return sum;
}

/* The iteration has WANTED of the group, or all of it. */
static void take_from(struct group group, int64_t wanted)
{
    const int64_t all = sum_of_values(group);
    if (wanted < 0)
        wanted = 0;
    for (size_t i = 0; i < group.count; i++)
        if (group.list[i].value > 0)
            group.list[i].part =
                wanted >= all ? group.list[i].value : scaled(group.list[i].value, wanted, all);
}

static struct group find_group(const struct sharing *sharing, uint32_t class, uint32_t metric)
{
    size_t low = 0, high = sharing->share_count, end;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct share *share = &sharing->shares[middle];
        if (share->class < class || (share->class == class && share->metric < metric))
            low = middle + 1;
        else
            high = middle;
    }
    for (end = low; end < sharing->share_count && sharing->shares[end].class == class &&
                    sharing->shares[end].metric == metric;)
        end++;
    return (struct group){&sharing->shares[low], end - low};
}

/* How many claims, from AT on, are of the same class and metric. */
static size_t same_claims(const struct sharing *sharing, size_t at)
{
    size_t end = at;
    while (end < sharing->claim_count &&
           sharing->claims[end].class == sharing->claims[at].class &&
           sharing->claims[end].metric == sharing->claims[at].metric)
        end++;
    return end - at;
}

/* What an iteration computed is known in all, and shown where its cluster computes. */
static void share_computation(struct sharing *sharing, int64_t wanted)
{
    const struct join *join = sharing->join;
    int64_t all = 0;
    for (size_t i = 0; i < sharing->share_count; i++) {
        const struct share *share = &sharing->shares[i];
        if (join->is_time[share->metric] && !join->is_mpi[share->metric])
            all += share->value > 0 ? share->value : 0;
    }
    for (size_t i = 0; i < sharing->share_count; i++) {
        struct share *share = &sharing->shares[i];
        if (join->is_time[share->metric] && !join->is_mpi[share->metric] && share->value > 0)
            share->part = wanted >= all ? share->value : scaled(share->value, wanted, all);
    }
}

/* The times of the iteration are those of the trace.  What measuring cost is not in there by
 * itself: it lies in what was computed. */
static void share_times(struct sharing *sharing)
{
    const struct join *join = sharing->join;
    int64_t computed = 0;
    for (size_t i = 0; i < sharing->share_count; i++) {
        const struct share *share = &sharing->shares[i];
        if (join->is_mpi[share->metric])
            sharing->shares[i].part = 0;
        else if (join->is_wall[share->metric] && !join->is_time[share->metric])
            computed -= share->part;
    }
    for (size_t at = 0, count; at < sharing->claim_count; at += count) {
        const struct claim *claim = &sharing->claims[at];
        int64_t sum = 0;
        count = same_claims(sharing, at);
        for (size_t i = 0; i < count; i++)
            sum += claim[i].value;
        if (claim->metric == SUMMARY_NONE)
            continue;
        if (join->is_mpi[claim->metric])
            take_from(find_group(sharing, claim->class, claim->metric), sum);
        else if (join->is_time[claim->metric])
            computed += sum;
    }
    share_computation(sharing, computed > 0 ? computed : 0);
}

static void add_cell(struct sharing *sharing, uint32_t node, uint32_t metric, int64_t value)
{
    if (value == 0)
        return;
    sharing->added = grow_list(sharing->added, sharing->added_count, &sharing->added_room,
                               sizeof *sharing->added);
    sharing->added[sharing->added_count++] = (struct cell){node, metric, value};
}

/* Moves VALUE, as far as SHARE has it, to what CLAIM is; returns how much that was. */
static int64_t move(struct sharing *sharing, struct share *share, const struct claim *claim,
                    int64_t value)
{
    const int64_t moved = value < share->left ? value : share->left;
    if (moved <= 0)
        return 0;
    share->left -= moved;
    add_cell(sharing, share->node, claim->new_metric, moved);
    add_cell(sharing, share->node, claim->metric, -moved);
    return moved;
}

/* Moves VALUE of CLAIM from GROUP, which has HAS in all, from each in proportion; what rounding
 * leaves from the first that can. */
static void move_claim(struct sharing *sharing, struct group group, const struct claim *claim,
                       int64_t value, int64_t has)
{
    int64_t left = value;
    for (size_t i = 0; i < group.count; i++)
        if (group.list[i].part > 0)
            left -=
                move(sharing, &group.list[i], claim, scaled(group.list[i].part, value, has));
    for (size_t i = 0; i < group.count; i++)
        left -= move(sharing, &group.list[i], claim, left);
    sharing->join->cut_ns += (uint64_t)(claim->value - value + left);
}

/* Waiting is taken from the time of its call, all of it in proportion if it is more. */
static void move_waits(struct sharing *sharing, const struct claim *claims, size_t count)
{
    const struct group group = find_group(sharing, claims->class, claims->metric);
    const int64_t has = sum_of_parts(group);
    int64_t wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted += claims[i].new_metric != SUMMARY_NONE ? claims[i].value : 0;
    for (size_t i = 0; i < count; i++)
        if (claims[i].new_metric != SUMMARY_NONE && claims[i].value > 0)
            move_claim(sharing, group, &claims[i],
                       wanted > has ? scaled(claims[i].value, has, wanted) : claims[i].value,
                       has);
}

static void add_waits(struct sharing *sharing)
{
    const struct join *join = sharing->join;
    for (size_t i = 0; i < sharing->share_count; i++)
        sharing->shares[i].left = sharing->shares[i].part;
    for (size_t at = 0, count; at < sharing->claim_count; at += count) {
        const struct claim *claims = &sharing->claims[at];
        count = same_claims(sharing, at);
        if (claims->metric != SUMMARY_NONE) {
            move_waits(sharing, claims, count);
            continue;
        }
        for (size_t i = 0; i < count; i++)
            add_cell(sharing, join->classes[claims->class].first_node, claims[i].new_metric,
                     claims[i].value);
    }
}

/* Puts CELLS in order, those of one node and metric together, into the summary. */
static void store(struct join *join, struct cell *cells, size_t count, struct profile *profile)
{
    size_t kept = 0;
    if (count > 1)
        qsort(cells, count, sizeof *cells, compare_cells);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && compare_cells(&cells[kept - 1], &cells[i]) == 0)
            cells[kept - 1].value += cells[i].value;
        else
            cells[kept++] = cells[i];
    profile->count = 0;
    profile->cells = memory_pool_allocate(&join->run->pool, kept, sizeof *profile->cells);
    for (size_t i = 0; i < kept; i++)
        if (cells[i].value != 0)
            profile->cells[profile->count++] = cells[i];
}

static void store_part(struct sharing *sharing, struct profile *part)
{
    const size_t count = sharing->share_count;
    struct cell *cells = allocate(count + sharing->added_count + 1, sizeof *cells);
    for (size_t i = 0; i < count; i++)
        cells[i] = (struct cell){sharing->shares[i].node, sharing->shares[i].metric,
                                 sharing->shares[i].part};
    for (size_t i = 0; i < sharing->added_count; i++)
        cells[count + i] = sharing->added[i];
    store(sharing->join, cells, count + sharing->added_count, part);
    free(cells);
}

static void store_rest(struct sharing *sharing, struct profile *whole)
{
    struct cell *cells = allocate(sharing->share_count + 1, sizeof *cells);
    for (size_t i = 0; i < sharing->share_count; i++)
        cells[i] = (struct cell){sharing->shares[i].node, sharing->shares[i].metric,
                                 sharing->shares[i].value - sharing->shares[i].part};
    store(sharing->join, cells, sharing->share_count, whole);
    free(cells);
}

static void note_changes(struct sharing *sharing)
{
    struct join *join = sharing->join;
    for (size_t i = 0; i < sharing->added_count; i++) {
        join->changes = grow_list(join->changes, join->change_count, &join->change_room,
                                  sizeof *join->changes);
        join->changes[join->change_count++] = sharing->added[i];
    }
}

void join_changes(struct join *join, struct profile *profile)
{
    const size_t count = profile->count + join->change_count;
    struct cell *cells = allocate(count + 1, sizeof *cells);
    for (size_t i = 0; i < profile->count; i++)
        cells[i] = profile->cells[i];
    for (size_t i = 0; i < join->change_count; i++)
        cells[profile->count + i] = join->changes[i];
    store(join, cells, count, profile);
    join->change_count = 0;
    free(cells);
}

void join_profile(struct join *join, struct profile *whole, uint64_t size,
                  const struct profile *from, struct profile *part)
{
    struct sharing sharing = {.join = join};
    list_shares(&sharing, whole, size);
    list_claims(&sharing, from);
    if (size > 1)
        share_times(&sharing);
    add_waits(&sharing);
    store_part(&sharing, part);
    store_rest(&sharing, whole);
    if (join->notes_changes)
        note_changes(&sharing);
    free(sharing.shares);
    free(sharing.claims);
    free(sharing.added);
}
