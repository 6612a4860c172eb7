/*
 * The room of traces: keeps the single events of chosen iterations (TSPROF_TRACE) in memory,
 * from where they are written into an OTF2 archive at the end.  This is its public header.
 *
 * Each thread writes its own stream of records, while one of the iterations that may be kept is
 * open.  When it ends, it is kept or not; when memory is used up, the least important one that
 * was kept goes, and after all of those the one that is open.  Which iterations those are is
 * every thread's own decision.  So more of them are kept than were asked for, and at the end
 * the processes agree on those that all have.
 *
 * Without TSPROF_TRACE threads have no `trace`, and each of these functions costs a test.
 * Unless a comment says otherwise they are for the thread that holds its context.
 */
#ifndef TSPROF_TRACE_ROOM_H
#define TSPROF_TRACE_ROOM_H

#include "trace/chunk_file.h"
#include "trace/chunks.h"
#include "trace/objects.h"
#include "trace/record.h"
#include "trace/recorder.h"

#endif
