/*
 * The room of phases and iterations, and its public header.  Here is what markers do, how
 * iterations are named from outside or by annotations for other tools, how threads follow the
 * iterations of another, and how a finished iteration gets into a cluster.
 *
 * These functions are for the thread that holds its context (timeline/context.h).  Only those
 * named *_async may be called in a signal handler.
 */
#ifndef TSPROF_ITERATIONS_ROOM_H
#define TSPROF_ITERATIONS_ROOM_H

#include "iterations/follow.h"
#include "iterations/function_names.h"
#include "iterations/instance.h"
#include "iterations/iteration.h"
#include "iterations/pcontrol.h"
#include "iterations/phase.h"
#include "iterations/series.h"
#include "iterations/shortage.h"
#include "iterations/watch.h"

#endif
