/*
 * What every other room uses: memory allocation that ends the command when memory runs out, and
 * the struct in which a function says why it failed.  Any room may use it.  It knows nothing
 * about summaries, prints nothing but "out of memory", and uses no other room.
 */
#ifndef TSPROF_BASE_ROOM_H
#define TSPROF_BASE_ROOM_H

#include "base/error.h"
#include "base/memory.h"

#endif
