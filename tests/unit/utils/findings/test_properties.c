/*
 * Properties of communication: programs that have one, the opposite, and just not.  Each test
 * says what every process spends in statements, and how many messages of what size there are.
 */
#include "tests/unit/utils/findings/findings_maker.h"

#include "tap.h"

#include "common/metrics.h"
#include "findings/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SECOND = 1000000000, RANKS = 5, LARGEST = 32 };

/* Statements of main, and what main itself does. */
enum {
    NODE_program,
    NODE_main,
    NODE_send,
    NODE_recv,
    NODE_reduce,
    NODE_probe,
    NODE_barrier,
    NODES
};

static const char *const names[NODES] = {"program",       "main",      "MPI_Send",   "MPI_Recv",
                                         "MPI_Allreduce", "MPI_Probe", "MPI_Barrier"};

struct spent {
    double seconds;
    int64_t calls, messages, bytes; /* bytes: of all messages */
};

/* What one process does; RANK is told, so that it may differ. */
struct process_made {
    double computation, preempted;
    struct spent send, recv, reduce, probe, barrier;
};
typedef struct process_made process_rule(uint32_t rank);

struct world {
    struct summary summary;
    struct memory_pool pool;
    struct selection selection;
    struct path_tree *tree;
    struct thresholds thresholds;
    struct run_findings found;
};

static void make_tree(struct world *world)
{
    struct summary *summary = &world->summary;
    summary->region_count = summary->node_count = NODES;
    summary->regions = memory_pool_allocate(&world->pool, NODES, sizeof *summary->regions);
    summary->nodes = memory_pool_allocate(&world->pool, NODES, sizeof *summary->nodes);
    for (uint32_t n = 0; n < NODES; n++) {
        const enum format_region_kind kind = n == NODE_program ? REGION_ARTIFICIAL
                                             : n == NODE_main  ? REGION_FUNCTION
                                                               : REGION_MPI;
        summary->regions[n] =
            (struct region_entry){names[n], kind, "/src/main.c", 10, SUMMARY_NONE, 0, ""};
        summary->nodes[n] = (struct call_node){n == NODE_program ? SUMMARY_NONE
                                               : n == NODE_main  ? 0
                                                                 : 1,
                                               n, 10 + n};
    }
}

static void add(struct profile *profile, uint32_t node, uint32_t metric, int64_t value)
{
    if (value)
        profile->cells[profile->count++] = (struct cell){node, metric, value};
}

/* In the order of metrics, as cells are. */
static void add_statement(struct profile *profile, uint32_t node, const struct spent *spent)
{
    const bool of_messages = node == NODE_send || node == NODE_recv;
    add(profile, node,
        node == NODE_barrier  ? METRIC_mpi_sync_collective
        : node == NODE_reduce ? METRIC_mpi_collective
                              : METRIC_mpi_point2point,
        llround(spent->seconds * SECOND));
    add(profile, node, METRIC_visits, spent->calls);
    if (of_messages) {
        add(profile, node, node == NODE_send ? METRIC_comms_send : METRIC_comms_recv,
            spent->messages);
        add(profile, node, node == NODE_send ? METRIC_bytes_sent : METRIC_bytes_rcvd,
            spent->bytes);
    } else if (node == NODE_reduce) {
        add(profile, node, METRIC_comms_coll, spent->calls);
        add(profile, node, METRIC_bytes_coll_out, spent->bytes);
    }
}

static void make_locations(struct world *world, process_rule *rule)
{
    struct summary *summary = &world->summary;
    summary->location_count = RANKS;
    summary->locations = memory_pool_allocate(&world->pool, RANKS, sizeof *summary->locations);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct location *location = &summary->locations[r];
        const struct process_made made = rule(r);
        *location = (struct location){.rank = r, .host = SUMMARY_NONE, .ending = ""};
        location->whole.cells =
            memory_pool_allocate(&world->pool, LARGEST, sizeof(struct cell));
        add(&location->whole, NODE_main, METRIC_computation,
            llround(made.computation * SECOND));
        add(&location->whole, NODE_main, METRIC_preempted, llround(made.preempted * SECOND));
        add_statement(&location->whole, NODE_send, &made.send);
        add_statement(&location->whole, NODE_recv, &made.recv);
        add_statement(&location->whole, NODE_reduce, &made.reduce);
        add_statement(&location->whole, NODE_probe, &made.probe);
        add_statement(&location->whole, NODE_barrier, &made.barrier);
    }
}

/* Prepares a run of RANKS processes, with the thresholds that nobody has changed. */
static void make(struct world *world, process_rule *rule)
{
    struct options options = {
        .iterations = {0, UINT64_MAX}, .ranks = {0, UINT64_MAX}, .threads = {0, UINT64_MAX}};
    struct error error;
    memset(world, 0, sizeof *world);
    world->summary.path = "made";
    made_metrics(&world->summary, &world->pool);
    make_tree(world);
    make_locations(world, rule);
    OK(selection_make(&world->selection, &world->summary, &options, &error), "a run");
    world->tree = path_tree_build(&world->summary);
    world->thresholds = thresholds_default();
}

static void look(struct world *world)
{
    struct scope scope = {.selection = &world->selection,
                          .phase = SUMMARY_NONE,
                          .count = 1,
                          .divisor = 1,
                          .all_ranks = true,
                          .all_threads = true};
    run_findings_free(&world->found);
    world->found = run_findings_find(&scope, world->tree, &world->thresholds);
    for (size_t i = 0; i < world->found.count; i++)
        printf("# %s\n", world->found.list[i].sentence);
}

static void forget(struct world *world)
{
    run_findings_free(&world->found);
    path_tree_free(world->tree);
    selection_free(&world->selection);
    memory_pool_free(&world->pool);
}

static void set(struct world *world, const char *text)
{
    struct error error;
    OK(thresholds_read(&world->thresholds, text, &error), "--threshold %s", text);
}

static const struct run_finding *find(const struct world *world, enum run_finding_kind kind)
{
    for (size_t i = 0; i < world->found.count; i++)
        if (world->found.list[i].kind == kind)
            return &world->found.list[i];
    return NULL;
}

/* Looks with one threshold and then with another: the property is there, then it is not. */
static void between(struct world *world, enum run_finding_kind kind, const char *with,
                    const char *without)
{
    set(world, with);
    look(world);
    OK(find(world, kind), "%s: it is there", with);
    set(world, without);
    look(world);
    OK(!find(world, kind), "%s: it is not", without);
}

static bool is_about(double value, double wanted)
{
    if (fabs(value - wanted) <= 1e-6 * fabs(wanted))
        return true;
    printf("# %g is not %g\n", value, wanted);
    return false;
}

static bool says(const struct run_finding *finding, const char *words)
{
    return strstr(finding->sentence, words);
}

/* A little of everything, in even shares: 4 % of the time. */
static struct process_made healthy(uint32_t rank)
{
    (void)rank;
    return (struct process_made){.computation = 9.6,
                                 .send = {0.12, 1000, 1000, 8000000},
                                 .recv = {0.12, 1000, 1000, 8000000},
                                 .reduce = {0.16, 1000, 0, 8000}};
}

static struct process_made silent(uint32_t rank)
{
    (void)rank;
    return (struct process_made){.computation = 10};
}

static void test_healthy(void)
{
    static const enum run_finding_kind kinds[] = {RUN_DOMINATING,   RUN_FREQUENT,
                                                  RUN_BIG_MESSAGES, RUN_UNEVEN_COMMUNICATION,
                                                  RUN_SLOW_SLAVES,  RUN_OVERLOADED_MASTER};
    struct world world;
    make(&world, healthy);
    look(&world);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        OK(!find(&world, kinds[i]), "a healthy program does not have property %zu", i);
    forget(&world);
    make(&world, silent);
    look(&world);
    EQ_INT(world.found.count, 0, "nor does one without communication have any");
    forget(&world);
}

static struct process_made receiving(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = 6.72;
    made.recv.seconds = 3;
    return made;
}

static void test_dominating(void)
{
    struct world world;
    make(&world, receiving);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_DOMINATING);
    if (OK(finding, "one function has most of the time in communication")) {
        OK(says(finding, "MPI_Recv dominates communication: 3 s of 10 s, 30.0 %, which is "
                         "91.5 % of the time in communication."),
           "it says which, and how much");
        OK(is_about(finding->severity, 0.3) && is_about(finding->confidence, 1) &&
               is_about(finding->gain, 3),
           "severity, confidence, and what could be gained at most");
        OK(strcmp(world.tree->paths[finding->path].name, "MPI_Recv") == 0, "where");
    }
    between(&world, RUN_DOMINATING, "dominating=91%", "dominating=92%");
    set(&world, "dominating=0");
    between(&world, RUN_DOMINATING, "severity=29.9", "severity=30.1");
    forget(&world);
}

/* Half of the time is in barriers; of the little that is communication one function has most.
 */
static struct process_made synchronizing(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = 4.32;
    made.recv.seconds = 0.4;
    made.barrier = (struct spent){5, 1000, 0, 0};
    return made;
}

static void test_synchronizing(void)
{
    struct world world;
    make(&world, synchronizing);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_COMMUNICATION);
    OK(find(&world, RUN_DOMINATING), "a function dominates communication");
    if (OK(finding && finding == &world.found.list[0], "what takes ten times as long is first"))
        OK(says(finding, "Synchronization takes 5.68 s of 10 s, 56.8 %; most of MPI's time is "
                         "in MPI_Barrier"),
           "and called by its name: %s", finding->sentence);
    forget(&world);
}

/* 400,000 calls of 5 us. */
static struct process_made chattering(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = 7.72;
    made.send = (struct spent){2, 400000, 400000, 3200000};
    return made;
}

/* As short, but nearly all calls find nothing. */
static struct process_made polling(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = 7.6;
    made.probe = (struct spent){2, 400000, 0, 0};
    return made;
}

/* So many calls, of BYTES each, that wait for processes without a processor, which each of them
 * lacks half of the time. */
static struct process_made waiting(double seconds, int64_t calls, int64_t bytes)
{
    struct process_made made = healthy(0);
    made.computation = 10 - seconds;
    made.preempted = 5;
    made.send = (struct spent){seconds, calls, calls, calls * bytes};
    return made;
}

static struct process_made crowded(uint32_t rank)
{
    (void)rank;
    return waiting(8, 20000, 8);
}

static struct process_made crowded_by_large(uint32_t rank)
{
    (void)rank;
    return waiting(8, 20000, 2000);
}

static struct process_made crowded_by_few(uint32_t rank)
{
    (void)rank;
    return waiting(8, 4000, 8);
}

/* Which hardly computes. */
static struct process_made crowded_and_idle(uint32_t rank)
{
    (void)rank;
    return waiting(9.999, 900, 8);
}

/* Where processors are lacking, numbers tell whether messages are frequent. */
static void test_frequent_without_processors(void)
{
    struct world world;
    make(&world, crowded);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_FREQUENT);
    if (OK(finding, "many small messages, each of which waits for a process"))
        OK(says(finding, ", in 20.0 k calls on each rank, one for every 51.4 µs of "
                         "computation, of MPI_Send (main.c:12). "),
           "it says how many, and how close");
    forget(&world);
    make(&world, crowded_by_large);
    look(&world);
    OK(!find(&world, RUN_FREQUENT), "large ones need not be frequent to take long");
    forget(&world);
    make(&world, crowded_by_few);
    look(&world);
    OK(!find(&world, RUN_FREQUENT), "a few small ones are not");
    forget(&world);
    make(&world, crowded_and_idle);
    look(&world);
    OK(!find(&world, RUN_FREQUENT), "nor are some hundreds, however little is computed");
    forget(&world);
}

static void test_frequent(void)
{
    struct world world;
    make(&world, chattering);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_FREQUENT);
    if (OK(finding, "many short calls")) {
        OK(says(finding,
                "20.0 %, in calls that take 5.00 µs on average, of MPI_Send (main.c:12). "),
           "it says how many and how short");
        OK(is_about(finding->severity, 0.2) && is_about(finding->gain, 2), "severity and gain");
    }
    between(&world, RUN_FREQUENT, "frequent=5.01us", "frequent=5us");
    forget(&world);
    make(&world, polling);
    look(&world);
    OK(!find(&world, RUN_FREQUENT), "polls are no communication");
    forget(&world);
}

/* 2 MB each in Send and Recv. */
static struct process_made heavy(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = 7.84;
    made.send = (struct spent){0.5, 100, 100, 200000000};
    made.recv = (struct spent){1.5, 100, 100, 200000000};
    return made;
}

static void test_big(void)
{
    struct world world;
    make(&world, heavy);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_BIG_MESSAGES);
    if (OK(finding, "big messages")) {
        OK(says(finding,
                "Messages are big: 2 s of 10 s, 20.0 %, in calls with messages of "
                "2.00 MB on average, of MPI_Recv (main.c:13) and MPI_Send (main.c:12)."),
           "it says where and how big, what takes longest first");
        OK(is_about(finding->severity, 0.2), "severity");
    }
    between(&world, RUN_BIG_MESSAGES, "big=1.99MB", "big=2MB");
    forget(&world);
}

/* One rank spends 5 s in MPI_Recv, the others in MPI_Allreduce. */
static struct process_made lopsided(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = 4.72;
    *(rank == 3 ? &made.recv.seconds : &made.reduce.seconds) += 4.88;
    return made;
}

/* What differs in communication is only what computation leaves. */
static struct process_made waiting_for_one(uint32_t rank)
{
    struct process_made made = healthy(rank);
    made.computation = rank == 3 ? 9.6 : 4.6;
    made.reduce.seconds = rank == 3 ? 0.16 : 5.16;
    return made;
}

static void test_uneven(void)
{
    struct world world;
    make(&world, lopsided);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_UNEVEN_COMMUNICATION);
    if (OK(finding, "communication that is unequal")) {
        OK(says(finding, "unevenly distributed over processes: 1.10 s of 10 s, 11.0 % on "
                         "average and 5 s on rank 3, in MPI_Recv"),
           "it says on which rank");
        OK(is_about(finding->severity, 0.1096), "severity: what those statements cost");
        OK(is_about(finding->gain, 5 - 1.096), "what could be gained: most less mean");
    }
    /* 0.12 s on four and 5 s on one: a deviation of 1.952 s from the mean, 1.096 s. */
    between(&world, RUN_UNEVEN_COMMUNICATION, "uneven=1.78", "uneven=1.79");
    forget(&world);
    make(&world, waiting_for_one);
    look(&world);
    OK(!find(&world, RUN_UNEVEN_COMMUNICATION) && find(&world, RUN_UNEVEN),
       "not if it is the other side of uneven computation");
    finding = find(&world, RUN_DOMINATING);
    OK(finding && is_about(finding->gain, 0.4),
       "and what it makes others wait is nothing that communication could gain");
    forget(&world);
}

/* So long in each, with as many messages of ten bytes. */
static struct process_made exchanging(double computation, int64_t messages, double send,
                                      double recv)
{
    return (struct process_made){.computation = computation,
                                 .send = {send, messages, messages, 10 * messages},
                                 .recv = {recv, messages, messages, 10 * messages}};
}

/* Rank 2 waits for results nearly all the time. */
static struct process_made slow_slaves(uint32_t rank)
{
    struct process_made master = exchanging(2, 400, 0.5, 5);
    master.probe = (struct spent){2.5, 400, 0, 0};
    return rank == 2 ? master : exchanging(9.8, 100, 0.1, 0.1);
}

/* Rank 2 works on results, and the others wait for it. */
static struct process_made overloaded(uint32_t rank)
{
    return rank == 2 ? exchanging(9, 400, 0.5, 0.5) : exchanging(6, 100, 0.5, 3.5);
}

/* Both wait: there is too little work. */
static struct process_made starved(uint32_t rank)
{
    return rank == 2 ? exchanging(0.5, 400, 0.5, 9) : exchanging(4, 100, 0.5, 5.5);
}

/* The same times as with slow slaves, but all exchange messages with all. */
static struct process_made all_to_all(uint32_t rank)
{
    struct process_made made = slow_slaves(rank);
    made.send.messages = made.recv.messages = 400;
    return made;
}

/* Rank 2 collects results and never answers. */
static struct process_made gather(uint32_t rank)
{
    struct process_made made = slow_slaves(rank);
    if (rank == 2)
        made.send.messages = 0;
    else
        made.recv.messages = 0;
    return made;
}

/* Of 800 messages all but 32 are the master's: 96 %. */
static struct process_made with_others(uint32_t rank)
{
    struct process_made made = slow_slaves(rank);
    if (rank == 2)
        made.send.messages = made.recv.messages = 384;
    return made;
}

static void test_slow_slaves(void)
{
    struct world world;
    make(&world, slow_slaves);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_SLOW_SLAVES);
    if (OK(finding, "a master that waits")) {
        OK(says(finding, "Slaves are slow: rank 2, their master, waits for their messages for "
                         "7.50 s of 10 s; the run could be shorter by 1.50 s if it worked "
                         "meanwhile (confidence 98.0 %)."),
           "it says which rank that is");
        OK(is_about(finding->severity, 0.15) && is_about(finding->gain, 1.5) &&
               is_about(finding->confidence, 0.98),
           "severity, gain, and confidence: what the slaves compute");
    }
    OK(!find(&world, RUN_OVERLOADED_MASTER), "it is not overloaded");
    between(&world, RUN_SLOW_SLAVES, "slaves=74%", "slaves=76%");
    set(&world, "slaves=50");
    world.thresholds.master_given = true;
    world.thresholds.master = 1;
    look(&world);
    OK(!find(&world, RUN_SLOW_SLAVES), "another rank that is named does not wait");
    forget(&world);
}

static void test_overloaded(void)
{
    struct world world;
    make(&world, overloaded);
    look(&world);
    const struct run_finding *finding = find(&world, RUN_OVERLOADED_MASTER);
    if (OK(finding, "slaves that wait for a busy master")) {
        OK(says(finding, "The master is overloaded: slaves of rank 2 spend 4 s on average in "
                         "messages, while it is busy with other things for 9.50 s of 10 s "
                         "(confidence 95.0 %)."),
           "it says how long");
        OK(is_about(finding->severity, 0.32) && is_about(finding->gain, 4) &&
               is_about(finding->confidence, 0.95),
           "severity, gain and confidence");
    }
    OK(!find(&world, RUN_SLOW_SLAVES), "the slaves are not slow");
    between(&world, RUN_OVERLOADED_MASTER, "overload=39%", "overload=41%");
    forget(&world);
    make(&world, starved);
    look(&world);
    OK(!find(&world, RUN_OVERLOADED_MASTER), "not if the master waits as well");
    forget(&world);
}

static void test_who_is_master(void)
{
    struct world world;
    make(&world, all_to_all);
    look(&world);
    OK(!find(&world, RUN_SLOW_SLAVES), "where all exchange messages there is no master");
    world.thresholds.master_given = true;
    world.thresholds.master = 2;
    look(&world);
    const struct run_finding *finding = find(&world, RUN_SLOW_SLAVES);
    OK(finding && is_about(finding->confidence, 0.4 * 0.98),
       "unless it is named: then its share of the messages is how sure that is");
    forget(&world);
    make(&world, gather);
    look(&world);
    OK(!find(&world, RUN_SLOW_SLAVES), "a rank that only collects is no master");
    forget(&world);
    make(&world, with_others);
    between(&world, RUN_SLOW_SLAVES, "star=97", "star=99");
    forget(&world);
}

static void test_thresholds(void)
{
    static const char *const wrong[] = {
        "",          "big",    "big=",    "=1",       "bigger=1", "big=-1",
        "big=nan",   "big=x",  "big=1us", "big=0x10", "big=1 ",   "big=1.2.3",
        "uneven=1%", "big=MB", "big=.",   "big=1e5",  "bi=1"};
    struct thresholds thresholds = thresholds_default();
    struct error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        OK(!thresholds_read(&thresholds, wrong[i], &error), "\"%s\" is no threshold", wrong[i]);
    OK(strstr(error.text, "severity=N%, dominating=N%, frequent=Nus, big=NMB, uneven=N, "
                          "star=N%, slaves=N% or overload=N%"),
       "the message names those that there are: %s", error.text);
    char longest[400] = "big=";
    memset(longest + 4, '1', sizeof longest - 5);
    OK(!thresholds_read(&thresholds, longest, &error), "nor is a number that is too long");
    OK(thresholds_read(&thresholds, "big=2.5MB", &error) &&
           is_about(thresholds.value[THRESHOLD_BIG], 2.5e6),
       "with a unit");
    OK(thresholds_read(&thresholds, "frequent=20", &error) &&
           is_about(thresholds.value[THRESHOLD_FREQUENT], 20e-6),
       "and without one");
}

int main(void)
{
    test_healthy();
    test_dominating();
    test_synchronizing();
    test_frequent();
    test_frequent_without_processors();
    test_big();
    test_uneven();
    test_slow_slaves();
    test_overloaded();
    test_who_is_master();
    test_thresholds();
    return tap_done();
}
