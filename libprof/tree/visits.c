/* See visits.h. */
#include "tree/visits.h"

void visits_add_async(const struct visits *visits, struct profile *profile,
                      const struct cct *tree)
{
    for (uint32_t i = 0; i < visits->count; i++) {
        const uint32_t node = visits->nodes[i] >> 1;
        const bool entered = visits->nodes[i] & 1;
        if (tree->nodes[node].told)
            continue;
        int64_t *cells = profile_cells_async(profile, tree, node);
        int64_t *count = &cells[layout_table[tree->nodes[node].layout].cell_of[METRIC_visits]];
        *count += entered || *count == 0;
    }
}
