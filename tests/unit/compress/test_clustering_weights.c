/*
 * How much what moves between call paths counts beside the totals, before it is known what
 * clusters make of either.
 *
 * Three things of an iteration are one of two, independently of each other: two totals, and
 * which of two call paths has the larger share of what both have.  There are eight kinds of
 * iterations, and half as many clusters are asked for, so that one of the three has to be given
 * up: that which counts least.
 */
#include "compress/clustering.h"

#include <math.h>

#include "counting_memory.h"
#include "tap.h"

/* So few that all are kept until the end: then the first weights make all decisions. */
enum { KINDS = 8, ITERATIONS = 64, TOTALS = 2, MOVED = 100, ALL = 1000000 };

/* A total is divided by its largest value before it is compared. */
static const double largest_total = 1000;

static struct cell_role compared(void *context, uint32_t cell)
{
    (void)context;
    (void)cell;
    return (struct cell_role){.metric = 0, .compared = true};
}

/* What an iteration of a kind is: a bit of it each. */
enum { FIRST = 1, SECOND = 2, PATHS = 4 };

static void add_iteration(struct clustering *clustering, uint32_t kind, double first,
                          double second)
{
    const int64_t moved = kind & PATHS ? MOVED : -MOVED;
    const uint32_t cells[] = {0, 1};
    const int64_t values[] = {ALL / 2 + moved, ALL / 2 - moved};
    const double totals[TOTALS] = {largest_total - (kind & FIRST ? 2 * first : 0),
                                   largest_total - (kind & SECOND ? 2 * second : 0)};
    clustering_add(clustering,
                   &(struct iteration_profile){
                       .cells = cells, .values = values, .cell_count = 2, .condensed = totals});
}

/* Whether no cluster has iterations whose kinds differ in what PART says. */
static bool keeps_apart(const struct clustering *clustering, uint32_t part)
{
    for (uint32_t a = 0; a < KINDS; a++)
        for (uint32_t b = a + 1; b < ITERATIONS; b++)
            if ((a & part) != (b & part) &&
                clustering_cluster_of(clustering, a) == clustering_cluster_of(clustering, b))
                return false;
    return true;
}

/* SHARE: of the variances of both totals that of the second. */
static struct clustering *cluster(struct counting_memory *memory, double share)
{
    struct clustering *clustering =
        clustering_create(&(struct clustering_config){.max_clusters = KINDS / 2,
                                                      .condensed_count = TOTALS,
                                                      .equivalence = EQUIVALENCE_NONE,
                                                      .role = compared,
                                                      .memory = counting_source(memory),
                                                      .method = CLUSTERING_ADAPTIVE});
    for (uint32_t i = 0; i < ITERATIONS; i++)
        add_iteration(clustering, i % KINDS, sqrt(1 - share), sqrt(share));
    clustering_finish(clustering);
    return clustering;
}

/* Otherwise clusters would settle on the totals, and never learn that paths can be followed. */
static void paths_count_for_more_than_little(double share)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = cluster(&memory, share);
    OK(keeps_apart(clustering, PATHS) && keeps_apart(clustering, FIRST),
       "what moves between call paths counts for more than %g of what totals do", share);
    clustering_destroy(clustering);
}

/* Otherwise what is lost for the totals would be lost for call paths that vary at random. */
static void paths_count_for_less_than_much(double share)
{
    struct counting_memory memory = {0};
    struct clustering *clustering = cluster(&memory, share);
    OK(keeps_apart(clustering, SECOND) && keeps_apart(clustering, FIRST),
       "and for less than %g", share);
    clustering_destroy(clustering);
}

int main(void)
{
    paths_count_for_more_than_little(0.18);
    paths_count_for_less_than_much(0.22);
    return tap_done();
}
