/* See occurrences.h. */
#include "assemble/occurrences.h"

#include <stdlib.h>

static int compare_occurrences(const void *a, const void *b)
{
    const struct told_occurrence *left = a, *right = b;
    if (left->node != right->node)
        return left->node < right->node ? -1 : 1;
    return left->stands_in - right->stands_in;
}

/*
 * Adds MORE, of the same node.  Whatever has a frame that is left out has the one that it
 * stands below, too.
 */
static void join(struct told_occurrence *sum, const struct told_occurrence *more, uint64_t size)
{
    sum->least = more->least > sum->least ? more->least : sum->least;
    if (more->stands_in && !sum->stands_in)
        sum->most = more->most > sum->most ? more->most : sum->most;
    else
        sum->most = more->most < size - sum->most ? sum->most + more->most : size;
    sum->has_values |= more->has_values;
}

size_t occurrences_join(struct told_occurrence *list, size_t count, uint64_t size)
{
    size_t kept = 0;
    if (count == 0)
        return 0;
    qsort(list, count, sizeof *list, compare_occurrences);
    for (size_t i = 1; i < count; i++)
        if (list[i].node == list[kept].node)
            join(&list[kept], &list[i], size);
        else
            list[++kept] = list[i];
    return kept + 1;
}
