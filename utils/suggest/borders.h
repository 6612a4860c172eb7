/*
 * The iterations that show what a finding says: the slowest of those that stand out, the last
 * before and the first after a step, both ends of a drift.
 */
#ifndef TSPROF_SUGGEST_BORDERS_H
#define TSPROF_SUGGEST_BORDERS_H

#include "suggest/suggest.h"

#include <stdbool.h>

/* The time that iterations take, on the rank that takes longest. */
struct times;
struct times *times_create(const struct selection *selection, uint32_t phase);
void times_free(struct times *times);

/* Fills SUGGESTION but its size; false, and it has no iterations, if none shows FINDING. */
bool border_of(const struct finding *finding, const struct times *times,
               struct suggestion *suggestion);

#endif
