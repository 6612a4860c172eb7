/* What findings are searched in.  See findings_look.h. */
#include "findings/findings_look.h"

#include "accuracy/accuracy.h"
#include "file/file.h"
#include "findings/findings_correct.h"
#include "findings/findings_means.h"
#include "query/query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POINTS  ((uint64_t)1 << 20)
#define MOST_BLOCKS  256
#define LEAST_BLOCKS 16
#define MOST_CELLS   ((size_t)1 << 22) /* blocks times ranks, but at least LEAST_BLOCKS */

const struct series *look_series(const struct look *look, size_t r, size_t i)
{
    const struct rank_group *rank = &look->selection->ranks[r];
    return location_series(&look->selection->summary->locations[rank->first + i], look->phase);
}

uint64_t point_last(const struct points *points, size_t point)
{
    uint64_t last = points->at[point] + points->group - 1;
    return last < points->end ? last : points->end - 1;
}

struct point_maker {
    struct look *look;
    uint64_t iterations; /* that some rank has */
};

static void add_points(void *context, uint64_t first, uint64_t length, const double *values)
{
    struct point_maker *maker = context;
    struct look *look = maker->look;
    struct points *points = &look->points;
    struct stretch stretch = stretch_with(first, length, values, look->selection->rank_count);
    if (isnan(stretch.max))
        return;
    maker->iterations += length;
    look->total += stretch.max * (double)length;
    uint64_t end = first + length;
    for (uint64_t at = first - (first - look->first) % points->group; at < end;
         at += points->group) {
        bool begun = points->count > 0 && points->at[points->count - 1] == at;
        size_t point = begun ? points->count - 1 : points->count++;
        points->at[point] = at;
        if (!begun || stretch.max > points->values[point])
            points->values[point] = stretch.max;
    }
}

static void make_points(struct look *look)
{
    struct points *points = &look->points;
    struct point_maker maker = {look, 0};
    points->group = (look->count + MOST_POINTS - 1) / MOST_POINTS;
    points->end = look->first + look->count;
    size_t most = (size_t)((look->count + points->group - 1) / points->group);
    points->values = allocate(most, sizeof *points->values);
    points->at = allocate(most, sizeof *points->at);
    iterations_visit(look->selection, look->phase, look->metric, add_points, &maker);
    look->mean = maker.iterations ? look->total / (double)maker.iterations : 0;
}

struct block_maker {
    struct look *look;
    double *lengths; /* [block * ranks + rank]: iterations that it has */
    size_t block;    /* that the next iteration is in */
};

/* Adds LENGTH iterations with VALUES to one block. */
static void add_to_block(struct block_maker *maker, size_t block, double length,
                         const double *values)
{
    struct blocks *blocks = &maker->look->blocks;
    double *sums = blocks->values + block * blocks->ranks;
    for (size_t r = 0; r < blocks->ranks; r++)
        if (!isnan(values[r])) {
            sums[r] += values[r] * length;
            maker->lengths[block * blocks->ranks + r] += length;
        }
}

static void note_hot(struct blocks *blocks, const struct stretch *stretch)
{
    for (uint64_t i = 0; i < stretch->length; i++) {
        bool known = !isnan(stretch->max);
        blocks->hot[blocks->hot_count] = known ? stretch->slowest : SUMMARY_NONE;
        blocks->lead[blocks->hot_count++] = known ? stretch->max - stretch->mean : 0;
    }
}

static void add_blocks(struct block_maker *maker, uint64_t first, uint64_t length,
                       const double *values)
{
    struct blocks *blocks = &maker->look->blocks;
    if (blocks->hot) {
        struct stretch stretch = stretch_with(first, length, values, blocks->ranks);
        note_hot(blocks, &stretch);
    }
    while (length > 0) {
        while (blocks->first[maker->block + 1] <= first)
            maker->block++;
        uint64_t part = blocks->first[maker->block + 1] - first;
        part = part < length ? part : length;
        add_to_block(maker, maker->block, (double)part, values);
        first += part;
        length -= part;
    }
}

/* The same where each iteration has values of its own. */
static void visit_corrected(struct block_maker *maker)
{
    const struct look *look = maker->look;
    const size_t ranks = look->selection->rank_count;
    double *row = allocate(ranks, sizeof *row);
    size_t p = 0;
    for (uint64_t i = look->first; i < look->first + look->count; i++) {
        const bool there = p < look->points.count && look->points.at[p] == i;
        for (size_t r = 0; r < ranks; r++)
            row[r] = there ? look_own(look, r).value[p] : NAN;
        p += there;
        add_blocks(maker, i, 1, row);
    }
    free(row);
}

/* The iterations of all ranks, of each rank its own work. */
static void visit_own(struct block_maker *maker)
{
    const struct look *look = maker->look;
    const struct rank_values_of of = {
        .phase = look->phase, .metrics = &look->work, .metric_count = 1};
    struct rank_values *values = rank_values_create(look->selection, &of);
    struct ranks_walk walk;
    for (size_t i = 0; i < values->first[look->selection->rank_count]; i++)
        if (values->series[i])
            memcpy(values->values[i], look->own_means[i],
                   values->series[i]->cluster_count * sizeof *values->values[i]);
    ranks_walk_begin(&walk, values);
    while (ranks_walk_step(&walk))
        add_blocks(maker, walk.first, walk.length, walk.values);
    ranks_walk_end(&walk);
    rank_values_free(values);
}

static size_t block_count(const struct look *look)
{
    size_t most = MOST_CELLS / look->selection->rank_count;
    most = most < LEAST_BLOCKS ? LEAST_BLOCKS : most > MOST_BLOCKS ? MOST_BLOCKS : most;
    return look->count < most ? (size_t)look->count : most;
}

static void make_blocks(struct look *look)
{
    struct blocks *blocks = &look->blocks;
    blocks->count = block_count(look);
    blocks->ranks = look->selection->rank_count;
    blocks->first = allocate(blocks->count + 1, sizeof *blocks->first);
    for (size_t b = 0; b <= blocks->count; b++)
        blocks->first[b] =
            look->first + (uint64_t)((unsigned __int128)look->count * b / blocks->count);
    size_t cells = blocks->count * blocks->ranks;
    blocks->values = allocate(cells, sizeof *blocks->values);
    if (look->count <= MOST_POINTS) {
        blocks->hot = allocate((size_t)look->count, sizeof *blocks->hot);
        blocks->lead = allocate((size_t)look->count, sizeof *blocks->lead);
    }
    struct block_maker maker = {look, allocate(cells, sizeof(double)), 0};
    if (look->own.value)
        visit_corrected(&maker);
    else
        visit_own(&maker);
    for (size_t i = 0; i < cells; i++)
        blocks->values[i] = maker.lengths[i] > 0 ? blocks->values[i] / maker.lengths[i] : NAN;
    free(maker.lengths);
}

double look_noise(const struct look *look, uint32_t metric)
{
    const struct summary *summary = look->selection->summary;
    struct quality *quality = quality_create(look->selection, look->phase);
    double noise = 0;
    if (metric != SUMMARY_NONE && quality->iterations > 0)
        noise = sqrt(quality->spreads[metric] / (double)quality->iterations);
    quality_free(quality);
    for (unsigned i = 0; metric != SUMMARY_NONE && i < summary->metrics[metric].scale; i++)
        noise /= 10;
    return noise;
}

/* How many iterations of PHASE are selected. */
static uint64_t count_iterations(const struct selection *selection, uint32_t phase)
{
    uint64_t end = selection_iterations(selection, phase);
    if (selection->iterations.last < end)
        end = selection->iterations.last + 1;
    return end > selection->iterations.first ? end - selection->iterations.first : 0;
}

bool findings_possible(const struct selection *selection, uint32_t phase)
{
    return count_iterations(selection, phase) >= LOOK_LEAST_ITERATIONS;
}

bool look_open(struct look *look, const struct selection *selection,
               const struct path_tree *tree, uint32_t phase, uint32_t metric)
{
    const struct summary *summary = selection->summary;
    uint32_t computation = summary_metric(summary, "computation");
    *look = (struct look){.selection = selection,
                          .tree = tree,
                          .phase = phase,
                          .metric = metric,
                          .work = metric,
                          .first = selection->iterations.first,
                          .count = count_iterations(selection, phase)};
    if (look->count < LOOK_LEAST_ITERATIONS || selection->rank_count == 0)
        return false;
    look->is_time = strcmp(summary->metrics[metric].name, "time") == 0;
    if (look->is_time && computation != SUMMARY_NONE)
        look->work = computation;
    make_points(look);
    look_correct(look);
    look->rest = allocate(look->points.count, sizeof *look->rest);
    memcpy(look->rest, look->points.values, look->points.count * sizeof *look->rest);
    look_make_means(look);
    make_blocks(look);
    look->noise =
        look_noise(look, look->is_time ? summary_metric(summary, "execution") : metric);
    return true;
}

void look_exchange(struct look *look)
{
    double *values = look->points.values;
    look->points.values = look->uncorrected;
    look->uncorrected = values;
    look->corrected = !look->corrected;
    memcpy(look->rest, look->points.values, look->points.count * sizeof *look->rest);
}

void look_close(struct look *look)
{
    look_free_means(look);
    free(look->points.values);
    free(look->uncorrected);
    free(look->elapsed);
    free(look->lacking);
    look_free_own(look);
    free(look->points.at);
    free(look->rest);
    free(look->blocks.first);
    free(look->blocks.values);
    free(look->blocks.hot);
    free(look->blocks.lead);
}

struct finding *collection_add(struct collection *collection, const struct look *look,
                               enum finding_kind kind)
{
    if (collection->count == collection->room) {
        collection->room = collection->room ? 2 * collection->room : 16;
        collection->list =
            reallocate(collection->list, collection->room, sizeof *collection->list);
    }
    struct finding *finding = &collection->list[collection->count++];
    *finding = (struct finding){.kind = kind,
                                .phase = look->phase,
                                .metric = look->metric,
                                .path = SUMMARY_NONE,
                                .corrected = look->corrected,
                                .cause = {.metric = SUMMARY_NONE, .path = SUMMARY_NONE},
                                .counted = {.metric = SUMMARY_NONE}};
    return finding;
}

void finding_add_range(struct finding *finding, uint64_t first, uint64_t last)
{
    struct range *before =
        finding->range_count ? &finding->iterations[finding->range_count - 1] : NULL;
    finding->iteration_count += last - first + 1;
    if (before && before->last + 1 == first) {
        before->last = last;
        return;
    }
    if (finding->range_count == FINDING_MOST_RANGES)
        return;
    finding->iterations =
        reallocate(finding->iterations, finding->range_count + 1, sizeof *finding->iterations);
    finding->iterations[finding->range_count++] = (struct range){first, last};
}

void finding_add_rank(struct finding *finding, uint32_t rank)
{
    finding->ranks =
        reallocate(finding->ranks, finding->rank_count + 1, sizeof *finding->ranks);
    finding->ranks[finding->rank_count++] = rank;
}
