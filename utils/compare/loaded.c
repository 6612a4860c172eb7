/* Filling in the values of a rank.  See loaded.h. */
#include "compare/loaded.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void loaded_open(struct loaded *loaded, const struct joint *joint, enum side side)
{
    size_t cells = joint->path_count * joint->metric_count;
    /* Only pages that are touched take memory, and most call paths have few of the metrics. */
    *loaded = (struct loaded){.joint = joint,
                              .side = side,
                              .clusters = allocate(joint->place_count, sizeof(uint64_t)),
                              .values = allocate(cells, sizeof(long double)),
                              .held = allocate(cells, sizeof(bool)),
                              .spots = allocate(cells, sizeof(struct spot)),
                              .present = allocate(joint->path_count, sizeof(bool)),
                              .calls_mpi = allocate(joint->path_count, sizeof(bool)),
                              .paths = allocate(joint->path_count, sizeof(uint32_t))};
}

void loaded_close(struct loaded *loaded)
{
    free(loaded->clusters);
    free(loaded->values);
    free(loaded->held);
    free(loaded->spots);
    free(loaded->present);
    free(loaded->calls_mpi);
    free(loaded->paths);
}

size_t loaded_place(const struct loaded *loaded, struct spot spot)
{
    return spot.path * loaded->joint->metric_count + spot.metric;
}

static void unload(struct loaded *loaded)
{
    for (size_t i = 0; i < loaded->spot_count; i++) {
        size_t place = loaded_place(loaded, loaded->spots[i]);
        loaded->values[place] = 0;
        loaded->held[place] = false;
    }
    for (size_t i = 0; i < loaded->path_count; i++) {
        uint32_t path = loaded->paths[i];
        loaded->present[path] = false;
        for (; path != SUMMARY_NONE && loaded->calls_mpi[path];
             path = loaded->joint->paths[path].parent)
            loaded->calls_mpi[path] = false;
    }
    loaded->spot_count = loaded->path_count = 0;
}

static void load_path(struct loaded *loaded, uint32_t path)
{
    const struct joint_path *paths = loaded->joint->paths;
    if (loaded->present[path])
        return;
    loaded->present[path] = true;
    loaded->paths[loaded->path_count++] = path;
    for (uint32_t at = paths[path].is_mpi ? path : SUMMARY_NONE;
         at != SUMMARY_NONE && !loaded->calls_mpi[at]; at = paths[at].parent)
        loaded->calls_mpi[at] = true;
}

static void load_cluster(struct loaded *loaded, const struct cluster *cluster)
{
    const uint32_t *path_of = loaded->joint->path_of[loaded->side],
                   *metric_of = loaded->joint->metric_of[loaded->side];
    for (size_t i = 0; i < cluster->sums.count; i++) {
        const struct cell *cell = &cluster->sums.cells[i];
        struct spot spot = {path_of[cell->node], metric_of[cell->metric]};
        if (cell->value == 0)
            continue;
        load_path(loaded, spot.path);
        if (spot.metric == SUMMARY_NONE || !loaded->joint->metrics[spot.metric].by_path)
            continue;
        size_t place = loaded_place(loaded, spot);
        /* Equal means give equal values: the division is the only operation that rounds. */
        loaded->values[place] += cluster->size == 1
                                     ? (long double)cell->value
                                     : (long double)cell->value / (long double)cluster->size;
        if (!loaded->held[place])
            loaded->spots[loaded->spot_count++] = spot;
        loaded->held[place] = true;
    }
}

void loaded_load(struct loaded *loaded, const struct series *const *series,
                 const uint64_t *clusters, size_t count)
{
    if (loaded->cluster_count == count &&
        memcmp(loaded->clusters, clusters, count * sizeof *clusters) == 0)
        return;
    unload(loaded);
    loaded->cluster_count = count;
    memcpy(loaded->clusters, clusters, count * sizeof *clusters);
    for (size_t i = 0; i < count; i++)
        if (clusters[i] != SUMMARY_NONE)
            load_cluster(loaded, &series[SIDES * i + loaded->side]->clusters[clusters[i]]);
}
