/* Blocks of iterations.  See cubex_series.h. */
#include "cubex/cubex_series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MAPPING_BYTES (UINT64_C(2) << 30) /* of the map from iterations to clusters */
#define NODE_DIGITS        7                   /* of a number in the map, with its comma */
#define ROW_BYTES          40                  /* of the rest of its row */

/* Iterations FIRST to FIRST + LENGTH - 1 of a process are in BLOCK, or CUBEX_BASE. */
struct span {
    uint64_t first, length;
    uint32_t block;
};

/* One of the selection's ranks. */
struct process {
    const struct rank_group *group;
    const struct series **threads; /* the series of each, or NULL */
    uint32_t *clusters;            /* [block * threads + thread], or SUMMARY_NONE */
    uint64_t *sizes;               /* iterations in each block */
    uint32_t block_count;
    bool lacks_some; /* some of its iterations have no profile */
    struct span *spans;
    size_t span_count;
    size_t at; /* the span that was looked at last */
};

struct cubex_series {
    const struct selection *selection;
    enum cubex_iterations how;
    uint32_t phase, blocks;
    uint64_t first, end; /* iterations kept apart */
    struct process *processes;
    uint32_t *process_of; /* by location; SUMMARY_NONE: not selected */
    uint64_t **taken;     /* by location, cluster: iterations kept apart; NULL: none */
};

/* A combination of clusters, one for each thread of a process. */
struct combination {
    const struct process *process;
    const uint32_t *clusters;
};

static bool is_same_combination(const void *context, uint32_t block)
{
    const struct combination *combination = context;
    size_t threads = combination->process->group->count;
    return memcmp(combination->process->clusters + block * threads, combination->clusters,
                  threads * sizeof(uint32_t)) == 0;
}

/* The block of a combination of clusters on PROCESS, a new one if it is new. */
static uint32_t block_of(struct index *known, struct process *process, const uint32_t *clusters)
{
    size_t threads = process->group->count;
    struct combination combination = {process, clusters};
    reserve_index(known, (size_t)process->block_count + 1);
    uint32_t *slot =
        index_slot(known, index_hash_bytes(INDEX_HASH, clusters, threads * sizeof *clusters),
                   is_same_combination, &combination);
    if (*slot)
        return *slot - 1;
    uint32_t block = process->block_count++;
    if ((block & (block - 1)) == 0) {
        size_t room = block ? 2 * (size_t)block : 1;
        process->clusters = reallocate(process->clusters, room * threads, sizeof(uint32_t));
        process->sizes = reallocate(process->sizes, room, sizeof(uint64_t));
    }
    memcpy(process->clusters + block * threads, clusters, threads * sizeof *clusters);
    process->sizes[block] = 0;
    *slot = block + 1;
    return block;
}

static const struct run *find_run(const struct series *series, uint64_t iteration)
{
    size_t low = 0, high = series->run_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (series->runs[middle].first <= iteration)
            low = middle;
        else
            high = middle;
    }
    return &series->runs[low];
}

/*
 * The clusters of ITERATION on each thread; returns how many iterations from it on are in the
 * same ones at least.
 */
static uint64_t look_up(const struct process *process, uint64_t iteration, uint64_t end,
                        uint32_t *clusters, bool *any)
{
    uint64_t length = end - iteration;
    *any = false;
    for (size_t t = 0; t < process->group->count; t++) {
        const struct series *series = process->threads[t];
        clusters[t] = SUMMARY_NONE;
        if (!series || iteration >= series->iterations)
            continue;
        const struct run *run = find_run(series, iteration);
        uint64_t left = run->first + run->length - iteration;
        clusters[t] = run->cluster;
        *any |= run->cluster != SUMMARY_NONE;
        length = left < length ? left : length;
    }
    return length;
}

static void add_span(struct process *process, uint64_t first, uint64_t length, uint32_t block)
{
    size_t count = process->span_count;
    if (count && process->spans[count - 1].block == block) {
        process->spans[count - 1].length += length;
        return;
    }
    if ((count & (count - 1)) == 0)
        process->spans =
            reallocate(process->spans, count ? 2 * count : 1, sizeof *process->spans);
    process->spans[process->span_count++] = (struct span){first, length, block};
}

static void count_taken(struct cubex_series *series, const struct process *process,
                        const uint32_t *clusters, uint64_t length)
{
    for (size_t t = 0; t < process->group->count; t++)
        if (clusters[t] != SUMMARY_NONE)
            series->taken[process->group->first + t][clusters[t]] += length;
}

/* Divides the iterations of PROCESS into blocks.  Runs of iterations are dealt with at once. */
static void divide(struct cubex_series *series, struct process *process)
{
    struct index known = {0}; /* of blocks, by their combination */
    uint32_t *clusters = allocate(process->group->count, sizeof *clusters);
    for (uint64_t i = series->first, length; i < series->end; i += length) {
        bool any;
        length = look_up(process, i, series->end, clusters, &any);
        uint32_t block = CUBEX_BASE;
        count_taken(series, process, clusters, length);
        if (any && series->how == CUBEX_CLUSTERS) {
            block = block_of(&known, process, clusters);
            process->sizes[block] += length;
        }
        process->lacks_some |= !any;
        add_span(process, i, length, block);
    }
    index_free(&known);
    free(clusters);
}

static void find_threads(struct cubex_series *series, struct process *process)
{
    const struct summary *summary = series->selection->summary;
    process->threads = allocate(process->group->count, sizeof *process->threads);
    for (size_t t = 0; t < process->group->count; t++) {
        size_t location = process->group->first + t;
        process->threads[t] = location_series(&summary->locations[location], series->phase);
        if (process->threads[t])
            series->taken[location] =
                allocate(process->threads[t]->cluster_count, sizeof **series->taken);
    }
}

static void choose_iterations(struct cubex_series *series)
{
    const struct range *wanted = &series->selection->iterations;
    series->end = selection_iterations(series->selection, series->phase);
    if (wanted->last < series->end)
        series->end = wanted->last + 1;
    series->first = wanted->first < series->end ? wanted->first : series->end;
}

/* The numbers in a row of the map go up to the last rank. */
static uint64_t row_numbers(const struct cubex_series *series)
{
    const struct selection *selection = series->selection;
    return selection->rank_count
               ? (uint64_t)selection->ranks[selection->rank_count - 1].rank + 1
               : 0;
}

static bool is_reasonable(const struct cubex_series *series, struct error *error)
{
    uint64_t count = series->end - series->first, row, bytes;
    row = ROW_BYTES + NODE_DIGITS * row_numbers(series);
    bytes = count * row;
    if (count <= UINT32_MAX / 2 && bytes / row == count && bytes <= MOST_MAPPING_BYTES)
        return true;
    return error_set(error,
                     "%s: a CUBE file would be too large with %" PRIu64
                     " iterations on %" PRIu64
                     " processes; choose fewer with --iteration or --rank, or add them up with "
                     "--iterations sum",
                     series->selection->summary->path, count, row_numbers(series));
}

static void make_blocks(struct cubex_series *series)
{
    for (size_t r = 0; r < series->selection->rank_count; r++) {
        struct process *process = &series->processes[r];
        find_threads(series, process);
        divide(series, process);
        uint32_t needed = process->block_count + process->lacks_some;
        if (needed > series->blocks)
            series->blocks = needed;
    }
    if (series->how == CUBEX_NODES)
        series->blocks = (uint32_t)(series->end - series->first);
}

struct cubex_series *cubex_series_create(const struct selection *selection, uint32_t phase,
                                         enum cubex_iterations how, struct error *error)
{
    const struct summary *summary = selection->summary;
    struct cubex_series *series = allocate(1, sizeof *series);
    series->selection = selection;
    series->how = phase == SUMMARY_NONE ? CUBEX_SUM : how;
    series->phase = phase;
    series->processes = allocate(selection->rank_count, sizeof *series->processes);
    series->process_of = allocate(summary->location_count, sizeof *series->process_of);
    series->taken = allocate(summary->location_count, sizeof *series->taken);
    memset(series->process_of, 0xff, summary->location_count * sizeof *series->process_of);
    for (size_t r = 0; r < selection->rank_count; r++) {
        series->processes[r].group = &selection->ranks[r];
        for (size_t t = 0; t < selection->ranks[r].count; t++)
            series->process_of[selection->ranks[r].first + t] = (uint32_t)r;
    }
    if (series->how == CUBEX_SUM)
        return series;
    choose_iterations(series);
    if (series->first == series->end) {
        series->how = CUBEX_SUM;
        return series;
    }
    if (is_reasonable(series, error)) {
        make_blocks(series);
        return series;
    }
    cubex_series_free(series);
    return NULL;
}

void cubex_series_free(struct cubex_series *series)
{
    if (!series)
        return;
    for (size_t r = 0; r < series->selection->rank_count; r++) {
        free(series->processes[r].threads);
        free(series->processes[r].clusters);
        free(series->processes[r].sizes);
        free(series->processes[r].spans);
    }
    for (size_t i = 0; i < series->selection->summary->location_count; i++)
        free(series->taken[i]);
    free(series->processes);
    free(series->process_of);
    free(series->taken);
    free(series);
}

struct cubex_span cubex_series_span(const struct cubex_series *series)
{
    return (struct cubex_span){series->first, series->end - series->first};
}

enum cubex_iterations cubex_series_how(const struct cubex_series *series)
{
    return series->how;
}

uint32_t cubex_series_phase(const struct cubex_series *series)
{
    return series->phase;
}

uint32_t cubex_series_blocks(const struct cubex_series *series)
{
    return series->blocks;
}

static void visit_base(const struct cubex_series *series, uint32_t index, cubex_visit *visit,
                       void *context)
{
    const struct location *location = &series->selection->summary->locations[index];
    visit(context, &location->whole, 1, 1);
    if (!series->taken[index])
        return;
    const struct series *apart = location_series(location, series->phase);
    for (size_t c = 0; c < apart->cluster_count; c++)
        if (series->taken[index][c])
            visit(context, &apart->clusters[c].sums, -(int64_t)series->taken[index][c],
                  apart->clusters[c].size);
}

void cubex_series_visit(const struct cubex_series *series, uint32_t block, uint32_t location,
                        cubex_visit *visit, void *context)
{
    if (block == CUBEX_BASE) {
        visit_base(series, location, visit, context);
        return;
    }
    const struct process *process = &series->processes[series->process_of[location]];
    size_t thread = location - process->group->first;
    const struct series *apart = process->threads[thread];
    uint32_t cluster = SUMMARY_NONE;
    uint64_t times = 1;
    if (apart && series->how == CUBEX_NODES) {
        cluster = series_cluster(apart, series->first + block);
    } else if (apart && block < process->block_count) {
        cluster = process->clusters[block * process->group->count + thread];
        times = process->sizes[block];
    }
    if (cluster != SUMMARY_NONE)
        visit(context, &apart->clusters[cluster].sums, (int64_t)times,
              apart->clusters[cluster].size);
}

/* The block of ITERATION; quick where they are asked for one after the other. */
static uint32_t process_block(struct process *process, uint64_t iteration)
{
    const struct span *spans = process->spans;
    if (iteration < spans[process->at].first)
        process->at = 0;
    while (iteration - spans[process->at].first >= spans[process->at].length)
        process->at++;
    return spans[process->at].block;
}

void cubex_series_row(struct cubex_series *series, uint64_t iteration, uint32_t *blocks)
{
    for (size_t r = 0; r < series->selection->rank_count; r++) {
        struct process *process = &series->processes[r];
        uint32_t block = process_block(process, iteration);
        blocks[r] = block == CUBEX_BASE ? process->block_count : block;
    }
}

bool cubex_share(int64_t value, int64_t times, uint64_t of, int64_t *share)
{
    if (times > 0 && (uint64_t)times == of) {
        *share = value;
        return true;
    }
    /* Both fit 64 bits, so their product fits 128. */
    __int128 product = (__int128)value * times;
    if (product % (__int128)of)
        return false;
    *share = (int64_t)(product / (__int128)of);
    return true;
}
