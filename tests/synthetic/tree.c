/* See tree.h. */
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS_PER_CALL = 4, ONE_MORE_SITE = 9, TEMPLATES = 13 };
enum { PROGRAM_MODULE, MPI_MODULE, MODULES };

#define ITERATION_NS 1e6 /* of computation, with a load of 1: some three times of this */
#define WAITING_NS   8e5 /* in all of MPI, for each unit of load that the rank lacks */
#define FLATNESS     8.0 /* the larger, the less the first functions take of the whole */

/* clang-format off */
static const struct mpi_function functions[] = {
    {"MPI_Sendrecv", "P2P", METRIC_mpi_point2point,
     {METRIC_comms_send, METRIC_comms_recv}, {METRIC_bytes_sent, METRIC_bytes_rcvd}},
    {"MPI_Allreduce", "COLL", METRIC_mpi_collective,
     {METRIC_comms_coll, METRIC_none}, {METRIC_bytes_coll_out, METRIC_bytes_coll_in}},
    {"MPI_Isend", "P2P", METRIC_mpi_point2point,
     {METRIC_comms_send, METRIC_none}, {METRIC_bytes_sent, METRIC_none}},
    {"MPI_Waitall", "P2P", METRIC_mpi_point2point,
     {METRIC_comms_recv, METRIC_none}, {METRIC_bytes_rcvd, METRIC_none}},
    {"MPI_Barrier", "COLL", METRIC_mpi_sync_collective,
     {METRIC_syncs_coll, METRIC_none}, {METRIC_none, METRIC_none}},
    {"MPI_Alltoallv", "COLL", METRIC_mpi_collective,
     {METRIC_comms_coll, METRIC_none}, {METRIC_bytes_coll_out, METRIC_bytes_coll_in}},
    {"MPI_Comm_size", "CG", METRIC_mpi_other,
     {METRIC_none, METRIC_none}, {METRIC_none, METRIC_none}},
};

static const struct mpi_function writing = {
    "MPI_File_write_all", "IO", METRIC_mpi_io_collective,
    {METRIC_io_writes, METRIC_none}, {METRIC_bytes_io_written, METRIC_none}};

static const struct {
    const char *name;
    enum format_region_kind kind;
    enum tree_node parent;
    unsigned line; /* of the call */
} fixed[TREE_FIXED] = {
    [NODE_program] = {FORMAT_ROOT_NAME, REGION_ARTIFICIAL, NODE_program, 0},
    [NODE_main] = {"main", REGION_FUNCTION, NODE_program, 0},
    [NODE_setup] = {"setup", REGION_PHASE, NODE_main, 31},
    [NODE_read_input] = {"read_input", REGION_FUNCTION, NODE_setup, 33},
    [NODE_bcast] = {"MPI_Bcast", REGION_MPI, NODE_read_input, 118},
    [NODE_init] = {"MPI_Init", REGION_MPI, NODE_main, 28},
    [NODE_finalize] = {"MPI_Finalize", REGION_MPI, NODE_main, 70},
    [NODE_timestep] = {NULL, REGION_PHASE, NODE_main, 45},
    [NODE_checkpoint] = {"write_checkpoint", REGION_FUNCTION, NODE_timestep, 61},
    [NODE_write] = {"MPI_File_write_all", REGION_MPI, NODE_checkpoint, 207},
};
/* clang-format on */

/* The summary under construction. */
struct maker {
    const struct synthetic *synthetic;
    struct summary *summary;
    struct work *work; /* by node */
};

static const char *text(struct maker *maker, const char *format, unsigned number)
{
    char buffer[128];
    int length = snprintf(buffer, sizeof buffer, format, number);
    return memory_pool_copy(&maker->summary->pool, buffer, (size_t)length);
}

static void make_metrics(struct maker *maker)
{
    struct summary *summary = maker->summary;
    summary->metric_count = METRIC_COUNT;
    summary->metrics =
        memory_pool_allocate(&summary->pool, METRIC_COUNT, sizeof *summary->metrics);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct metric_info *info = &metric_table[m];
        summary->metrics[m] = (struct metric_entry){
            .name = info->name,
            .parent = info->parent == METRIC_none ? SUMMARY_NONE : (uint32_t)info->parent,
            .unit = metric_unit_name(info->unit),
            .scale = info->unit == UNIT_seconds ? 9 : 0,
            .kind = info->measured ? FORMAT_METRIC_MEASURED : FORMAT_METRIC_DERIVED,
            .text = info->text};
    }
}

static void make_modules(struct maker *maker)
{
    static struct module_entry modules[MODULES] = {
        [PROGRAM_MODULE] = {"/opt/synthetic/bin/waves", "5e7c0de5"},
        [MPI_MODULE] = {"/usr/lib/libmpi.so.12", ""}};
    maker->summary->modules = modules;
    maker->summary->module_count = MODULES;
}

/* Adds a region and returns its number. */
static uint32_t add_region(struct maker *maker, const char *name, enum format_region_kind kind,
                           const char *group)
{
    struct summary *summary = maker->summary;
    uint32_t number = (uint32_t)summary->region_count++;
    const bool code = kind == REGION_FUNCTION;
    summary->regions[number] = (struct region_entry){
        .name = name,
        .kind = kind,
        .file = code ? text(maker, "/opt/synthetic/src/part%02u.c", number % 17) : "",
        .line = code ? 10 + 37 * (number / 17) : 0,
        .module = code                 ? PROGRAM_MODULE
                  : kind == REGION_MPI ? MPI_MODULE
                                       : SUMMARY_NONE,
        .offset = code ? 0x1000 + 64 * number : 0,
        .group = group};
    return number;
}

/* Finds or adds the region of an MPI function. */
static uint32_t mpi_region(struct maker *maker, const char *name, const char *group)
{
    for (uint32_t i = 0; i < maker->summary->region_count; i++)
        if (strcmp(maker->summary->regions[i].name, name) == 0)
            return i;
    return add_region(maker, name, REGION_MPI, group);
}

static uint32_t add_node(struct maker *maker, uint32_t parent, uint32_t region, unsigned line)
{
    struct summary *summary = maker->summary;
    summary->nodes[summary->node_count] =
        (struct call_node){.parent = parent, .region = region, .line = line};
    return (uint32_t)summary->node_count++;
}

static void make_fixed_nodes(struct maker *maker)
{
    for (unsigned i = 0; i < TREE_FIXED; i++) {
        const char *name = fixed[i].name ? fixed[i].name : maker->synthetic->phase;
        const char *group = fixed[i].kind != REGION_MPI ? "" : i == NODE_write ? "IO" : "ENV";
        uint32_t region = add_region(maker, name, fixed[i].kind, group);
        add_node(maker, i ? fixed[i].parent : SUMMARY_NONE, region, fixed[i].line);
    }
    maker->work[NODE_timestep] = (struct work){.ns = 2e4, .visits = 1};
    maker->work[NODE_checkpoint] = (struct work){.ns = 4e5, .visits = 1, .checkpoint = true};
    maker->work[NODE_write] = (struct work){
        .ns = 1e6, .visits = 2, .bytes = 1 << 20, .mpi = &writing, .checkpoint = true};
}

static const char *function_name(struct maker *maker, unsigned function)
{
    static const char *const verbs[] = {"update_",  "solve_",  "assemble_", "advance_",
                                        "project_", "smooth_", "exchange_", "restrict_"};
    static const char *const things[] = {"pressure",  "velocity", "halo",
                                         "particles", "matrix",   "residual",
                                         "field",     "fluxes",   "borders"};
    char format[64];
    if (function == 0)
        return maker->synthetic->region;
    if (function % TEMPLATES == TEMPLATES - 1)
        return text(maker, "grid<double, %uu>::apply(field<double> const&, int)", function);
    snprintf(format, sizeof format, "%s%s_%%u", verbs[function % 8], things[function % 9]);
    return text(maker, format, function);
}

/* Call CALLS of an MPI function, from PARENT. */
static void add_call(struct maker *maker, unsigned calls, uint32_t parent, unsigned line)
{
    const struct mpi_function *mpi = &functions[calls % (sizeof functions / sizeof *functions)];
    uint32_t node = add_node(maker, parent, mpi_region(maker, mpi->name, mpi->group), line);
    maker->work[node] = (struct work){.ns = WAITING_NS / (calls + 2),
                                      .follows = calls % 2 ? FOLLOWS_NOTHING : FOLLOWS_LACK,
                                      .visits = 1 + calls % 3,
                                      .bytes = 800 * (1 + calls % 7),
                                      .mpi = mpi};
}

/* One more function, after those at NODES; some are called once more where the last one was. */
static uint32_t add_function(struct maker *maker, const uint32_t *nodes, unsigned made,
                             unsigned line)
{
    uint32_t parent = made < 3 ? (uint32_t)NODE_timestep : nodes[made * 5 / 8], region;
    if (made % ONE_MORE_SITE == ONE_MORE_SITE - 1) {
        const struct call_node *before = &maker->summary->nodes[nodes[made - 1]];
        parent = before->parent;
        region = before->region;
    } else {
        region = add_region(maker, function_name(maker, made), REGION_FUNCTION, "");
    }
    uint32_t node = add_node(maker, parent, region, line);
    maker->work[node] = (struct work){.ns = ITERATION_NS / (made + FLATNESS),
                                      .follows = made % 2 ? FOLLOWS_NOTHING : FOLLOWS_LOAD,
                                      .visits = made % 5 ? 0 : 1 + made % 7};
    return node;
}

/* The paths below the main loop: functions that call each other, and MPI. */
static void make_other_nodes(struct maker *maker)
{
    enum { FIRST_LINE = 20 };
    const unsigned count = maker->synthetic->paths - TREE_FIXED;
    uint32_t *nodes = allocate(count, sizeof *nodes);
    unsigned calls = 0, made = 0; /* of MPI functions; functions */
    for (unsigned i = 0; i < count; i++)
        if (i % PATHS_PER_CALL == PATHS_PER_CALL - 1) {
            add_call(maker, calls++, nodes[made * 4 / 5], FIRST_LINE + i);
        } else {
            nodes[made] = add_function(maker, nodes, made, FIRST_LINE + i);
            made++;
        }
    free(nodes);
}

static void make_tree(struct maker *maker)
{
    struct summary *summary = maker->summary;
    const unsigned paths = maker->synthetic->paths;
    summary->regions = memory_pool_allocate(&summary->pool, paths, sizeof *summary->regions);
    summary->nodes = memory_pool_allocate(&summary->pool, paths, sizeof *summary->nodes);
    maker->work = memory_pool_allocate(&summary->pool, paths, sizeof *maker->work);
    make_fixed_nodes(maker);
    make_other_nodes(maker);
}

static void make_system(struct maker *maker)
{
    static struct fact facts[] = {{"processor", "A Processor of Some Model @ 2.40GHz"},
                                  {"processors", "64"}};
    struct summary *summary = maker->summary;
    summary->host_count = (maker->synthetic->ranks + RANKS_PER_HOST - 1) / RANKS_PER_HOST;
    summary->hosts =
        memory_pool_allocate(&summary->pool, summary->host_count, sizeof *summary->hosts);
    for (unsigned i = 0; i < summary->host_count; i++)
        summary->hosts[i] = (struct host_entry){text(maker, "node%05u", i), facts, 2};
}

static void make_phases(struct maker *maker)
{
    struct summary *summary = maker->summary;
    summary->phase_count = TREE_PHASES;
    summary->phases =
        memory_pool_allocate(&summary->pool, TREE_PHASES, sizeof *summary->phases);
    summary->phases[PHASE_setup] =
        (struct phase_entry){"setup", summary->nodes[NODE_setup].region, false};
    summary->phases[PHASE_timestep] = (struct phase_entry){
        maker->synthetic->phase, summary->nodes[NODE_timestep].region, true};
}

static void make_facts(struct maker *maker)
{
    struct summary *summary = maker->summary;
    const struct fact facts[] = {
        {"program", "waves"},
        {"command", "waves --synthetic"},
        {"start", "2026-01-02T03:04:05Z"},
        {"end", "2026-01-02T04:04:05Z"},
        {"mpi", "MPICH Version: 4.0.2"},
        {"ranks", text(maker, "%u", maker->synthetic->ranks)},
        {"host", "node00000"},
        {"clock", "tsc"},
        {"clock_hz", "2400000000"},
        {"timer", "cpu"},
        {"tsprof", "0.1.0"},
        {"setting.CLUSTERS", text(maker, "%u", maker->synthetic->clusters)},
        {"setting.CLUSTERS.source", "environment"},
    };
    summary->fact_count = sizeof facts / sizeof facts[0];
    summary->facts =
        memory_pool_allocate(&summary->pool, summary->fact_count, sizeof *summary->facts);
    memcpy(summary->facts, facts, sizeof facts);
}

static void make_topologies(struct maker *maker)
{
    const struct synthetic *synthetic = maker->synthetic;
    struct memory_pool *pool = &maker->summary->pool;
    struct topology_list *list = &maker->summary->topologies;
    list->items = memory_pool_allocate(pool, 1, sizeof *list->items);
    list->count = synthetic->grid;
    struct topology *grid = &list->items[0];
    *grid = (struct topology){.name = "grid",
                              .kind = TOPOLOGY_CARTESIAN,
                              .times = 1,
                              .runs = memory_pool_allocate(pool, 1, sizeof *grid->runs),
                              .run_count = 1,
                              .members = synthetic->ranks,
                              .dimensions = memory_pool_allocate(pool, synthetic->dimensions,
                                                                 sizeof *grid->dimensions),
                              .dimension_count = synthetic->dimensions};
    grid->runs[0] = (struct rank_run){0, 1, synthetic->ranks};
    for (unsigned d = 0; d < synthetic->dimensions; d++)
        grid->dimensions[d] = (struct dimension){synthetic->sizes[d], true};
}

const struct work *tree_make(const struct synthetic *synthetic, struct summary *summary)
{
    struct maker maker = {synthetic, summary, NULL};
    summary->state = FORMAT_COMPLETE;
    make_metrics(&maker);
    make_modules(&maker);
    make_tree(&maker);
    make_system(&maker);
    make_phases(&maker);
    make_facts(&maker);
    make_topologies(&maker);
    return maker.work;
}
