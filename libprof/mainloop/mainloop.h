/*
 * Looking for the main loop of a program without markers: which loops there are, their passes as
 * iterations, slices of time where there is no loop, and what is shown of all this in the end.
 *
 * By the thread whose calls are looked at, in program context; or whoever has stopped it.
 */
#ifndef TSPROF_MAINLOOP_ROOM_H
#define TSPROF_MAINLOOP_ROOM_H

#include "mainloop/candidate.h"
#include "mainloop/found.h"
#include "mainloop/search.h"
#include "mainloop/slices.h"

#endif
