/*
 * The room for the life of a measurement, and its public header: when it starts and ends, which
 * threads take part, and what has to happen when the program creates threads, forks, or unloads
 * libraries.  Program context only.
 */
#ifndef TSPROF_LIFE_ROOM_H
#define TSPROF_LIFE_ROOM_H

#include "life/lifecycle.h"

#endif
