/*
 * In how many iterations of a cluster call paths occurred, where call paths of the program
 * become one in the summary.
 */
#ifndef TSPROF_OCCURRENCES_H
#define TSPROF_OCCURRENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct told_occurrence {
    uint32_t node;        /* in the summary's numbers */
    uint64_t least, most; /* iterations */
    bool stands_in; /* it is of a frame that is left out; NODE is the one it stands below */
    bool has_values;
};

/*
 * Sorts COUNT occurrences in clusters of SIZE iterations by node, and makes one of those of one
 * node, which has bounds then: at least as many iterations as the most frequent has, at most as
 * many as all have together.  Returns how many are left.
 */
size_t occurrences_join(struct told_occurrence *list, size_t count, uint64_t size);

/* Whether a reader cannot know it: most call paths with values occur in every iteration. */
static inline bool occurrence_is_told(const struct told_occurrence *occurrence, uint64_t size)
{
    return occurrence->least < size || !occurrence->has_values;
}

#endif
