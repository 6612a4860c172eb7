/*
 * Phases and iterations: what markers do, iterations named from outside, annotations of other
 * tools, threads that follow another's iterations; and how an iteration that has ended gets into
 * a cluster.
 *
 * By the thread that holds its context (timeline/context.h).
 */
#ifndef TSPROF_ITERATIONS_ROOM_H
#define TSPROF_ITERATIONS_ROOM_H

#include "iterations/follow.h"
#include "iterations/instance.h"
#include "iterations/iteration.h"
#include "iterations/pcontrol.h"
#include "iterations/phase.h"
#include "iterations/series.h"
#include "iterations/watch.h"

#endif
