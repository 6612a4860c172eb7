/*
 * The part of this process as a whole: what it says of the process, and its creation by the
 * first thread that saves (doc/parts.md).  For the other files of this room.
 *
 * Functions that end in _async are async-signal-safe; the others are for program context.
 */
#ifndef TSPROF_PART_PROCESS_H
#define TSPROF_PART_PROCESS_H

#include "save/part_sink.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether part_prepare has been successful and part_process_end_async has not been called. */
bool part_process_prepared_async(void);

/* The same, and this is still the process that was prepared, not its child. */
bool part_process_is_own_async(void);

/* Whether its rank is known. */
bool part_process_has_rank(void);

/* The process's number, and when it was started (job_processes.h). */
uint32_t part_process_number(void);
uint64_t part_process_started(void);

/* The name of this process's host, and whether the job is on others, too. */
const char *part_process_host(void);
bool part_process_is_spread(void);

/* The path of the executable. */
const char *part_process_program_async(void);

/*
 * Whether there is a part to write to.  The first thread that comes creates it, with SINK and
 * BUFFER of PART_SINK_BYTES; others that come meanwhile get false, and save later.
 */
bool part_process_open_async(struct part_sink *sink, void *buffer);

/* Whether a thread is creating the part just now. */
bool part_process_is_opening_async(void);

/* Whether a thread has created the part, or tried to, and it has not ended since. */
bool part_process_has_opened(void);

/*
 * Counts a thread that is not saved, in the part too, so that readers know that data are
 * missing.
 */
void part_process_leave_out_async(void);
/* How many threads were counted so. */
uint32_t part_process_left_out(void);

/* Reports once why the part has failed, if it has. */
void part_process_complain(void);

/* From now on nothing is saved. */
void part_process_end_async(void);

#endif
