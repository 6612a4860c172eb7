/*
 * Saves what has been measured while the program runs, so that it is not lost when the process
 * is killed: every thread writes its own data into the process's part (doc/parts.md) about once
 * a second.
 *
 * Parts are prepared, finished and removed in program context; saving itself is
 * async-signal-safe.
 */
#ifndef TSPROF_SAVE_ROOM_H
#define TSPROF_SAVE_ROOM_H

#include "save/part.h"

#endif
