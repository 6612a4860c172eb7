/*
 * Functions entered before the measurement begins: main, and whatever calls MPI_Init.  Their
 * entries are kept until the thread that made them is measured.
 */
#ifndef TSPROF_REGIONS_EARLY_H
#define TSPROF_REGIONS_EARLY_H

#include "regions/enter.h"

struct regions;

/*
 * The calling thread, which is not measured, enters or leaves a function.  Only the first
 * thread to do so is listened to, and only until the measurement begins.
 */
void early_enter(const struct region_event *event);
void early_leave(const struct region_event *event);

/* Moves what the calling thread has entered to REGIONS. */
void early_take(struct regions *regions);

#endif
