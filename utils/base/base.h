/*
 * What every room stands on: memory that is given back all at once, and why a
 * function failed.  Any room may use it.  It knows nothing of summaries, prints nothing but
 * "out of memory", and uses no other room.
 */
#ifndef TSPROF_BASE_ROOM_H
#define TSPROF_BASE_ROOM_H

#include "base/error.h"
#include "base/memory.h"

#endif
