/*
 * Samples: a timer for each thread and the signal handler that takes a call path.
 */
#ifndef TSPROF_SAMPLE_ROOM_H
#define TSPROF_SAMPLE_ROOM_H

#include "sample/sampler.h"

#endif
