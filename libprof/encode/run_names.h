/*
 * What a run is called: its program, its job and times, for the facts about it, for the name of
 * its summary and for its trace.  Program context.
 *
 * Every function fills TEXT, which has SIZE bytes; what does not fit is cut.
 */
#ifndef TSPROF_RUN_NAMES_H
#define TSPROF_RUN_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The file name of the executable. */
void run_program(char *text, size_t size);

/* The batch system's name for the job or, outside of one, the number PID of its process. */
void run_job(int pid, char *text, size_t size);

/* The time NS, in nanoseconds since 1970-01-01 UTC, as strftime writes it by FORMAT. */
void run_time(int64_t ns, const char *format, char *text, size_t size);

#endif
