/*
 * Turns what a process has measured into sections of the summary (doc/format.md): one LOCATION
 * section for each thread, and the facts of the run.  Both the summary at the end and the part
 * that is saved while the program runs are made from these.  Also makes the summary's name.
 *
 * Program context, but for the functions whose names end in _async.  Nothing here opens or
 * writes a file.
 */
#ifndef TSPROF_ENCODE_ROOM_H
#define TSPROF_ENCODE_ROOM_H

#include "encode/facts.h"
#include "encode/location.h"
#include "encode/output_name.h"
#include "encode/run_names.h"

#endif
