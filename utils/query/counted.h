/* What a location says that it counted, beside the call paths that have it. */
#ifndef TSPROF_COUNTED_H
#define TSPROF_COUNTED_H

#include "file/file.h"

#include <stdbool.h>
#include <stdint.h>

/* In stored units. */
struct counted {
    int64_t in_program; /* on all call paths together */
    int64_t in_tsprof;
};

/* Finds it for METRIC, a counter; false if the location did not count it. */
bool counted_find(const struct summary *summary, const struct location *location,
                  uint32_t metric, struct counted *counted);

#endif
