/*
 * Which of the loops that were found are not certain although the machine code has them: an
 * interpreter's loop does one of several things in each pass, as its program says, which has
 * loops of its own.  And which have passes that the calls alone cannot tell apart, or are
 * inside a loop of which that is true, although the machine code has them: where all calls come
 * from a loop inside, and both loops are in one function, a call follows itself in the next
 * pass of the outer loop just as in the same one.  And loops of functions that have made calls
 * from a part that lies apart, in which a pass may have made all of its calls.
 *
 * For the thread whose main loop was searched for, when the search ends; program context.
 */
#ifndef TSPROF_DOUBT_H
#define TSPROF_DOUBT_H

#include "mainloop/search.h"

/* The loops of THREAD of which that is so, as a set of their numbers. */
uint32_t doubt_find(const struct thread *thread);

#endif
