/* See wait_table.h. */
#include "file/wait_table.h"

static int compare(uint64_t one, uint64_t other)
{
    return one < other ? -1 : one > other;
}

int wait_pair_compare(const void *one, const void *other)
{
    const struct wait_pair *a = one, *b = other;
    return a->location != b->location ? compare(a->location, b->location)
           : a->metric != b->metric   ? compare(a->metric, b->metric)
           : a->node != b->node       ? compare(a->node, b->node)
                                      : compare(a->cause, b->cause);
}

int wait_reason_compare(const void *one, const void *other)
{
    const struct wait_reason *a = one, *b = other;
    return a->ns != b->ns       ? compare(b->ns, a->ns)
           : a->node != b->node ? compare(a->node, b->node)
                                : a->is_indirect - b->is_indirect;
}
