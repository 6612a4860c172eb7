/* Synthetic summaries.  See summary_maker.h. */
#include "tests/unit/utils/summary_maker.h"

#include "common/crc32.h"
#include "common/metrics.h"

#include <stdio.h>
#include <string.h>

#define US 1000 /* nanoseconds */
#define MS 1000000

/* Values of a profile by node and metric. */
struct table {
    int64_t values[EXAMPLE_NODES][METRIC_COUNT];
};

static void make_facts(struct encoder *out)
{
    static const char *const facts[][2] = {
        {"program", "wave"},
        {"command", "./wave -n 6 --name \x1b[31mred"},
        {"start", "2026-01-02T03:04:05Z"},
        {"end", "2026-01-02T03:04:06Z"},
        {"mpi", "MPICH Version: 4.0.2"},
        {"ranks", "2"},
        {"host", "node01"},
        {"clock", "tsc"},
        {"clock_hz", "2100000000"},
        {"tsprof", "0.1"},
        {"setting.CLUSTERS", "2"},
        {"setting.CLUSTERS.source", "environment"},
        {"setting.PHASES", ""},
        {"setting.PHASES.source", "default"},
    };
    size_t count = sizeof facts / sizeof facts[0];
    encode_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        encode_string(out, facts[i][0]);
        encode_string(out, facts[i][1]);
    }
}

static void make_metrics(struct encoder *out)
{
    encode_varint(out, METRIC_COUNT);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct metric_info *info = &metric_table[m];
        encode_string(out, info->name);
        encode_varint(out, (uint64_t)(info->parent + 1));
        encode_string(out, metric_unit_name(info->unit));
        encode_varint(out, info->unit == UNIT_seconds ? 9 : 0);
        encode_varint(out, info->measured);
        encode_string(out, info->text);
    }
}

static void make_modules(struct encoder *out)
{
    encode_varint(out, 2);
    encode_string(out, "/home/user/wave");
    encode_string(out, "0123abcd");
    encode_string(out, "/lib/libmpi.so.12");
    encode_string(out, "");
}

static void make_regions(struct encoder *out)
{
    static const struct {
        const char *name;
        enum format_region_kind kind;
        const char *file;
        unsigned line, module;
        const char *group;
    } regions[] = {
        {FORMAT_ROOT_NAME, REGION_ARTIFICIAL, "", 0, 0, ""},
        {"main", REGION_FUNCTION, "/src/main.c", 10, 1, ""},
        {"step", REGION_PHASE, "", 0, 0, ""},
        {"solve", REGION_FUNCTION, "/src/solver.c", 42, 1, ""},
        {"MPI_Allreduce", REGION_MPI, "", 0, 2, "COLL"},
        {"setup", REGION_PHASE, "", 0, 0, ""},
        {EXAMPLE_ASSEMBLE, REGION_FUNCTION, "/src/grid.cc", 7, 1, ""},
        {"[stopped]", REGION_ARTIFICIAL, "", 0, 0, ""},
        {"spin", REGION_FUNCTION, "", 0, 2, ""},
    };
    size_t count = sizeof regions / sizeof regions[0];
    encode_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        encode_string(out, regions[i].name);
        encode_varint(out, regions[i].kind);
        encode_string(out, regions[i].file);
        encode_varint(out, regions[i].line);
        encode_varint(out, regions[i].module);
        encode_varint(out, 16 * i);
        encode_string(out, regions[i].group);
    }
}

static void make_calltree(struct encoder *out)
{
    /* Parent + 1, region, line, by enum example_node. */
    static const unsigned nodes[EXAMPLE_NODES][3] = {
        [NODE_program] = {0, 0, 0},      [NODE_main] = {1, 1, 0},
        [NODE_step] = {2, 2, 15},        [NODE_solve_1] = {3, 3, 20},
        [NODE_solve_2] = {3, 3, 21},     [NODE_allreduce_1] = {4, 4, 43},
        [NODE_allreduce_2] = {5, 4, 43}, [NODE_setup] = {2, 5, 12},
        [NODE_assemble] = {8, 6, 13},    [NODE_stopped] = {1, 7, 0},
        [NODE_spin] = {10, 8, 0},        [NODE_spin_solve] = {11, 3, 0},
    };
    encode_varint(out, EXAMPLE_NODES);
    for (size_t i = 0; i < EXAMPLE_NODES; i++)
        for (size_t j = 0; j < 3; j++)
            encode_varint(out, nodes[i][j]);
}

struct place {
    unsigned rank, thread;
};

static void make_system(struct encoder *out)
{
    encode_varint(out, 1);
    encode_string(out, "node01");
    encode_varint(out, 1);
    encode_string(out, "processors");
    encode_string(out, "2");
}

static void make_phases(struct encoder *out)
{
    encode_varint(out, 2);
    encode_string(out, "setup");
    encode_varint(out, 5);
    encode_varint(out, 0);
    encode_string(out, "step");
    encode_varint(out, 2);
    encode_varint(out, 1);
}

static void add_table(struct table *sum, const struct table *more)
{
    for (size_t n = 0; n < EXAMPLE_NODES; n++)
        for (size_t m = 0; m < METRIC_COUNT; m++)
            sum->values[n][m] += more->values[n][m];
}

/* All times of the table, which is the wall time they were measured in. */
static int64_t wall_ns(const struct table *table)
{
    int64_t wall = 0;
    for (size_t n = 0; n < EXAMPLE_NODES; n++)
        for (size_t m = 0; m < METRIC_COUNT; m++)
            if (metric_table[m].unit == UNIT_seconds)
                wall += table->values[n][m];
    return wall;
}

static void encode_profile(struct encoder *out, const struct table *table)
{
    size_t count = 0, before = 0;
    for (size_t n = 0; n < EXAMPLE_NODES; n++)
        for (size_t m = 0; m < METRIC_COUNT; m++)
            count += table->values[n][m] != 0;
    encode_varint(out, count);
    for (size_t n = 0; n < EXAMPLE_NODES; n++)
        for (size_t m = 0; m < METRIC_COUNT; m++) {
            if (table->values[n][m] == 0)
                continue;
            encode_varint(out, n - before);
            encode_varint(out, m);
            encode_signed(out, table->values[n][m]);
            before = n;
        }
}

/* One iteration of RANK that takes EXTRA_NS longer than the shortest, in MPI. */
static struct table iteration_table(unsigned rank, int64_t extra_ns)
{
    struct table table = {0};
    table.values[NODE_step][METRIC_visits] = 1;
    table.values[NODE_step][METRIC_overhead] = 10 * US;
    table.values[NODE_solve_1][METRIC_computation] = (1 + rank) * MS;
    table.values[NODE_solve_1][METRIC_visits] = 2;
    table.values[NODE_solve_2][METRIC_computation] = 500 * US;
    table.values[NODE_solve_2][METRIC_visits] = 1;
    table.values[NODE_allreduce_1][METRIC_mpi_collective] = 390 * US + extra_ns;
    table.values[NODE_allreduce_1][METRIC_visits] = 2;
    table.values[NODE_allreduce_1][METRIC_comms_coll] = 2;
    /* Odd bytes for the slow iterations, so that the mean of their cluster is no whole number.
     */
    table.values[NODE_allreduce_1][METRIC_bytes_coll_out] = extra_ns == MS ? 1601 : 1600;
    table.values[NODE_allreduce_2][METRIC_mpi_collective] = 100 * US;
    table.values[NODE_allreduce_2][METRIC_visits] = 1;
    table.values[NODE_allreduce_2][METRIC_comms_coll] = 1;
    return table;
}

/* One iteration on a thread that the one which marks it has help from. */
static struct table helper_table(void)
{
    struct table table = {0};
    table.values[NODE_solve_1][METRIC_computation] = 1 * MS;
    table.values[NODE_solve_1][METRIC_visits] = 1;
    table.values[NODE_solve_1][METRIC_samples] = 1;
    return table;
}

static struct table outside_table(unsigned thread)
{
    struct table table = {0};
    table.values[NODE_program][METRIC_computation] = 5 * MS;
    if (thread > 0)
        return table;
    table.values[NODE_program][METRIC_overhead] = 1 * MS;
    table.values[NODE_main][METRIC_mpi_setup] = 2 * MS;
    table.values[NODE_assemble][METRIC_computation] = 3 * MS;
    table.values[NODE_assemble][METRIC_samples] = 3;
    table.values[NODE_spin][METRIC_samples_failed] = 1;
    table.values[NODE_spin_solve][METRIC_samples_failed] = 1;
    return table;
}

/* The condensed values of an iteration. */
struct condensed {
    int64_t values[METRIC_COUNT];
};

static struct condensed condense_table(const struct table *table)
{
    struct condensed condensed = {0};
    for (size_t n = 0; n < EXAMPLE_NODES; n++)
        for (size_t m = 0; m < METRIC_COUNT; m++)
            if (m != METRIC_overhead && m != METRIC_preempted && m != METRIC_samples &&
                m != METRIC_samples_failed)
                condensed.values[m] += table->values[n][m];
    metric_make_inclusive(condensed.values);
    return condensed;
}

/* The larger values of two. */
static struct condensed larger(const struct condensed *a, const struct condensed *b)
{
    struct condensed maxima = *a;
    for (size_t m = 0; m < METRIC_COUNT; m++)
        if (b->values[m] > a->values[m])
            maxima.values[m] = b->values[m];
    return maxima;
}

/* The spreads of a cluster whose iterations are alike; or of the two, A and B. */
static void encode_spreads(struct encoder *out, const struct condensed *maxima,
                           const struct condensed *a, const struct condensed *b)
{
    for (size_t m = 0; m < METRIC_COUNT; m++) {
        if (!maxima->values[m])
            continue;
        double difference = a ? (double)(a->values[m] - b->values[m]) : 0;
        encode_double(out, difference * difference / 2);
    }
    encode_varint(out, 1); /* every call path in every iteration */
    encode_varint(out, 0); /* every frame is shown */
}

static void encode_cluster(struct encoder *out, const struct table *sums, unsigned size,
                           unsigned class_id)
{
    encode_varint(out, size);
    encode_varint(out, class_id);
    encode_varint(out, (uint64_t)wall_ns(sums));
    encode_profile(out, sums);
}

static void encode_maxima(struct encoder *out, const struct condensed *maxima)
{
    uint64_t count = 0, before = 0;
    for (size_t m = 0; m < METRIC_COUNT; m++)
        count += maxima->values[m] != 0;
    encode_varint(out, count);
    for (size_t m = 0; m < METRIC_COUNT; m++) {
        if (!maxima->values[m])
            continue;
        encode_varint(out, m - before);
        encode_varint(out, (uint64_t)maxima->values[m]);
        before = m;
    }
}

static void encode_series_head(struct encoder *out, const struct condensed *maxima,
                               unsigned asked, unsigned clusters)
{
    encode_varint(out, 1); /* phase */
    encode_varint(out, 0); /* not nested */
    encode_varint(out, 3); /* hybrid */
    encode_varint(out, 1); /* class */
    encode_string(out, "szebenyi");
    encode_varint(out, asked);
    encode_maxima(out, maxima);
    encode_varint(out, asked == 0); /* every iteration is kept */
    encode_varint(out, 0);          /* no largest values */
    encode_varint(out, clusters);
}

/* The next iterations of a stretch, each of a place of its own, as bits of WIDTH 3. */
static void encode_packed(struct encoder *out, unsigned first, unsigned count)
{
    unsigned bits = 0;
    unsigned char bytes[2];
    for (unsigned i = 0; i < count; i++)
        bits |= (first + i) << 3 * i;
    bytes[0] = (unsigned char)bits;
    bytes[1] = (unsigned char)(bits >> 8);
    encode_varint(out, count << 2 | 1);
    encode_varint(out, 3);
    encode_bytes(out, bytes, (count * 3 + 7) / 8);
}

/*
 * The same as parts have it (doc/parts.md), of up to seven iterations: a pattern of the first
 * two, up to two packed, one of the pattern if it fits, the others each for itself.
 */
static void encode_saved_runs(struct encoder *out, const unsigned (*runs)[2], size_t count)
{
    unsigned clusters[7], total = 0;
    for (size_t r = 0; r < count; r++)
        for (unsigned i = 0; i < runs[r][0]; i++)
            clusters[total++] = runs[r][1];
    const unsigned packed = total < 4 ? total - 2 : 2;
    unsigned at = 2 + packed;
    encode_varint(out, total);
    encode_varint(out, total);
    for (unsigned i = 0; i < total; i++)
        encode_varint(out, clusters[i]);
    encode_varint(out, 2 << 2 | 2);
    encode_varint(out, 2);
    encode_bytes(out, "\0\0\1\0", 4);
    if (packed > 0)
        encode_packed(out, 2, packed);
    if (at < total && clusters[at] == clusters[0]) {
        encode_varint(out, 1 << 2 | 3);
        at++;
    }
    for (; at < total; at++) {
        encode_varint(out, 1 << 2 | 0);
        encode_varint(out, at);
    }
    encode_varint(out, 0);
}

bool maker_saves;

static void encode_runs(struct encoder *out, const unsigned (*runs)[2], size_t count)
{
    if (maker_saves) {
        encode_saved_runs(out, runs, count);
        return;
    }
    encode_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        encode_varint(out, runs[i][0]);
        encode_varint(out, runs[i][1]);
    }
}

/* The series of rank 0 or 1; adds all its iterations to SUM. */
static void encode_series(struct encoder *out, unsigned rank, struct table *sum)
{
    static const unsigned runs_0[][2] = {{2, 1}, {1, 2}, {2, 1}, {1, 2}},
                          runs_1[][2] = {{5, 1}};
    struct table usual = {0}, slow = {0};
    struct table one = iteration_table(rank, 0);
    struct table two = iteration_table(rank, 1 * MS), five = iteration_table(rank, 3 * MS);
    for (unsigned i = 0; i < (rank ? 5 : 4); i++)
        add_table(&usual, &one);
    struct condensed a = condense_table(&two), b = condense_table(&five);
    struct condensed maxima = rank ? condense_table(&one) : larger(&a, &b);
    encode_varint(out, 1);
    encode_series_head(out, &maxima, 2, rank ? 1 : 2);
    encode_cluster(out, &usual, rank ? 5 : 4, 0);
    encode_spreads(out, &maxima, NULL, NULL);
    add_table(sum, &usual);
    if (rank == 0) {
        add_table(&slow, &two);
        add_table(&slow, &five);
        encode_cluster(out, &slow, 2, 0);
        encode_spreads(out, &maxima, &a, &b);
        add_table(sum, &slow);
        encode_runs(out, runs_0, 4);
    } else {
        encode_runs(out, runs_1, 1);
    }
}

/* The series of a thread with SIZE iterations in one cluster; adds them to SUM. */
static void encode_helper_series(struct encoder *out, const unsigned (*runs)[2],
                                 size_t run_count, unsigned size, struct table *sum)
{
    struct table sums = {0}, one = helper_table();
    for (unsigned i = 0; i < size; i++)
        add_table(&sums, &one);
    struct condensed maxima = condense_table(&one);
    encode_varint(out, 1);
    encode_series_head(out, &maxima, 2, 1);
    encode_cluster(out, &sums, size, 0);
    encode_spreads(out, &maxima, NULL, NULL);
    encode_runs(out, runs, run_count);
    add_table(sum, &sums);
}

/* The series of thread 1 or 2 of rank 0. */
static void encode_helper(struct encoder *out, unsigned thread, struct table *sum)
{
    static const unsigned late[][2] = {{2, 0}, {4, 1}}, short_lived[][2] = {{3, 1}};
    if (thread == 1)
        encode_helper_series(out, late, 2, 4, sum);
    else
        encode_helper_series(out, short_lived, 1, 3, sum);
}

/* Four iterations, each on its own; adds them to SUM. */
static void encode_kept_series(struct encoder *out, unsigned rank, struct table *sum)
{
    static const unsigned runs[][2] = {{1, 1}, {1, 2}, {1, 3}, {1, 4}};
    struct table longest = iteration_table(rank, 3 * MS);
    struct condensed maxima = condense_table(&longest);
    encode_varint(out, 1);
    encode_series_head(out, &maxima, 0, 4);
    for (unsigned i = 0; i < 4; i++) {
        struct table one = iteration_table(rank, i * MS);
        encode_cluster(out, &one, 1, 0);
        encode_signed(out, 1);
        add_table(sum, &one);
    }
    encode_runs(out, runs, 4);
}

static void encode_costs(struct encoder *out)
{
    static const struct {
        const char *key;
        unsigned value;
    } costs[] = {{"calls", 20},
                 {"samples", 5},
                 {"markers", 12},
                 {"marker_ns", 52000},
                 {"samples_in_mpi", 1},
                 {"handler_ns", 8000},
                 {"memory_bytes", 1000000},
                 {"resident_most_bytes", 64000000},
                 {"sample_period_ns", 10000000},
                 {"unwind_failures", 2}};
    size_t count = sizeof costs / sizeof costs[0];
    encode_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        encode_string(out, costs[i].key);
        encode_varint(out, costs[i].value);
    }
}

static void make_location(struct encoder *out, struct place place, unsigned process, bool kept)
{
    unsigned rank = place.rank, thread = place.thread;
    struct table outside = outside_table(thread), whole = outside;
    struct encoder series = {0};
    if (kept)
        encode_kept_series(&series, rank, &whole);
    else if (thread == 0)
        encode_series(&series, rank, &whole);
    else if (rank == 0)
        encode_helper(&series, thread, &whole);
    else
        encode_varint(&series, 0);
    encode_varint(out, rank);
    encode_varint(out, thread);
    encode_varint(out, 1);
    encode_varint(out, process);
    encode_string(out, "");
    encode_varint(out, (uint64_t)wall_ns(&whole));
    encode_varint(out, 1767323045u * UINT64_C(1000000000));
    encode_varint(out, rank == 1 && thread == 0);
    if (rank == 1 && thread == 0)
        encode_string(out, "the paths below depth 64 were cut");
    encode_profile(out, &whole);
    encode_profile(out, &outside);
    encode_bytes(out, series.bytes, series.size);
    encode_costs(out);
    encoder_free(&series);
}

static void make_file(struct maker *maker, const struct place *places, uint32_t count,
                      bool kept)
{
    *maker = (struct maker){
        .version = FORMAT_VERSION, .state = FORMAT_COMPLETE, .location_count = count};
    make_facts(&maker->sections[SECTION_RUN]);
    make_metrics(&maker->sections[SECTION_METRICS]);
    make_modules(&maker->sections[SECTION_MODULES]);
    make_regions(&maker->sections[SECTION_REGIONS]);
    make_calltree(&maker->sections[SECTION_CALLTREE]);
    make_system(&maker->sections[SECTION_SYSTEM]);
    make_phases(&maker->sections[SECTION_PHASES]);
    for (uint32_t i = 0; i < count; i++)
        make_location(&maker->locations[i], places[i], 4000 + i, kept);
}

void maker_example(struct maker *maker)
{
    static const struct place places[] = {{0, 0}, {1, 0}, {1, 1}};
    make_file(maker, places, 3, false);
}

/* Numbers that follow each other, as varints. */
static void encode_all(struct encoder *out, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        encode_varint(out, numbers[i]);
}

void maker_waits(struct maker *maker)
{
    const uint64_t pairs[] = {1, /* location, metric, node, cause + 1, waits, ns, longest */
                              0,
                              METRIC_mpi_collective,
                              NODE_allreduce_1,
                              2,
                              2,
                              3 * US,
                              2 * US,
                              2, /* node, indirect, ns */
                              NODE_solve_1,
                              0,
                              2 * US,
                              NODE_allreduce_2,
                              1,
                              US};
    const uint64_t longest[] = {1, /* location, metric, node, phase + 1, iteration, begin, ns */
                                0,      METRIC_mpi_collective, NODE_allreduce_1, 2, 3, 7 * MS,
                                2 * US, /* cause + 1, node, begin */
                                2,      NODE_allreduce_2,      7 * MS + 2 * US};
    maker_example(maker);
    encode_all(&maker->waits, pairs, sizeof pairs / sizeof *pairs);
    encode_all(&maker->waits, longest, sizeof longest / sizeof *longest);
}

void maker_threads(struct maker *maker)
{
    static const struct place places[] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}};
    make_file(maker, places, 5, false);
}

void maker_kept(struct maker *maker)
{
    static const struct place places[] = {{0, 0}, {1, 0}};
    make_file(maker, places, 2, true);
}

static void encode_entry(struct encoder *map, const struct maker *maker, uint32_t kind,
                         uint32_t location, const struct encoder *content, uint64_t offset)
{
    const size_t begin = map->size;
    const uint32_t version = kind == SECTION_LOCATION ? 5 : kind == SECTION_SYSTEM ? 2 : 1;
    encode_u32(map, kind);
    encode_u32(map, version + maker->version_more);
    encode_u32(map, location);
    encode_u32(map, maker->encoding);
    encode_u64(map, offset);
    encode_u64(map, content->size);
    encode_u64(map, content->size);
    encode_u32(map, crc32_update(0, content->bytes, content->size));
    encode_u32(map, crc32_update(0, map->bytes + begin, map->size - begin));
}

static void encode_header(struct encoder *out, const struct maker *maker, uint64_t size,
                          uint32_t entries)
{
    static const unsigned char zeros[24];
    encode_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
    encode_u32(out, maker->version);
    encode_u32(out, maker->state);
    encode_u64(out, size);
    encode_u64(out, 0x1234567); /* a mark, which does not matter */
    encode_u32(out, entries);
    encode_bytes(out, zeros, sizeof zeros);
    encode_u32(out, crc32_update(0, out->bytes, out->size));
}

void maker_write(const struct maker *maker, struct encoder *out)
{
    struct encoder content = {0}, map = {0};
    const uint32_t entries =
        SECTION_LOCATION - SECTION_RUN + maker->location_count + (maker->waits.size > 0);
    const uint64_t front = FORMAT_HEADER_BYTES + entries * FORMAT_SECTION_BYTES;
    for (uint32_t kind = SECTION_RUN; kind < SECTION_LOCATION; kind++) {
        encode_entry(&map, maker, kind, FORMAT_NO_LOCATION, &maker->sections[kind],
                     front + content.size);
        encode_bytes(&content, maker->sections[kind].bytes, maker->sections[kind].size);
    }
    for (uint32_t i = 0; i < maker->location_count; i++) {
        encode_entry(&map, maker, SECTION_LOCATION, i, &maker->locations[i],
                     front + content.size);
        encode_bytes(&content, maker->locations[i].bytes, maker->locations[i].size);
    }
    if (maker->waits.size > 0) {
        encode_entry(&map, maker, SECTION_WAITS, FORMAT_NO_LOCATION, &maker->waits,
                     front + content.size);
        encode_bytes(&content, maker->waits.bytes, maker->waits.size);
    }
    encode_header(out, maker, front + content.size, entries);
    encode_bytes(out, map.bytes, map.size);
    encode_bytes(out, content.bytes, content.size);
    encoder_free(&content);
    encoder_free(&map);
}

void maker_free(struct maker *maker)
{
    for (size_t i = 0; i < MAKER_SECTIONS; i++)
        encoder_free(&maker->sections[i]);
    for (size_t i = 0; i < MAKER_LOCATIONS; i++)
        encoder_free(&maker->locations[i]);
    encoder_free(&maker->waits);
}

bool maker_save(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

enum { MODULE_PROGRAM = 1, MODULE_LIBGOMP, MODULE_LIBC };

static void put_modules(struct encoder *out, const char *runtime)
{
    const char *const paths[] = {"/home/user/wave", runtime, "/lib/x86_64-linux-gnu/libc.so.6"};
    *out = (struct encoder){0};
    encode_varint(out, 3);
    for (size_t i = 0; i < 3; i++) {
        encode_string(out, paths[i]);
        encode_string(out, "");
    }
}

/* As in the example, but `solve` is a function of the OpenMP runtime, `assemble` and `spin` are
 * of the C library. */
static void put_regions(struct encoder *out)
{
    static const struct {
        const char *name;
        enum format_region_kind kind;
        unsigned module;
    } regions[] = {{FORMAT_ROOT_NAME, REGION_ARTIFICIAL, 0},
                   {"main", REGION_FUNCTION, MODULE_PROGRAM},
                   {"step", REGION_PHASE, 0},
                   {"solve", REGION_FUNCTION, MODULE_LIBGOMP},
                   {"MPI_Allreduce", REGION_MPI, MODULE_LIBC},
                   {"setup", REGION_PHASE, 0},
                   {"assemble", REGION_FUNCTION, MODULE_LIBC},
                   {"[stopped]", REGION_ARTIFICIAL, 0},
                   {"spin", REGION_FUNCTION, MODULE_LIBC}};
    *out = (struct encoder){0};
    encode_varint(out, 9);
    for (size_t i = 0; i < 9; i++) {
        encode_string(out, regions[i].name);
        encode_varint(out, regions[i].kind);
        encode_string(out, "");
        encode_varint(out, 0);
        encode_varint(out, regions[i].module);
        encode_varint(out, 0);
        encode_string(out, "");
    }
}

/* As in the example, but `assemble` is called by `solve`. */
static void put_calltree(struct encoder *out)
{
    static const unsigned nodes[EXAMPLE_NODES][2] = {
        [NODE_program] = {0, 0},     [NODE_main] = {1, 1},    [NODE_step] = {2, 2},
        [NODE_solve_1] = {3, 3},     [NODE_solve_2] = {3, 3}, [NODE_allreduce_1] = {4, 4},
        [NODE_allreduce_2] = {5, 4}, [NODE_setup] = {2, 5},   [NODE_assemble] = {4, 6},
        [NODE_stopped] = {1, 7},     [NODE_spin] = {10, 8},   [NODE_spin_solve] = {11, 3}};
    *out = (struct encoder){0};
    encode_varint(out, EXAMPLE_NODES);
    for (size_t i = 0; i < EXAMPLE_NODES; i++) {
        encode_varint(out, nodes[i][0]);
        encode_varint(out, nodes[i][1]);
        encode_varint(out, 0);
    }
}

void maker_add_openmp(struct maker *maker, const char *runtime)
{
    encoder_free(&maker->sections[SECTION_MODULES]);
    encoder_free(&maker->sections[SECTION_REGIONS]);
    encoder_free(&maker->sections[SECTION_CALLTREE]);
    put_modules(&maker->sections[SECTION_MODULES], runtime);
    put_regions(&maker->sections[SECTION_REGIONS]);
    put_calltree(&maker->sections[SECTION_CALLTREE]);
}

void maker_openmp(struct maker *maker)
{
    maker_threads(maker);
    maker_add_openmp(maker, "/usr/lib/libgomp.so.1");
}
