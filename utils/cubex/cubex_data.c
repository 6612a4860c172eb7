/*
 * The numbers of a CUBE file: for each metric a member ID.data with the rows and a member
 * ID.index with the numbers of the nodes that the rows are of.  See cubex_file.h.
 *
 * All metrics are stored exclusive over call paths.  For those, nodes are numbered as a walk
 * through the tree meets them, each before those below it: just as ours are.
 */
#include "cubex/cubex_file.h"

#include "common/codec.h"
#include "query/query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES  ((size_t)16 << 20) /* of rows in memory, if one row is not more */
#define VALUE_BYTES  8
#define DATA_MARKER  "CUBEX.DATA"
#define INDEX_MARKER "CUBEX.INDEX"

/* After the marker: a one in the writer's byte order, a version, and that nodes are listed one
 * by one. */
enum { INDEX_ORDER = 1, INDEX_VERSION = 0, INDEX_SPARSE = 1, INDEX_HEADER_BYTES = 11 };

struct survey {
    struct cubex *cubex;
    const uint32_t *node_of; /* by path, in the block; SUMMARY_NONE: none */
    const uint32_t *places;  /* by metric of the summary: in the file, or SUMMARY_NONE */
    bool block;              /* a block, not the base */
};

static void note_cell(const struct survey *survey, const struct cell *cell, uint32_t node,
                      bool whole)
{
    struct cubex *cubex = survey->cubex;
    for (uint32_t m = cell->metric; m != SUMMARY_NONE; m = cubex->summary->metrics[m].parent) {
        uint32_t place = survey->places[m];
        if (place == SUMMARY_NONE)
            continue;
        cubex->used[place][node / 8] |= (uint8_t)(1u << node % 8);
        cubex->metrics.list[place].fraction |= !whole;
        cubex->metrics.list[place].negative |= cell->value < 0;
    }
}

/* Readers divide the sums of a cluster by its iterations: both, sum and mean, must be whole
 * numbers or the metric needs fractions. */
static void note_profile(void *context, const struct profile *profile, int64_t times,
                         uint64_t of)
{
    const struct survey *survey = context;
    const struct path_tree *paths = survey->cubex->tree.paths;
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        uint32_t node = survey->node_of[paths->of_node[cell->node]];
        int64_t share;
        if (node != SUMMARY_NONE && survey->cubex->metrics.counted[cell->metric])
            note_cell(survey, cell, node,
                      cubex_share(cell->value, survey->block ? 1 : times, of, &share));
    }
}

/* The node after the last of those from FIRST on that are of the same block. */
static size_t block_end(const struct cubex_tree *tree, size_t first)
{
    size_t end = first;
    while (end < tree->count && tree->nodes[end].block == tree->nodes[first].block)
        end++;
    return end;
}

static uint32_t *make_places(const struct cubex *cubex)
{
    uint32_t *places = allocate(cubex->summary->metric_count, sizeof *places);
    memset(places, 0xff, cubex->summary->metric_count * sizeof *places);
    for (size_t i = 0; i < cubex->metrics.count; i++)
        places[cubex->metrics.list[i].source] = (uint32_t)i;
    return places;
}

void cubex_survey(struct cubex *cubex)
{
    const struct cubex_tree *tree = &cubex->tree;
    uint32_t *places = make_places(cubex);
    uint32_t *node_of = allocate(tree->paths->count, sizeof *node_of);
    memset(node_of, 0xff, tree->paths->count * sizeof *node_of);
    cubex->used = allocate(cubex->metrics.count, sizeof *cubex->used);
    for (size_t i = 0; i < cubex->metrics.count; i++)
        cubex->used[i] = allocate(tree->count / 8 + 1, 1);
    for (size_t first = 0, end; first < tree->count; first = end) {
        uint32_t block = tree->nodes[first].block;
        struct survey survey = {cubex, node_of, places, block != CUBEX_BASE};
        end = block_end(tree, first);
        for (size_t n = first; n < end; n++)
            if (tree->nodes[n].path != SUMMARY_NONE)
                node_of[tree->nodes[n].path] = (uint32_t)n;
        for (size_t c = 0; c < cubex->column_count; c++)
            cubex_series_visit(cubex->series, block, cubex->columns[c], note_profile, &survey);
        for (size_t n = first; n < end; n++)
            if (tree->nodes[n].path != SUMMARY_NONE)
                node_of[tree->nodes[n].path] = SUMMARY_NONE;
    }
    free(places);
    free(node_of);
}

/* Nodes with values, in ascending order. */
struct rows {
    uint32_t *nodes;
    size_t count;
};

static struct rows list_rows(const struct cubex *cubex, size_t metric)
{
    struct rows rows = {allocate(cubex->tree.count, sizeof *rows.nodes), 0};
    for (uint32_t n = 0; n < cubex->tree.count; n++)
        if (cubex->used[metric][n / 8] >> n % 8 & 1)
            rows.nodes[rows.count++] = n;
    return rows;
}

bool cubex_has_data(const struct cubex *cubex, size_t metric)
{
    for (size_t n = 0; n < cubex->tree.count / 8 + 1; n++)
        if (cubex->used[metric][n])
            return true;
    return false;
}

/* Some rows being filled. */
struct chunk {
    const struct cubex *cubex;
    const bool *part;    /* by metric of the summary: part of the metric of the rows */
    uint32_t *row_of;    /* by path, in the block: row + 1, or 0 */
    long double *values; /* [row * columns + column]: has room for every 64-bit integer */
    size_t column;       /* that is being filled */
};

static void add_profile(void *context, const struct profile *profile, int64_t times,
                        uint64_t of)
{
    struct chunk *chunk = context;
    const struct path_tree *paths = chunk->cubex->tree.paths;
    for (size_t i = 0; i < profile->count; i++) {
        const struct cell *cell = &profile->cells[i];
        uint32_t row = chunk->row_of[paths->of_node[cell->node]];
        int64_t share;
        if (!row || !chunk->part[cell->metric])
            continue;
        chunk->values[(row - 1) * chunk->cubex->column_count + chunk->column] +=
            cubex_share(cell->value, times, of, &share)
                ? (long double)share
                : (long double)cell->value * (long double)times / (long double)of;
    }
}

/* Fills the rows FIRST to END - 1, all of one block; they begin with row OFFSET of the chunk.
 */
static void fill_rows(struct chunk *chunk, const uint32_t *nodes, size_t count, size_t offset)
{
    const struct cubex *cubex = chunk->cubex;
    const struct cubex_node *all = cubex->tree.nodes;
    uint32_t block = all[nodes[0]].block;
    for (size_t i = 0; i < count; i++)
        chunk->row_of[all[nodes[i]].path] = (uint32_t)(offset + i) + 1;
    for (chunk->column = 0; chunk->column < cubex->column_count; chunk->column++)
        cubex_series_visit(cubex->series, block, cubex->columns[chunk->column], add_profile,
                           chunk);
    for (size_t i = 0; i < count; i++)
        chunk->row_of[all[nodes[i]].path] = 0;
}

static uint64_t to_unsigned(long double value)
{
    return value <= 0 ? 0 : value >= 0x1p64L ? UINT64_MAX : (uint64_t)value;
}

static uint64_t to_signed(long double value)
{
    return value <= -0x1p63L  ? (uint64_t)INT64_MIN
           : value >= 0x1p63L ? (uint64_t)INT64_MAX
                              : (uint64_t)(int64_t)value;
}

/* Appends COUNT rows of the chunk. */
static void write_rows(const struct chunk *chunk, size_t metric, size_t count, struct tar *tar)
{
    const struct cubex *cubex = chunk->cubex;
    const char *type = cubex_metric_type(&cubex->metrics, metric);
    uint32_t source = cubex->metrics.list[metric].source;
    struct encoder out = {0};
    for (size_t r = 0; r < count; r++) {
        const long double *row = chunk->values + r * cubex->column_count;
        out.size = 0;
        for (size_t c = 0; c < cubex->column_count; c++)
            if (strcmp(type, "DOUBLE") == 0)
                encode_double(&out, (double)shown_value(cubex->summary, source, row[c], 1));
            else if (strcmp(type, "UINT64") == 0)
                encode_u64(&out, to_unsigned(row[c]));
            else
                encode_u64(&out, to_signed(row[c]));
        if (out.failed)
            out_of_memory();
        tar_write(tar, out.bytes, out.size);
    }
    encoder_free(&out);
}

static void write_values(const struct cubex *cubex, size_t metric, const struct rows *rows,
                         struct tar *tar)
{
    const struct cubex_node *nodes = cubex->tree.nodes;
    size_t row_bytes = cubex->column_count * sizeof(long double);
    size_t most = row_bytes < CHUNK_BYTES ? CHUNK_BYTES / row_bytes : 1;
    bool *part = allocate(cubex->summary->metric_count, sizeof *part);
    struct chunk chunk = {cubex, part, allocate(cubex->tree.paths->count, sizeof *chunk.row_of),
                          NULL, 0};
    for (uint32_t m = 0; m < cubex->summary->metric_count; m++)
        part[m] = metric_is_part(cubex->summary, m, cubex->metrics.list[metric].source);
    for (size_t first = 0, count; first < rows->count; first += count) {
        count = rows->count - first < most ? rows->count - first : most;
        chunk.values = allocate(count, row_bytes);
        for (size_t i = 0, same; i < count; i += same) {
            uint32_t block = nodes[rows->nodes[first + i]].block;
            for (same = 1;
                 i + same < count && nodes[rows->nodes[first + i + same]].block == block;)
                same++;
            fill_rows(&chunk, rows->nodes + first + i, same, i);
        }
        write_rows(&chunk, metric, count, tar);
        free(chunk.values);
    }
    free(chunk.row_of);
    free(part);
}

static void write_index(const struct rows *rows, struct tar *tar)
{
    static const unsigned char format[] = {INDEX_VERSION, 0, INDEX_SPARSE};
    struct encoder out = {0};
    encode_bytes(&out, INDEX_MARKER, strlen(INDEX_MARKER));
    encode_u32(&out, INDEX_ORDER);
    encode_bytes(&out, format, sizeof format);
    encode_u32(&out, (uint32_t)rows->count);
    for (size_t i = 0; i < rows->count; i++)
        encode_u32(&out, rows->nodes[i]);
    if (out.failed)
        out_of_memory();
    tar_write(tar, out.bytes, out.size);
    encoder_free(&out);
}

void cubex_write_data(const struct cubex *cubex, size_t metric, struct tar *tar)
{
    struct rows rows = list_rows(cubex, metric);
    char name[40];
    snprintf(name, sizeof name, "%zu.data", metric);
    tar_begin(tar, name,
              strlen(DATA_MARKER) + (uint64_t)rows.count * cubex->column_count * VALUE_BYTES);
    tar_write(tar, DATA_MARKER, strlen(DATA_MARKER));
    write_values(cubex, metric, &rows, tar);
    tar_end(tar);
    snprintf(name, sizeof name, "%zu.index", metric);
    tar_begin(tar, name, strlen(INDEX_MARKER) + INDEX_HEADER_BYTES + 4 * (uint64_t)rows.count);
    write_index(&rows, tar);
    tar_end(tar);
    free(rows.nodes);
}
