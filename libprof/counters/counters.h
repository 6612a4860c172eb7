/*
 * Which of PAPI's events are counted: those that TSPROF_COUNTERS names and the system allows.
 * What a thread's counters come to is attributed elsewhere (timeline/counts.h).
 */
#ifndef TSPROF_COUNTERS_H
#define TSPROF_COUNTERS_H

#include "common/metrics.h"
#include "counters/papi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many counters this process counts: those of TSPROF_COUNTERS that are not refused. */
extern unsigned counters_count;

/* The name of one of them, as the user wrote it. */
const char *counters_name(unsigned counter);

/*
 * Opens PAPI if TSPROF_COUNTERS asks for it, and tries which counters can be had together.
 * Program context, once, before the first tree.
 */
void counters_start(void);

/* Says what was refused, and why; for one process of a job to do. */
void counters_complain(void);

/* The same as a line for the summary, NUMBER counting from 0; false when there are no more. */
bool counters_note(unsigned number, char *text, size_t size);

/*
 * Starts a set of all counters for the calling thread; PAPI_NO_SET if that fails.  Read and
 * stopped by papi.h.  Program context.
 */
int counters_start_set(void);

#endif
