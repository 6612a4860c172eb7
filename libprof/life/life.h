/*
 * The life of a measurement: when it starts and ends, which threads take part in it, and what has
 * to happen when the program makes threads, forks, or unloads libraries.
 */
#ifndef TSPROF_LIFE_ROOM_H
#define TSPROF_LIFE_ROOM_H

#include "life/lifecycle.h"

#endif
