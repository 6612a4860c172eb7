/*
 * Sampling: a timer for each thread, and the signal handler that takes the call path of the
 * interrupted code.  See sampler.h for who may call what.
 */
#ifndef TSPROF_SAMPLE_ROOM_H
#define TSPROF_SAMPLE_ROOM_H

#include "sample/sampler.h"

#endif
