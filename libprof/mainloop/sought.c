/* See sought.h. */
#include "mainloop/sought.h"

uint64_t sought_passes(const struct thread *thread, unsigned number)
{
    const struct sought *sought = &thread->seek->sought[number];
    const struct loop *loop = loops_get(&thread->seek->loops, number);
    if (sought->serial == 0 || sought->serial != loop->serial || sought->passes < 2 ||
        !thread->iterations->series[seek_series(number)].clustering)
        return 0;
    return clustering_iterations(thread->iterations->series[seek_series(number)].clustering);
}

/* Whether the function of node BASE is called by itself, above or below there. */
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

bool sought_is_erratic_async(const struct thread *thread, unsigned number)
{
    const struct clustering *clustering = thread->iterations->series[seek_series(number)].clustering;
    const struct loop *loop = loops_get(&thread->seek->loops, number);
    return 2 * (uint64_t)clustering_classes(clustering) > sought_passes(thread, number) &&
           recurs_async(&thread->tree, thread->tree.nodes[loop->header].parent);
}

unsigned sought_longest(struct seek *seek, int64_t ns)
{
    int64_t most_ns = (ns - seek->begin_ns) / 2;
    unsigned most = LOOPS_NONE;
    for (unsigned i = 0; i < LOOPS_MOST; i++) {
        const struct loop *loop = loops_get(&seek->loops, i);
        if (seek->sought[i].serial != loop->serial || loop->ignored ||
            seek->sought[i].time_ns < most_ns)
            continue;
        most_ns = seek->sought[i].time_ns;
        most = i;
    }
    return most;
}
