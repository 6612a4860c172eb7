/*
 * Which of PAPI's events are counted: those that TSPROF_COUNTERS names and the system allows.
 * What a thread's counters have counted is attributed to call paths elsewhere
 * (timeline/counts.h).
 */
#ifndef TSPROF_COUNTERS_H
#define TSPROF_COUNTERS_H

#include "common/metrics.h"
#include "counters/papi.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many counters this process has: those of TSPROF_COUNTERS that are not refused.  Fixed
 * after counters_start.
 */
extern unsigned counters_count;

/* The name of COUNTER, less than counters_count, as the user wrote it. */
const char *counters_name_async(unsigned counter);

/*
 * Opens PAPI if TSPROF_COUNTERS asks for it, and finds out which counters can be counted
 * together.  Program context, once, before the first tree is made.
 */
void counters_start(void);

/* Reports the counters that were refused, and why.  One process of a job calls it. */
void counters_complain(void);

/*
 * Writes the report of refused counter NUMBER, from 0 on, as a line for the summary, to TEXT of
 * SIZE bytes; false if there are no more.
 */
bool counters_note(unsigned number, char *text, size_t size);

/*
 * Starts a set of all counters for the calling thread, to be read and stopped by papi.h;
 * PAPI_NO_SET if that fails.  Program context.
 */
int counters_start_set(void);

#endif
