/* A search; for search.c and domino.c only. */
#ifndef TSPROF_WHATIF_SEARCH_H
#define TSPROF_WHATIF_SEARCH_H

#include "whatif/graph.h"

struct whatif_search {
    struct whatif *graph;
    struct whatif_changes *base, *trial;
    uint32_t *order, *places;
    bool *is_cut;       /* by place: the run can be cut behind it */
    uint32_t *openings; /* by operation: the first place at which a member ends */
    struct times base_times, trial_times;
    uint64_t end_ns; /* of the base */
    struct critical critical;
    uint64_t steps;
    /* While simulating, by thread: it has a message that is not on its way yet; how late it is
     * compared with the base; its next call. */
    bool *is_busy;
    size_t busy_count;
    int64_t *late;
    uint32_t *next;
};

#endif
