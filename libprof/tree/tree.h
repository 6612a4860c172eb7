/*
 * Call paths and their numbers: the calling context tree of a thread, profiles over its nodes,
 * and the visits that walks find.
 *
 * Called by the thread that owns them, its sample handler included; nothing here takes a lock.
 */
#ifndef TSPROF_TREE_ROOM_H
#define TSPROF_TREE_ROOM_H

#include "tree/cct.h"
#include "tree/profile.h"
#include "tree/visits.h"

#endif
