/* Domino paths.  See whatif.h. */
#include "whatif/search.h"

static bool is_candidate(const struct whatif_search *search, const struct whatif_crossing *one,
                         uint32_t thread, uint32_t last)
{
    return search->graph->calls[one->call].thread == thread && one->call <= last;
}

/* Without the wait of one of the crossings. */
static uint64_t without(struct whatif_search *search, size_t crossing, uint64_t *known_ns)
{
    if (known_ns[crossing] == 0) {
        whatif_call_never_waits(search->trial, search->critical.crossings[crossing].call);
        known_ns[crossing] = whatif_search_try(search);
    }
    return known_ns[crossing];
}

/* The next of the candidates by their waits, the longest first; the count if there is none. */
static size_t next_longest(const struct whatif_search *search, uint32_t thread, uint32_t last,
                           size_t previous)
{
    const struct whatif_crossing *all = search->critical.crossings;
    const size_t count = search->critical.crossings_count;
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const bool is_behind = previous == count || all[i].wait_ns < all[previous].wait_ns ||
                               (all[i].wait_ns == all[previous].wait_ns && i > previous);
        if (is_behind && is_candidate(search, &all[i], thread, last) &&
            (best == count || all[i].wait_ns > all[best].wait_ns))
            best = i;
    }
    return best;
}

/* The crossing of THREAD, up to its call LAST, without which the run is shortest.  No more than
 * its wait can be gained by each. */
static size_t find_best(struct whatif_search *search, struct whatif_domino *known,
                        uint32_t thread, uint32_t last, size_t most)
{
    const size_t count = search->critical.crossings_count;
    const uint64_t base_ns = whatif_search_ns(search);
    size_t best = count, at = count;
    for (size_t tried = 0; tried < most; tried++) {
        at = next_longest(search, thread, last, at);
        if (at == count)
            return best;
        if (best != count &&
            base_ns - known->known_ns[best] >= search->critical.crossings[at].wait_ns)
            return best;
        if (best == count || without(search, at, known->known_ns) < known->known_ns[best])
            best = at;
        without(search, best, known->known_ns);
    }
    return best;
}

size_t whatif_domino(struct whatif_search *search, struct whatif_domino *known, uint32_t thread,
                     size_t most, struct whatif_crossing *path, size_t room, uint64_t *ns)
{
    const size_t count = search->critical.crossings_count;
    uint32_t last = UINT32_MAX;
    size_t length = 0;
    *ns = whatif_search_ns(search);
    while (length < room) {
        const size_t best = find_best(search, known, thread, last, most);
        if (best == count || known->known_ns[best] > *ns ||
            (length == 0 && known->known_ns[best] == *ns))
            break;
        *ns = known->known_ns[best];
        path[length++] = search->critical.crossings[best];
        thread = search->graph->calls[path[length - 1].cause].thread;
        last = path[length - 1].cause;
    }
    return length;
}
