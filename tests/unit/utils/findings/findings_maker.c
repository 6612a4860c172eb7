/* Summaries made by a rule.  See findings_maker.h. */
#include "tests/unit/utils/findings/findings_maker.h"

#include "common/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 15 /* of an iteration of a rank */

static double random_share(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u; /* splitmix64 */
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

double random_normal(uint64_t *state)
{
    double a = random_share(state), b = random_share(state);
    return sqrt(-2 * log(a)) * cos(2 * 3.14159265358979323846 * b);
}

void made_metrics(struct summary *summary, struct memory_pool *pool)
{
    summary->metric_count = METRIC_COUNT;
    summary->metrics = memory_pool_allocate(pool, METRIC_COUNT, sizeof *summary->metrics);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct metric_info *info = &metric_table[m];
        summary->metrics[m] =
            (struct metric_entry){info->name,
                                  info->parent < 0 ? SUMMARY_NONE : (uint32_t)info->parent,
                                  metric_unit_name(info->unit),
                                  info->unit == UNIT_seconds ? 9 : 0,
                                  FORMAT_METRIC_MEASURED,
                                  info->text};
    }
}

static void make_tree(struct made *made)
{
    static const struct region_entry regions[MADE_NODES] = {
        [MADE_program] = {"program", REGION_ARTIFICIAL, "", 0, SUMMARY_NONE, 0, ""},
        [MADE_main] = {"main", REGION_FUNCTION, "/src/main.c", 10, SUMMARY_NONE, 0, ""},
        [MADE_step] = {"step", REGION_PHASE, "", 0, SUMMARY_NONE, 0, ""},
        [MADE_solve] = {"solve", REGION_FUNCTION, "/src/solve.c", 42, SUMMARY_NONE, 0, ""},
        [MADE_wait] = {"MPI_Allreduce", REGION_MPI, "", 0, SUMMARY_NONE, 0, "COLL"},
        [MADE_write] = {"write<int>", REGION_FUNCTION, "/src/io.c", 7, SUMMARY_NONE, 0, ""},
        [MADE_message] = {"MPI_Send", REGION_MPI, "", 0, SUMMARY_NONE, 0, "P2P"},
    };
    static const struct call_node nodes[MADE_NODES + 1] = {
        [MADE_program] = {SUMMARY_NONE, MADE_program, 0},
        [MADE_main] = {0, MADE_main, 0},
        [MADE_step] = {MADE_main, MADE_step, 12},
        [MADE_solve] = {MADE_step, MADE_solve, 14},
        [MADE_wait] = {MADE_solve, MADE_wait, 50},
        [MADE_write] = {MADE_step, MADE_write, 15},
        [MADE_message] = {MADE_step, MADE_message, 16},
        [MADE_again] = {MADE_write, MADE_message, 9},
    };
    struct summary *summary = &made->summary;
    summary->region_count = MADE_NODES;
    summary->node_count = MADE_NODES + 1;
    summary->regions = memory_pool_allocate(&made->pool, MADE_NODES, sizeof *summary->regions);
    summary->nodes = memory_pool_allocate(&made->pool, MADE_NODES + 1, sizeof *summary->nodes);
    memcpy(summary->regions, regions, sizeof regions);
    memcpy(summary->nodes, nodes, sizeof nodes);
    summary->phase_count = 1;
    summary->phases = memory_pool_allocate(&made->pool, 1, sizeof *summary->phases);
    summary->phases[0] = (struct phase_entry){"step", MADE_step, true};
}

static void add_cell(struct profile *profile, uint32_t node, uint32_t metric, double value)
{
    profile->cells[profile->count++] = (struct cell){node, metric, llround(value)};
}

static void fill_cluster(struct made *made, struct cluster *cluster,
                         const struct made_iteration *iteration, double wait)
{
    cluster->size = 1;
    cluster->sums.cells = memory_pool_allocate(&made->pool, MOST_CELLS, sizeof(struct cell));
    if (iteration->preempted > 0)
        add_cell(&cluster->sums, MADE_step, METRIC_preempted, iteration->preempted);
    add_cell(&cluster->sums, MADE_step, METRIC_visits, 1);
    if (iteration->unknown > 0)
        add_cell(&cluster->sums, MADE_step, METRIC_computation, iteration->unknown);
    add_cell(&cluster->sums, MADE_solve, METRIC_computation, iteration->solve);
    add_cell(&cluster->sums, MADE_wait, METRIC_mpi_collective, iteration->send + wait);
    add_cell(&cluster->sums, MADE_write, METRIC_computation, iteration->write);
    if (iteration->message > 0) {
        add_cell(&cluster->sums, MADE_message, METRIC_mpi_point2point, iteration->message);
        add_cell(&cluster->sums, MADE_message, METRIC_visits, iteration->messages);
        add_cell(&cluster->sums, MADE_message, METRIC_comms_send, iteration->messages);
        add_cell(&cluster->sums, MADE_message, METRIC_bytes_sent, iteration->bytes);
    }
    if (iteration->again > 0) {
        add_cell(&cluster->sums, MADE_again, METRIC_mpi_point2point, iteration->again);
        add_cell(&cluster->sums, MADE_again, METRIC_visits, 1);
    }
    if (iteration->samples > 0)
        add_cell(&cluster->sums, MADE_write, METRIC_samples, iteration->samples);
    if (iteration->others > 0)
        add_cell(&cluster->sums, MADE_solve, METRIC_samples, iteration->others);
}

static void make_locations(struct made *made, uint32_t ranks, uint64_t iterations)
{
    struct summary *summary = &made->summary;
    summary->location_count = ranks;
    summary->locations = memory_pool_allocate(&made->pool, ranks, sizeof *summary->locations);
    for (uint32_t r = 0; r < ranks; r++) {
        struct location *location = &summary->locations[r];
        struct series *series = memory_pool_allocate(&made->pool, 1, sizeof *series);
        *location = (struct location){.rank = r, .host = SUMMARY_NONE, .ending = ""};
        location->series = series;
        location->series_count = 1;
        series->parent_phase = SUMMARY_NONE;
        series->clustering = "szebenyi";
        series->iterations = iterations;
        series->cluster_count = series->run_count = (size_t)iterations;
        series->clusters =
            memory_pool_allocate(&made->pool, series->cluster_count, sizeof *series->clusters);
        series->runs =
            memory_pool_allocate(&made->pool, series->run_count, sizeof *series->runs);
        for (uint64_t i = 0; i < iterations; i++)
            series->runs[i] = (struct run){i, 1, (uint32_t)i, false};
    }
}

void made_fill(struct made *made, uint32_t ranks, uint64_t iterations, made_rule *rule,
               uint64_t seed)
{
    struct made_iteration *all = allocate(ranks, sizeof *all);
    double *computing = allocate(ranks, sizeof *computing);
    uint64_t *random = allocate(ranks, sizeof *random);
    memset(made, 0, sizeof *made);
    made->summary.path = "made";
    made_metrics(&made->summary, &made->pool);
    make_tree(made);
    make_locations(made, ranks, iterations);
    for (uint32_t r = 0; r < ranks; r++)
        random[r] = seed * 1000003 + r;
    for (uint64_t i = 0; i < iterations; i++) {
        double slowest = 0;
        for (uint32_t r = 0; r < ranks; r++) {
            all[r] = rule(r, i, &random[r]);
            computing[r] = all[r].solve + all[r].write + all[r].unknown;
            slowest = fmax(slowest, computing[r]);
        }
        for (uint32_t r = 0; r < ranks; r++)
            fill_cluster(made, &made->summary.locations[r].series->clusters[i], &all[r],
                         slowest - computing[r]);
    }
    free(all);
    free(computing);
    free(random);
}

void made_free(struct made *made)
{
    memory_pool_free(&made->pool);
}
