/*
 * Jobs that have not ended in order, or have not ended (doc/parts.md): reads the part files of
 * their processes and merges them into a summary.  Commands open what they are given through
 * subject.h, be it a summary or parts; live_threads.h says where threads are now.  Part files
 * may hold anything and may still be written to: everything read from them is checked here.
 */
#ifndef TSPROF_PARTS_ROOM_H
#define TSPROF_PARTS_ROOM_H

#include "parts/live_threads.h"
#include "parts/merge_parts.h"
#include "parts/subject.h"

#endif
