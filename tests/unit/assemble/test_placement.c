/* Parallel regions and followed phases of worker threads find their places in the opener's
 * tree. */
#include "assemble/placement.h"

#include "tap.h"

#define MOST    16
#define PROGRAM "/home/user/app"
#define OPENMP  "/usr/lib/libgomp.so.1"
#define LIBC    "libc.so.6"

enum { APP_REGION = 100, APP_OTHER, GOMP_START = 200, LIBC_CLONE = 300 };

/* A tree that grows; node 0 is the root. */
struct tree {
    struct placement_node nodes[MOST];
    uint32_t count;
};

static struct placement_node node_of(const void *tree, uint32_t number)
{
    return ((const struct tree *)tree)->nodes[number];
}

static uint32_t add(struct tree *tree, struct placement_node node)
{
    tree->nodes[tree->count] = node;
    if (!node.name)
        tree->nodes[tree->count].name = "";
    return tree->count++;
}

static struct tree begin(void)
{
    return (struct tree){.count = 1};
}

static uint32_t function(struct tree *tree, uint32_t parent, const char *file, uint64_t number)
{
    return add(tree, (struct placement_node){.parent = parent,
                                             .kind = PLACEMENT_FUNCTION,
                                             .file = file,
                                             .region = {number, 0}});
}

static uint32_t phase(struct tree *tree, uint32_t parent, uint64_t number, bool followed)
{
    return add(tree, (struct placement_node){.parent = parent,
                                             .kind = PLACEMENT_PHASE,
                                             .region = {number, 0},
                                             .kept = true,
                                             .followed = followed});
}

/* Where nodes of WORKER belong in OPENER. */
static const uint32_t *place(const struct tree *worker, const struct tree *opener)
{
    static uint32_t placed[MOST];
    const struct placement_tree own = {worker, worker->count, node_of};
    const struct placement_tree other = {opener, opener->count, node_of};
    placement_find(&own, &other, placed);
    return placed;
}

/* A function of the program, which the OpenMP runtime calls below PARENT. */
static uint32_t region(struct tree *tree, uint32_t parent, uint64_t number)
{
    return function(tree, function(tree, parent, OPENMP, GOMP_START), PROGRAM, number);
}

static struct tree worker_with_region(void)
{
    struct tree worker = begin();
    region(&worker, function(&worker, PLACEMENT_ROOT, LIBC, LIBC_CLONE), APP_REGION);
    return worker;
}

enum { WORKERS_REGION = 3 };

static void test_one_path(void)
{
    struct tree worker = worker_with_region(), opener = begin();
    uint32_t main = function(&opener, PLACEMENT_ROOT, PROGRAM, 1);
    region(&opener, main, APP_OTHER);
    uint32_t wanted = region(&opener, main, APP_REGION);
    const uint32_t *placed = place(&worker, &opener);
    EQ_INT(placed[WORKERS_REGION], wanted, "a region is where its opener called it");
    OK(placed[0] == PLACEMENT_NONE && placed[1] == PLACEMENT_NONE &&
           placed[2] == PLACEMENT_NONE,
       "nothing else has a place");
}

static void test_several_paths(void)
{
    struct tree worker = worker_with_region(), opener = begin();
    uint32_t main = function(&opener, PLACEMENT_ROOT, PROGRAM, 1);
    uint32_t first = region(&opener, main, APP_REGION);
    region(&opener, main, APP_REGION);
    EQ_INT(place(&worker, &opener)[WORKERS_REGION], first,
           "of calls from two lines of a function the first is taken");
    region(&opener, function(&opener, main, PROGRAM, 2), APP_REGION);
    EQ_INT(place(&worker, &opener)[WORKERS_REGION], (uint32_t)PLACEMENT_NONE,
           "a region that two functions open has no place");
}

static void test_names_tell_regions_apart(void)
{
    struct tree worker = worker_with_region(), opener = begin();
    uint32_t main = function(&opener, PLACEMENT_ROOT, PROGRAM, 1);
    opener.nodes[region(&opener, main, APP_REGION)].name = "another";
    EQ_INT(place(&worker, &opener)[WORKERS_REGION], (uint32_t)PLACEMENT_NONE,
           "a function with another name is another");
}

static void test_where_a_thread_begins(void)
{
    struct tree worker = begin(), opener = begin();
    uint32_t main = function(&opener, PLACEMENT_ROOT, PROGRAM, 1);
    region(&opener, main, APP_REGION);
    uint32_t nested =
        region(&worker, function(&worker, PLACEMENT_ROOT, PROGRAM, 2), APP_REGION);
    uint32_t artificial =
        add(&worker, (struct placement_node){.kind = PLACEMENT_ARTIFICIAL, .name = "other"});
    uint32_t below = region(&worker, artificial, APP_REGION);
    uint32_t plain = function(&worker, PLACEMENT_ROOT, PROGRAM, APP_REGION);
    const uint32_t *placed = place(&worker, &opener);
    EQ_INT(placed[nested], (uint32_t)PLACEMENT_NONE, "below a function of the worker's");
    EQ_INT(placed[below], (uint32_t)PLACEMENT_NONE, "below what stands for functions");
    EQ_INT(placed[plain], (uint32_t)PLACEMENT_NONE, "not called by an OpenMP runtime");

    struct tree bare = begin(), begins = worker_with_region();
    region(&bare, PLACEMENT_ROOT, APP_REGION);
    EQ_INT(place(&begins, &bare)[WORKERS_REGION], (uint32_t)PLACEMENT_NONE,
           "where a thread begins no region is opened");
}

static void test_phases_around(void)
{
    struct tree worker = begin(), opener = begin();
    uint32_t workers = region(&worker, phase(&worker, PLACEMENT_ROOT, 7, true), APP_REGION);
    uint32_t main = function(&opener, PLACEMENT_ROOT, PROGRAM, 1);
    region(&opener, main, APP_REGION);
    uint32_t wanted = region(&opener, phase(&opener, main, 7, false), APP_REGION);
    EQ_INT(place(&worker, &opener)[workers], wanted, "the path in the same phase is taken");
    opener.nodes[4].kept = false;
    EQ_INT(place(&worker, &opener)[workers], (uint32_t)PLACEMENT_NONE,
           "a phase whose iterations are not kept is none");
}

static void test_followed_phases(void)
{
    struct tree worker = begin(), opener = begin();
    uint32_t own = phase(&worker, PLACEMENT_ROOT, 7, false),
             followed = phase(&worker, PLACEMENT_ROOT, 8, true),
             inner = phase(&worker, followed, 9, true),
             lost = phase(&worker, PLACEMENT_ROOT, 9, true);
    uint32_t main = function(&opener, PLACEMENT_ROOT, PROGRAM, 1);
    phase(&opener, main, 7, false);
    phase(&opener, main, 8, true);
    uint32_t wanted = phase(&opener, main, 8, false),
             wanted_inner = phase(&opener, wanted, 9, false);
    const uint32_t *placed = place(&worker, &opener);
    EQ_INT(placed[own], (uint32_t)PLACEMENT_NONE, "a thread's own phase stays where it is");
    EQ_INT(placed[followed], wanted, "a followed phase is where it is marked");
    EQ_INT(placed[inner], wanted_inner, "and one in its iterations likewise");
    EQ_INT(placed[lost], (uint32_t)PLACEMENT_NONE, "but not one in other iterations");
}

int main(void)
{
    test_one_path();
    test_several_paths();
    test_names_tell_regions_apart();
    test_where_a_thread_begins();
    test_phases_around();
    test_followed_phases();
    return tap_done();
}
