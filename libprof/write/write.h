/*
 * From many processes to one summary, at the end of the measurement.  Program context, when no
 * thread measures any more; collective where it says so.
 */
#ifndef TSPROF_WRITE_ROOM_H
#define TSPROF_WRITE_ROOM_H

#include "write/merge.h"
#include "write/shown_loops.h"

#endif
