/* See candidate.h. */
#include "mainloop/candidate.h"

#include "mainloop/named.h"

uint64_t candidate_passes_async(const struct thread *thread, unsigned number)
{
    const struct candidate *candidate = &thread->search->candidates[number];
    const struct loop *loop = loops_get(&thread->search->loops, number);
    if (candidate->serial == 0 || candidate->serial != loop->serial || candidate->passes < 2 ||
        !thread->iterations->series[search_series(number)].clustering)
        return 0;
    return clustering_iterations(thread->iterations->series[search_series(number)].clustering);
}

/* Whether the function of node BASE occurs once more above or below BASE on a call path. */
static bool recurs_async(const struct cct *tree, uint32_t base)
{
    const struct node *function = &tree->nodes[base];
    for (uint32_t node = 1; node < tree->node_count; node++) {
        const struct node *other = &tree->nodes[node];
        if (other->kind != NODE_FUNCTION || other->key != function->key || node == base)
            continue;
        const uint32_t upper = node < base ? node : base;
        uint32_t at = node < base ? base : node;
        /* Children have higher numbers than their parents. */
        while (at > upper)
            at = tree->nodes[at].parent;
        if (at == upper)
            return true;
    }
    return false;
}

bool candidate_is_erratic_async(const struct thread *thread, unsigned number)
{
    const struct clustering *clustering =
        thread->iterations->series[search_series(number)].clustering;
    const struct loop *loop = loops_get(&thread->search->loops, number);
    return 2 * (uint64_t)clustering_classes(clustering) >
               candidate_passes_async(thread, number) &&
           recurs_async(&thread->tree, thread->tree.nodes[loop->header].parent);
}

bool candidate_is_main(struct search *search, unsigned number, int64_t ns)
{
    const struct candidate *candidate = &search->candidates[number];
    const struct loop *loop = loops_get(&search->loops, number);
    if (candidate->serial != loop->serial || loop->ignored)
        return false;
    if (named_is_set_async())
        return loop->serial > 0;
    return loop->certain && candidate->passes >= SEARCH_SURE &&
           candidate->time_ns >= (ns - search->begin_ns) / 2;
}

bool candidate_is_sure(struct search *search, unsigned number, int64_t ns)
{
    const struct candidate *candidate = &search->candidates[number];
    return candidate_is_main(search, number, ns) &&
           (named_is_set_async() ||
            candidate->time_ns >= (int64_t)candidate->passes * SEARCH_PASS_LEAST_NS);
}

unsigned candidate_longest(struct search *search, int64_t ns)
{
    int64_t most_ns = (ns - search->begin_ns) / 2;
    unsigned most = LOOPS_NONE;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&search->loops, i);
        if (search->candidates[i].serial != loop->serial || loop->ignored ||
            (search->candidates[i].time_ns < most_ns && !named_is_set_async()))
            continue;
        most_ns = search->candidates[i].time_ns;
        most = i;
    }
    return most;
}
