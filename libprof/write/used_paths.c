/* See used_paths.h. */
#include "write/used_paths.h"

#include "write/place_threads.h"

static void mark_profile(const struct cct *tree, const struct profile *profile, bool *used)
{
    for (uint32_t i = 0; i < profile->touched_count; i++) {
        const struct node *node = &tree->nodes[profile->touched[i]];
        for (unsigned n = 0; n < layout_table[node->layout].cells; n++)
            if (profile->values[node->cell + n])
                used[profile->touched[i]] = true;
    }
}

static void mark_cluster(const struct cct *tree, const struct cluster_view *cluster, bool *used)
{
    uint32_t node = 0;
    for (size_t i = 0; i < cluster->cell_count; i++) {
        node = profile_node_of_cell_async(tree, node, cluster->cells[i]);
        if (cluster->values[i])
            used[node] = true;
    }
}

void used_paths_find(const struct thread *thread, bool *used)
{
    mark_profile(&thread->tree, &thread->outside, used);
    mark_profile(&thread->tree, &thread->closed, used);
    for (uint32_t s = 0; s < thread->iterations->series_count; s++) {
        const struct clustering *clustering = thread->iterations->series[s].clustering;
        for (uint32_t c = 0; c < clustering_count(clustering); c++) {
            struct cluster_view cluster;
            clustering_view(clustering, c, &cluster);
            mark_cluster(&thread->tree, &cluster, used);
        }
    }
}

void used_paths_spread(const struct cct *tree, const uint32_t *placed, bool *used)
{
    used[CCT_ROOT] = true;
    /* Children have higher numbers than their parents. */
    for (uint32_t node = tree->node_count; node-- > 1;)
        if (used[node] && (!placed || placed[node] == PLACEMENT_NONE))
            used[tree->nodes[node].parent] = true;
}
