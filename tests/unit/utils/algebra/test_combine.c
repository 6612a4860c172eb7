/*
 * Definitions of two summaries as one: what is the same by which of its properties, and that
 * values which are carried over add up.
 */
#include "algebra/combine.h"

#include "tap.h"

#include <string.h>

enum { METRICS = 3, MODULES = 2, REGIONS = 5, NODES = 5, PHASES = 1, HOSTS = 1 };

/* A summary that a test changes before it is combined. */
struct made {
    struct summary summary;
    struct fact facts[1];
    struct metric_entry metrics[METRICS];
    struct module_entry modules[MODULES];
    struct region_entry regions[REGIONS];
    struct call_node nodes[NODES];
    struct phase_entry phases[PHASES];
    struct host_entry hosts[HOSTS];
};

enum region { REGION_root, REGION_main, REGION_solve, REGION_send, REGION_step };
enum node { NODE_root, NODE_main, NODE_step, NODE_solve, NODE_send };

/* program > main > step > solve > MPI_Send, of a program called PROGRAM. */
static void make(struct made *made, const char *program, const char *path)
{
    *made = (struct made){
        .facts = {{"program", program}},
        .metrics = {{"time", SUMMARY_NONE, "s", 9, FORMAT_METRIC_DERIVED, ""},
                    {"computation", 0, "s", 9, FORMAT_METRIC_MEASURED, ""},
                    {"visits", SUMMARY_NONE, "occ", 0, FORMAT_METRIC_MEASURED, ""}},
        .modules = {{path, "aa"}, {"/lib/libmpi.so", "bb"}},
        .regions = {{.name = "program", .kind = REGION_ARTIFICIAL, .module = SUMMARY_NONE},
                    {.name = "main", .kind = REGION_FUNCTION, .module = 0, .offset = 16},
                    {.name = "solve", .kind = REGION_FUNCTION, .module = 0, .offset = 32},
                    {.name = "MPI_Send", .kind = REGION_MPI, .module = 1, .group = "P2P"},
                    {.name = "step", .kind = REGION_PHASE, .module = SUMMARY_NONE}},
        .nodes = {{SUMMARY_NONE, REGION_root, 0},
                  {NODE_root, REGION_main, 0},
                  {NODE_main, REGION_step, 10},
                  {NODE_step, REGION_solve, 20},
                  {NODE_solve, REGION_send, 30}},
        .phases = {{"step", REGION_step, true}},
        .hosts = {{.name = "node01"}},
    };
    for (int i = 0; i < REGIONS; i++)
        made->regions[i].file = "";
    made->summary = (struct summary){.path = "made",
                                     .facts = made->facts,
                                     .fact_count = 1,
                                     .metrics = made->metrics,
                                     .metric_count = METRICS,
                                     .modules = made->modules,
                                     .module_count = MODULES,
                                     .regions = made->regions,
                                     .region_count = REGIONS,
                                     .nodes = made->nodes,
                                     .node_count = NODES,
                                     .phases = made->phases,
                                     .phase_count = PHASES,
                                     .hosts = made->hosts,
                                     .host_count = HOSTS};
}

static struct made a, b;

static void make_both(void)
{
    make(&a, "wave", "/home/a/wave");
    make(&b, "wave", "/home/b/wave");
}

static struct combined *combine_both(void)
{
    const struct summary *const both[] = {&a.summary, &b.summary};
    return combine(both, 2);
}

static void test_the_same_twice(void)
{
    make_both();
    struct combined *combined = combine_both();
    const struct summary *all = combined->summary;
    EQ_INT(combined->count, 2, "two summaries have two translations");
    OK(combined->translations[0].from == &a.summary &&
           combined->translations[1].from == &b.summary,
       "in their order");
    EQ_INT(all->metric_count, METRICS, "metrics of one name and unit are one");
    EQ_INT(all->module_count, MODULES, "modules of one base name are, wherever they lie");
    EQ_INT(all->region_count, REGIONS, "and regions");
    EQ_INT(all->node_count, NODES, "and call paths");
    EQ_INT(all->phase_count, PHASES, "and phases");
    EQ_INT(all->host_count, HOSTS, "and hosts");
    OK(!all->phases[0].kept, "no phase has iterations");
    EQ_INT(all->location_count + all->fact_count, 0, "there are no locations and no facts");
    bool same = true;
    for (uint32_t n = 0; n < NODES; n++)
        same = same && combined->translations[0].node_of[n] == n &&
               combined->translations[1].node_of[n] == n &&
               all->nodes[n].line == a.nodes[n].line;
    OK(same, "call paths keep their numbers and lines");
    combined_free(combined);
}

static void test_metrics(void)
{
    make_both();
    /* The other has visits first, and times in microseconds. */
    b.metrics[0] = a.metrics[2];
    b.metrics[1] =
        (struct metric_entry){"time", SUMMARY_NONE, "s", 6, FORMAT_METRIC_MEASURED, ""};
    b.metrics[2] = (struct metric_entry){"computation", 1, "s", 6, FORMAT_METRIC_MEASURED, ""};
    struct combined *combined = combine_both();
    const struct translation *other = &combined->translations[1];
    EQ_INT(combined->summary->metric_count, METRICS, "metrics are known by their names");
    OK(other->metric_of[0] == 2 && other->metric_of[1] == 0 && other->metric_of[2] == 1,
       "whatever their numbers");
    EQ_INT(combined->summary->metrics[0].scale, 9, "the finer unit is that of both");
    OK(other->factors[1] == 1000 && other->factors[2] == 1000 && other->factors[0] == 1,
       "and the other's values are multiplied to fit");
    EQ_INT(combined->summary->metrics[0].kind, FORMAT_METRIC_MEASURED,
           "what one has measured has been measured");
    combined_free(combined);
    b.metrics[2].unit = "cycles";
    b.metrics[2].parent = SUMMARY_NONE;
    combined = combine_both();
    EQ_INT(combined->summary->metric_count, METRICS + 1, "with another unit it is another one");
    combined_free(combined);
}

static void test_the_program_by_another_name(void)
{
    make_both();
    b.facts[0].value = "wave2";
    b.modules[0].path = "/home/b/wave2";
    struct combined *combined = combine_both();
    EQ_INT(combined->summary->module_count, MODULES, "the program is the same by any name");
    EQ_INT(combined->summary->node_count, NODES, "and so are its call paths");
    combined_free(combined);
    b.facts[0].value = "wave";
    combined = combine_both();
    EQ_INT(combined->summary->module_count, MODULES + 1, "another module is another one");
    EQ_INT(combined->summary->region_count, REGIONS + 2, "and so are functions of it");
    EQ_INT(combined->summary->node_count, NODES + 4, "and the call paths below");
    EQ_INT(combined->translations[1].node_of[NODE_root], NODE_root, "there is one root");
    combined_free(combined);
}

static void test_mpi_functions(void)
{
    make_both();
    b.modules[1].path = "/opt/libother.so";
    struct combined *combined = combine_both();
    EQ_INT(combined->summary->module_count, MODULES + 1, "with another MPI library");
    EQ_INT(combined->summary->region_count, REGIONS, "MPI functions are the same");
    EQ_INT(combined->summary->node_count, NODES, "and so are paths to them");
    combined_free(combined);
    b.regions[REGION_send].kind = REGION_FUNCTION;
    combined = combine_both();
    EQ_INT(combined->summary->region_count, REGIONS + 1, "a function of that name is not");
    combined_free(combined);
}

static void test_lines(void)
{
    make_both();
    b.nodes[NODE_send].line = 31;
    struct combined *combined = combine_both();
    EQ_INT(combined->summary->node_count, NODES + 1,
           "in one build a call from another line is another path");
    EQ_INT(combined->summary->nodes[NODE_send].line, 30, "each with its line");
    EQ_INT(combined->summary->nodes[combined->translations[1].node_of[NODE_send]].line, 31,
           "of its own");
    combined_free(combined);
    b.modules[0].build_id = "cc";
    combined = combine_both();
    EQ_INT(combined->summary->node_count, NODES, "in another build lines may have moved");
    EQ_INT(combined->summary->nodes[NODE_send].line, 0, "and do not count");
    EQ_INT(combined->summary->nodes[NODE_step].line, 0, "below a phase neither");
    OK(!*combined->summary->modules[0].build_id, "the module is of no build");
    EQ_INT(combined->summary->regions[1].offset, 0, "where functions have no offsets");
    combined_free(combined);
    b.modules[0].build_id = a.modules[0].build_id = "";
    combined = combine_both();
    EQ_INT(combined->summary->node_count, NODES, "nor do they in builds that are not known");
    combined_free(combined);
    const struct summary *const one[] = {&a.summary};
    combined = combine(one, 1);
    EQ_INT(combined->summary->nodes[NODE_send].line, 30, "but in one summary alone they do");
    combined_free(combined);
}

static void test_phases_and_hosts(void)
{
    make_both();
    b.phases[0].name = b.regions[REGION_step].name = "sweep";
    b.hosts[0].name = "node02";
    struct combined *combined = combine_both();
    EQ_INT(combined->summary->phase_count, 2, "phases are known by their names");
    EQ_INT(combined->summary->host_count, 2, "and hosts");
    EQ_INT(combined->translations[1].host_of[0], 1, "under numbers of their own");
    const struct phase_entry *phase = &combined->summary->phases[1];
    OK(strcmp(combined->summary->regions[phase->region].name, "sweep") == 0,
       "a phase has its region");
    combined_free(combined);
}

/* Values of METRIC in nodes of the union, those of one operand added. */
static void add(const struct combined *combined, size_t operand, const struct cell *cells,
                size_t count, long double sums[][METRICS + 1])
{
    const struct translation *translation = &combined->translations[operand];
    for (size_t i = 0; i < count; i++)
        sums[translation->node_of[cells[i].node]][translation->metric_of[cells[i].metric]] +=
            translation->factors[cells[i].metric] * (long double)cells[i].value;
}

static void test_sums(void)
{
    static const struct cell of_a[] = {{NODE_solve, 1, 5000}, {NODE_send, 2, 3}},
                             of_b[] = {{NODE_solve, 1, 7}, {NODE_send, 2, 4}};
    long double sums[2 * NODES][METRICS + 1] = {{0}};
    make_both();
    b.metrics[0].scale = b.metrics[1].scale = 6;
    b.nodes[NODE_send].line = 31;
    struct combined *combined = combine_both();
    add(combined, 0, of_a, 2, sums);
    add(combined, 1, of_b, 2, sums);
    EQ_INT(sums[NODE_solve][1], 5000 + 7000, "times of one path are added in one unit");
    EQ_INT(sums[NODE_send][2], 3, "what is on different paths is not");
    EQ_INT(sums[combined->translations[1].node_of[NODE_send]][2], 4, "but stays where it is");
    combined_free(combined);
}

int main(void)
{
    test_the_same_twice();
    test_metrics();
    test_the_program_by_another_name();
    test_mpi_functions();
    test_lines();
    test_phases_and_hosts();
    test_sums();
    return tap_done();
}
