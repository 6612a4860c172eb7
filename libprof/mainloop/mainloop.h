/*
 * The room that searches for the main loop of a program without markers, and its public header:
 * which loops there are, their passes as iterations, time slices in case there is no loop, and
 * which of all these are shown in the end.
 *
 * For the thread whose calls are examined, in program context, or for whoever has stopped it;
 * only functions named *_async may be called in a signal handler.
 */
#ifndef TSPROF_MAINLOOP_ROOM_H
#define TSPROF_MAINLOOP_ROOM_H

#include "mainloop/candidate.h"
#include "mainloop/found.h"
#include "mainloop/named.h"
#include "mainloop/search.h"
#include "mainloop/slices.h"

#endif
