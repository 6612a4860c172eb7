/*
 * Jobs that crashed, or still run (doc/parts.md): reads the part files of their processes and
 * merges them into a summary.  Commands open what the user names through subject.h, whether it
 * is a summary or parts; live_threads.h says where the threads are now.  Part files may be
 * damaged, and may be written to at the same time: everything read from them is checked here.
 */
#ifndef TSPROF_PARTS_ROOM_H
#define TSPROF_PARTS_ROOM_H

#include "parts/live_threads.h"
#include "parts/merge_parts.h"
#include "parts/subject.h"

#endif
