/* What a location counted of a counter in all, as its cost facts give it. */
#ifndef TSPROF_COUNTED_H
#define TSPROF_COUNTED_H

#include "file/file.h"

#include <stdbool.h>
#include <stdint.h>

/* In stored units. */
struct counted {
    int64_t in_program; /* the sum over all call paths */
    int64_t in_tsprof;
};

/* Finds what was counted of METRIC, a counter; false if the location did not count it. */
bool counted_find(const struct summary *summary, const struct location *location,
                  uint32_t metric, struct counted *counted);

#endif
