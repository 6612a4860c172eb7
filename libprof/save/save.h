/*
 * What a process keeps in a file while it runs, so that nothing is lost when it is killed
 * (doc/parts.md): every thread saves its own data about once a second.
 */
#ifndef TSPROF_SAVE_ROOM_H
#define TSPROF_SAVE_ROOM_H

#include "save/part.h"

#endif
