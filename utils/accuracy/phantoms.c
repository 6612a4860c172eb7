/* See phantoms.h. */
#include "accuracy/phantoms.h"

#include "base/base.h"

#include <stdlib.h>

/* Adds a call path that is SHOWN in a cluster. */
static void add_path(struct phantoms *phantoms, const struct cluster *cluster,
                     struct presence presence)
{
    const double size = (double)cluster->size;
    if (!cluster_has_presence(cluster)) {
        phantoms->unknown += size;
        return;
    }
    phantoms->shown += size;
    phantoms->least += size * (1 - presence.most);
    phantoms->most += size * (1 - presence.least);
}

static void add_cluster(const struct summary *summary, const struct cluster *cluster,
                        const struct presence *shares, struct phantoms phantoms[PHANTOM_PATHS])
{
    const struct profile *sums = &cluster->sums;
    for (size_t i = 0; i < sums->count; i++) {
        const uint32_t node = sums->cells[i].node;
        if (i > 0 && sums->cells[i - 1].node == node)
            continue;
        add_path(&phantoms[PHANTOMS_ALL], cluster, shares[node]);
        if (summary->regions[summary->nodes[node].region].kind == REGION_MPI)
            add_path(&phantoms[PHANTOMS_MPI], cluster, shares[node]);
    }
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
            for (size_t c = 0; series && c < series->cluster_count; c++) {
                cluster_presence(tree, &series->clusters[c], shares);
                add_cluster(summary, &series->clusters[c], shares, phantoms);
            }
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
