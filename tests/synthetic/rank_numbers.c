/* See rank_numbers.h. */
#include "rank_numbers.h"

#include "file/write_summary.h"
#include "load.h"

#include <stdlib.h>
#include <string.h>

enum { OVERHEAD_NS = 5000 /* of an iteration */, NEVER = -1 };

#define PERIOD_NS 500 /* between two samples, for each iteration that there is */

#define RANKS_DIFFER    0.2 /* in what a path takes */
#define CLUSTERS_DIFFER 0.04
#define SPREAD          0.02 /* of iterations in a cluster: standard deviation, of the mean */
#define MAXIMUM         1.05 /* the largest of them, of the mean */

/* Values by node and metric. */
struct table {
    int64_t (*values)[METRIC_COUNT];
    uint32_t nodes;
};

/* One rank being made. */
struct maker {
    const struct synthetic *synthetic;
    const struct summary *summary;
    const struct work *work;
    unsigned rank;
    struct memory_pool pool; /* what `location` points to */
    struct location location;
    struct table whole, cluster; /* sums of all so far; of the cluster that is made */
    int32_t *clusters;           /* by state; NEVER: the rank is not in it */
};

static struct table table_make(const struct summary *summary)
{
    uint32_t nodes = (uint32_t)summary->node_count;
    return (struct table){allocate(nodes, sizeof(int64_t[METRIC_COUNT])), nodes};
}

static void table_clear(struct table *table)
{
    memset(table->values, 0, table->nodes * sizeof *table->values);
}

static bool is_time(uint32_t metric)
{
    return metric_table[metric].unit == UNIT_seconds;
}

static int64_t table_wall_ns(const struct table *table)
{
    int64_t sum = 0;
    for (uint32_t n = 0; n < table->nodes; n++)
        for (uint32_t m = 0; m < METRIC_COUNT; m++)
            sum += is_time(m) ? table->values[n][m] : 0;
    return sum;
}

static void table_add(struct table *sum, const struct table *more)
{
    for (uint32_t n = 0; n < sum->nodes; n++)
        for (uint32_t m = 0; m < METRIC_COUNT; m++)
            sum->values[n][m] += more->values[n][m];
}

/* What is not zero, in the order of doc/format.md. */
static struct profile table_profile(const struct table *table, struct memory_pool *pool)
{
    struct profile profile = {0};
    for (uint32_t n = 0; n < table->nodes; n++)
        for (uint32_t m = 0; m < METRIC_COUNT; m++)
            profile.count += table->values[n][m] != 0;
    profile.cells = memory_pool_allocate(pool, profile.count, sizeof *profile.cells);
    size_t at = 0;
    for (uint32_t n = 0; n < table->nodes; n++)
        for (uint32_t m = 0; m < METRIC_COUNT; m++)
            if (table->values[n][m] != 0)
                profile.cells[at++] = (struct cell){n, m, table->values[n][m]};
    return profile;
}

/* About 1: how RANK differs from others in what NODE takes, and clusters do. */
static double variation(const struct maker *maker, uint32_t node, unsigned state)
{
    const uint64_t seed = maker->synthetic->seed;
    return 1 + RANKS_DIFFER * (synthetic_chance(seed, maker->rank, node, 4) - 0.5) +
           CLUSTERS_DIFFER * (synthetic_chance(seed, maker->rank, node, 5 + state) - 0.5);
}

static double load_factor(enum follows follows, double load)
{
    return follows == FOLLOWS_LOAD ? load : follows == FOLLOWS_LACK ? LOAD_MOST - load : 1;
}

/* The visits of a path in SIZE iterations, and what an MPI function counts. */
static void add_counts(int64_t values[METRIC_COUNT], const struct work *work, uint64_t size,
                       double factor)
{
    const int64_t visits = (int64_t)(work->visits * size);
    values[METRIC_visits] += visits;
    for (int i = 0; work->mpi && i < 2; i++) {
        if (work->mpi->counts[i] != METRIC_none)
            values[work->mpi->counts[i]] += visits;
        if (work->mpi->bytes[i] != METRIC_none)
            values[work->mpi->bytes[i]] += (int64_t)(work->bytes * factor) * (int64_t)size;
    }
}

static int64_t sample_period_ns(const struct synthetic *synthetic)
{
    return PERIOD_NS * (int64_t)(synthetic->iterations ? synthetic->iterations : 1);
}

/* Computation is where samples found it: NODE takes NS in iterations of STATE. */
static void add_computation(const struct maker *maker, int64_t values[METRIC_COUNT], double ns,
                            uint32_t node, unsigned state)
{
    const double period_ns = (double)sample_period_ns(maker->synthetic);
    double chance = synthetic_chance(maker->synthetic->seed, maker->rank, node, ~0u - state);
    int64_t samples = (int64_t)(ns / period_ns + chance);
    values[METRIC_samples] = samples;
    values[METRIC_computation] =
        (int64_t)((double)samples * period_ns * variation(maker, node, state));
}

/* The sums of SIZE iterations in STATE. */
static void fill_cluster(struct maker *maker, unsigned state, uint64_t size)
{
    const struct state like = load_describe(maker->synthetic, state);
    table_clear(&maker->cluster);
    for (uint32_t n = 0; n < maker->cluster.nodes; n++) {
        const struct work *work = &maker->work[n];
        int64_t *values = maker->cluster.values[n];
        if (work->ns == 0 || (work->checkpoint && like.kind != STATE_CHECKPOINT))
            continue;
        double factor = load_factor(work->follows, like.load);
        double ns = work->ns * factor * variation(maker, n, state) * (double)size;
        add_counts(values, work, size, factor);
        if (work->mpi)
            values[work->mpi->time] = (int64_t)ns;
        else
            add_computation(maker, values, like.kind == STATE_OUTLIER ? 3 * ns : ns, n, state);
    }
    maker->cluster.values[NODE_timestep][METRIC_overhead] = OVERHEAD_NS * (int64_t)size;
}

/* The condensed values of a cluster, summed over its iterations. */
static void condense(const struct table *table, int64_t values[METRIC_COUNT])
{
    memset(values, 0, METRIC_COUNT * sizeof *values);
    for (uint32_t n = 0; n < table->nodes; n++)
        for (uint32_t m = 0; m < METRIC_COUNT; m++)
            values[m] += table->values[n][m];
    values[METRIC_overhead] = values[METRIC_preempted] = 0;
    values[METRIC_samples] = values[METRIC_samples_failed] = 0;
    metric_make_inclusive(values);
}

/* Times and sizes differ inside a cluster, counts do not. */
static bool varies(uint32_t metric)
{
    return metric_table[metric].unit != UNIT_occurrences;
}

static void add_maxima(struct series *series, const int64_t (*condensed)[METRIC_COUNT],
                       struct memory_pool *pool)
{
    series->maxima = memory_pool_allocate(pool, METRIC_COUNT, sizeof *series->maxima);
    for (uint32_t m = 0; m < METRIC_COUNT; m++) {
        double most = 0;
        for (size_t c = 0; c < series->cluster_count; c++) {
            double mean = (double)condensed[c][m] / (double)series->clusters[c].size;
            most = mean > most ? mean : most;
        }
        uint64_t value = (uint64_t)(most * (varies(m) ? MAXIMUM : 1));
        if (value > 0)
            series->maxima[series->maximum_count++] = (struct maximum){m, value};
    }
}

static void add_spreads(const struct series *series, struct cluster *cluster,
                        const int64_t condensed[METRIC_COUNT], struct memory_pool *pool)
{
    if (cluster->size == 1)
        return;
    cluster->spreads =
        memory_pool_allocate(pool, series->maximum_count, sizeof *cluster->spreads);
    for (size_t i = 0; i < series->maximum_count; i++) {
        uint32_t metric = series->maxima[i].metric;
        double deviation = SPREAD * (double)condensed[metric] / (double)cluster->size;
        cluster->spreads[i] =
            varies(metric) ? (double)cluster->size * deviation * deviation : 0;
    }
}

/* Numbers clusters in the order of their first iterations, and counts what is in them. */
static void map_iterations(struct maker *maker, struct series *series, unsigned *states)
{
    const struct synthetic *synthetic = maker->synthetic;
    series->runs =
        memory_pool_allocate(&maker->pool, synthetic->iterations, sizeof *series->runs);
    series->clusters =
        memory_pool_allocate(&maker->pool, synthetic->clusters, sizeof *series->clusters);
    for (unsigned s = 0; s < synthetic->clusters; s++)
        maker->clusters[s] = NEVER;
    for (unsigned i = 0; i < synthetic->iterations; i++) {
        unsigned state = load_state(synthetic, maker->rank, i);
        if (maker->clusters[state] == NEVER) {
            states[series->cluster_count] = state;
            maker->clusters[state] = (int32_t)series->cluster_count++;
        }
        uint32_t cluster = (uint32_t)maker->clusters[state];
        struct run *last = series->run_count ? &series->runs[series->run_count - 1] : NULL;
        if (last && last->cluster == cluster)
            last->length++;
        else
            series->runs[series->run_count++] = (struct run){i, 1, cluster, false};
        series->clusters[cluster].size++;
    }
    series->iterations = synthetic->iterations;
}

/* The class of iterations: those with a checkpoint have other call paths. */
static void add_classes(struct series *series, const struct synthetic *synthetic,
                        const unsigned *states)
{
    enum state_kind kinds[2]; /* by class */
    for (size_t c = 0; c < series->cluster_count; c++) {
        enum state_kind kind = load_describe(synthetic, states[c]).kind;
        kind = kind == STATE_OUTLIER ? STATE_USUAL : kind;
        uint64_t class_id = 0;
        while (class_id < series->classes && kinds[class_id] != kind)
            class_id++;
        if (class_id == series->classes)
            kinds[series->classes++] = kind;
        series->clusters[c].class_id = class_id;
    }
}

static void add_series(struct maker *maker)
{
    const unsigned most = maker->synthetic->clusters;
    unsigned *states = allocate(most, sizeof *states); /* by cluster */
    int64_t(*condensed)[METRIC_COUNT] = allocate(most, sizeof *condensed);
    struct series *series = memory_pool_allocate(&maker->pool, 1, sizeof *series);
    *series = (struct series){.phase = PHASE_timestep,
                              .parent_phase = SUMMARY_NONE,
                              .equivalence = 1, /* strong */
                              .clustering = "szebenyi",
                              .asked = most};
    map_iterations(maker, series, states);
    add_classes(series, maker->synthetic, states);
    for (size_t c = 0; c < series->cluster_count; c++) {
        fill_cluster(maker, states[c], series->clusters[c].size);
        series->clusters[c].wall_ns = table_wall_ns(&maker->cluster);
        series->clusters[c].sums = table_profile(&maker->cluster, &maker->pool);
        condense(&maker->cluster, condensed[c]);
        table_add(&maker->whole, &maker->cluster);
    }
    add_maxima(series, condensed, &maker->pool);
    for (size_t c = 0; c < series->cluster_count; c++)
        add_spreads(series, &series->clusters[c], condensed[c], &maker->pool);
    maker->location.series = series;
    maker->location.series_count = 1;
    free(states);
    free(condensed);
}

/* What is outside of all iterations. */
static void add_outside(struct maker *maker)
{
    struct table *table = &maker->whole;
    table->values[NODE_main][METRIC_computation] = 12000000;
    table->values[NODE_main][METRIC_visits] = 1;
    table->values[NODE_setup][METRIC_visits] = 1;
    table->values[NODE_read_input][METRIC_computation] =
        (int64_t)(1.5e9 * variation(maker, NODE_read_input, 0));
    table->values[NODE_read_input][METRIC_samples] = 150;
    table->values[NODE_bcast][METRIC_mpi_collective] =
        (int64_t)(2e8 * variation(maker, NODE_bcast, 0));
    table->values[NODE_bcast][METRIC_visits] = 3;
    table->values[NODE_bcast][METRIC_comms_coll] = 3;
    table->values[NODE_bcast][METRIC_bytes_coll_in] = 3 << 20;
    table->values[NODE_init][METRIC_mpi_setup] = 300000000;
    table->values[NODE_init][METRIC_visits] = 1;
    table->values[NODE_finalize][METRIC_mpi_setup] = 100000000;
    table->values[NODE_finalize][METRIC_visits] = 1;
    table->values[NODE_program][METRIC_overhead] = 5000000;
    maker->location.outside = table_profile(table, &maker->pool);
}

static void add_costs(struct maker *maker)
{
    int64_t calls = 0, samples = 0;
    for (uint32_t n = 0; n < maker->whole.nodes; n++) {
        const int64_t *values = maker->whole.values[n];
        const uint32_t region = maker->summary->nodes[n].region;
        if (maker->summary->regions[region].kind == REGION_MPI)
            calls += values[METRIC_visits];
        samples += values[METRIC_samples];
    }
    const struct cost_fact costs[] = {
        {"calls", (uint64_t)calls},
        {"markers", UINT64_C(2) * maker->synthetic->iterations + 2},
        {"marker_ns", UINT64_C(3000) * maker->synthetic->iterations},
        {"samples", (uint64_t)samples},
        {"samples_in_mpi", (uint64_t)samples / 5},
        {"handler_ns", (uint64_t)samples * 1500},
        {"memory_bytes", 1800000},
        {"resident_most_bytes", 200000000 + UINT64_C(1000000) * maker->location.rank},
        {"sample_period_ns", (uint64_t)sample_period_ns(maker->synthetic)},
        {"unwind_failures", 0},
    };
    maker->location.cost_count = sizeof costs / sizeof costs[0];
    maker->location.costs = memory_pool_allocate(&maker->pool, maker->location.cost_count,
                                                 sizeof *maker->location.costs);
    memcpy(maker->location.costs, costs, sizeof costs);
}

void rank_numbers_encode(const struct synthetic *synthetic, const struct summary *summary,
                         const struct work *work, unsigned rank, struct encoder *out)
{
    struct maker maker = {.synthetic = synthetic,
                          .summary = summary,
                          .work = work,
                          .rank = rank,
                          .whole = table_make(summary),
                          .cluster = table_make(summary),
                          .clusters = allocate(synthetic->clusters, sizeof *maker.clusters)};
    maker.location = (struct location){.rank = rank,
                                       .host = rank / RANKS_PER_HOST,
                                       .process = 4000 + rank,
                                       .ending = "",
                                       .start_ns = UINT64_C(1767323045000000000)};
    add_outside(&maker);
    if (synthetic->iterations > 0)
        add_series(&maker);
    maker.location.wall_ns = table_wall_ns(&maker.whole);
    maker.location.whole = table_profile(&maker.whole, &maker.pool);
    add_costs(&maker);
    summary_encode_location(&maker.location, out);
    free(maker.whole.values);
    free(maker.cluster.values);
    free(maker.clusters);
    memory_pool_free(&maker.pool);
}
