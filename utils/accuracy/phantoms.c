/* See phantoms.h. */
#include "accuracy/phantoms.h"

#include "base/base.h"

#include <stdlib.h>

/* Adds a call path that is SHOWN in so many iterations of a cluster. */
static void add_path(struct phantoms *phantoms, const struct cluster *cluster,
                     double iterations, struct presence presence)
{
    if (!cluster_has_presence(cluster)) {
        phantoms->unknown += iterations;
        return;
    }
    phantoms->shown += iterations;
    phantoms->least += iterations * (1 - presence.most);
    phantoms->most += iterations * (1 - presence.least);
}

static void add_cluster(const struct summary *summary, const struct cluster *cluster,
                        double iterations, const struct presence *shares,
                        struct phantoms phantoms[PHANTOM_PATHS])
{
    const struct profile *sums = &cluster->sums;
    for (size_t i = 0; i < sums->count; i++) {
        const uint32_t node = sums->cells[i].node;
        if (i > 0 && sums->cells[i - 1].node == node)
            continue;
        add_path(&phantoms[PHANTOMS_ALL], cluster, iterations, shares[node]);
        if (summary->regions[summary->nodes[node].region].kind == REGION_MPI)
            add_path(&phantoms[PHANTOMS_MPI], cluster, iterations, shares[node]);
    }
}

/*
 * How many of the selected iterations each cluster of SERIES has; for free().  Of all
 * iterations its size says it, since some may not be in the map, for want of memory.
 */
static uint64_t *selected_members(const struct selection *selection,
                                  const struct series *series)
{
    const struct range *chosen = &selection->iterations;
    if (chosen->first > 0 || chosen->last < series->iterations - 1)
        return series_members(series, chosen, 1);
    uint64_t *members = allocate(series->cluster_count, sizeof *members);
    for (size_t c = 0; c < series->cluster_count; c++)
        members[c] = series->clusters[c].size;
    return members;
}

static void add_series(const struct selection *selection, const struct path_tree *tree,
                       const struct series *series, struct presence *shares,
                       struct phantoms phantoms[PHANTOM_PATHS])
{
    uint64_t *members = selected_members(selection, series);
    for (size_t c = 0; c < series->cluster_count; c++) {
        if (members[c] == 0)
            continue;
        cluster_presence(tree, &series->clusters[c], shares);
        add_cluster(selection->summary, &series->clusters[c], (double)members[c], shares,
                    phantoms);
    }
    free(members);
}

void phantoms_count(const struct selection *selection, uint32_t phase,
                    struct phantoms phantoms[PHANTOM_PATHS])
{
    const struct summary *summary = selection->summary;
    struct path_tree *tree = path_tree_of_nodes(summary);
    struct presence *shares = allocate(tree->count, sizeof *shares);
    for (int p = 0; p < PHANTOM_PATHS; p++)
        phantoms[p] = (struct phantoms){0};
    for (size_t r = 0; r < selection->rank_count; r++)
        for (size_t i = 0; i < selection->ranks[r].count; i++) {
            const struct series *series =
                location_series(&summary->locations[selection->ranks[r].first + i], phase);
            if (series && series->cluster_count > 0)
                add_series(selection, tree, series, shares, phantoms);
        }
    free(shares);
    path_tree_free(tree);
}

/* "3.1 %", or "2.9 to 3.1 %" where it is not known exactly. */
static void add_share(const struct phantoms *phantoms, struct text *text)
{
    char least[QUANTITY_SIZE], most[QUANTITY_SIZE];
    format_percent(least, phantoms->least, phantoms->shown);
    format_percent(most, phantoms->most, phantoms->shown);
    if (phantoms->most - phantoms->least > 0.0005 * phantoms->shown)
        text_addf(text, "%s to ", least);
    text_addf(text, "%s %%", most);
}

bool phantoms_add_text(const struct phantoms phantoms[PHANTOM_PATHS], struct text *text)
{
    const struct phantoms *all = &phantoms[PHANTOMS_ALL], *mpi = &phantoms[PHANTOMS_MPI];
    if (!(all->most > 0))
        return false;
    add_share(all, text);
    text_add(text, " of the call paths shown did not occur in the iteration");
    if (mpi->shown > 0) {
        text_add(text, " (of those of MPI ");
        add_share(mpi, text);
        text_add(text, ")");
    }
    return true;
}
