/*
 * The events of jobs that did not end normally: reads what their processes kept of chosen
 * iterations in files beside their parts (doc/parts.md, "Events"), and writes them into an OTF2
 * archive, as the job would have.  The files may be damaged, and may be written to at the same
 * time.
 */
#ifndef TSPROF_EVENTS_ROOM_H
#define TSPROF_EVENTS_ROOM_H

#include "events/event_file.h"
#include "events/job_trace.h"

#endif
