/* See presence.h. */
#include "query/presence.h"

#include "base/base.h"
#include "query/iterations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cluster_has_presence(const struct cluster *cluster)
{
    return cluster->size == 1 || cluster->presence_known;
}

struct presence presence_join(struct presence a, struct presence b)
{
    return (struct presence){fmax(a.least, b.least), fmin(1, a.most + b.most)};
}

/* What the file says of nodes themselves; 0 where it says nothing. */
static void read_nodes(const struct cluster *cluster, struct presence *nodes)
{
    const double size = (double)cluster->size;
    const double least = cluster_has_presence(cluster) ? 1 : 1 / size;
    for (size_t i = 0; i < cluster->sums.count; i++)
        nodes[cluster->sums.cells[i].node] = (struct presence){least, 1};
    for (size_t i = 0; i < cluster->occurrence_count; i++) {
        const struct occurrence *said = &cluster->occurrences[i];
        nodes[said->node] =
            (struct presence){(double)said->least / size, (double)said->most / size};
    }
}

void cluster_presence(const struct path_tree *tree, const struct cluster *cluster,
                      struct presence *shares)
{
    const struct summary *summary = tree->summary;
    struct presence *nodes = allocate(summary->node_count, sizeof *nodes);
    struct presence *below = allocate(summary->node_count, sizeof *below);
    memset(shares, 0, tree->count * sizeof *shares);
    read_nodes(cluster, nodes);
    for (size_t i = summary->node_count; i-- > 0;) {
        const uint32_t parent = summary->nodes[i].parent, path = tree->of_node[i];
        if (nodes[i].most == 0)
            nodes[i] = below[i];
        shares[path] = presence_join(shares[path], nodes[i]);
        if (parent != SUMMARY_NONE)
            below[parent] = presence_join(below[parent], nodes[i]);
    }
    free(nodes);
    free(below);
}

bool iteration_presence(const struct path_tree *tree, const struct rank_group *rank,
                        uint32_t phase, uint64_t iteration, struct presence *shares)
{
    struct presence *own = allocate(tree->count, sizeof *own);
    bool any = false;
    memset(shares, 0, tree->count * sizeof *shares);
    for (size_t i = 0; i < rank->count; i++) {
        const struct series *series =
            location_series(&tree->summary->locations[rank->first + i], phase);
        const uint32_t number = series ? series_cluster(series, iteration) : SUMMARY_NONE;
        if (number == SUMMARY_NONE)
            continue;
        any = true;
        cluster_presence(tree, &series->clusters[number], own);
        for (size_t p = 0; p < tree->count; p++)
            shares[p] = presence_join(shares[p], own[p]);
    }
    free(own);
    return any;
}

/* What scope_presence adds up. */
struct mean {
    const struct path_tree *tree;
    struct presence *own, *sums;
    double iterations;
    bool known;
};

static void add_series(struct mean *mean, const struct series *series, struct range iterations)
{
    uint64_t *members = series_members(series, &iterations, 1);
    for (size_t c = 0; c < series->cluster_count; c++) {
        const double weight = (double)members[c];
        if (members[c] == 0)
            continue;
        mean->known &= cluster_has_presence(&series->clusters[c]);
        mean->iterations += weight;
        cluster_presence(mean->tree, &series->clusters[c], mean->own);
        for (size_t p = 0; p < mean->tree->count; p++) {
            mean->sums[p].least += weight * mean->own[p].least;
            mean->sums[p].most += weight * mean->own[p].most;
        }
    }
    free(members);
}

bool scope_presence(const struct path_tree *tree, const struct scope *scope,
                    struct presence *shares)
{
    const struct selection *selection = scope->selection;
    struct mean mean = {tree, allocate(tree->count, sizeof *mean.own), shares, 0, true};
    memset(shares, 0, tree->count * sizeof *shares);
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; scope->phase != SUMMARY_NONE && i < selection->ranks[r].count; i++) {
            const struct series *series = location_series(
                &tree->summary->locations[selection->ranks[r].first + i], scope->phase);
            if (series)
                add_series(&mean, series, scope->iterations);
        }
    for (size_t p = 0; p < tree->count && mean.iterations > 0; p++)
        shares[p] = (struct presence){shares[p].least / mean.iterations,
                                      shares[p].most / mean.iterations};
    free(mean.own);
    return mean.known && mean.iterations > 0;
}
