/*
 * What threads compute between two calls of MPI, as their samples say.
 *
 * Archives of tsprof have the functions around a call of MPI from when they are first seen to
 * when they are last seen there; so what is computed in between, in a *gap*, lies in the
 * functions that both calls have in common.  Samples tell more.  A gap's time is divided among
 * the functions below those in common in proportion to its own samples and, as if two more
 * samples were, to those of all gaps of the thread between the same two call paths: a gap
 * shorter than the interval between samples has hardly any, and must not be taken for something
 * else than its neighbours for that.  They come in the order in which they do on average.
 *
 * Functions that tell when they are entered and left (-finstrument-functions) are, at these
 * times, and end gaps as calls of MPI do: what is divided is what lies between.
 *
 *     gaps = gaps_create(trace);
 *     gaps_learn(gaps, event);               for every event
 *     gaps_learnt(gaps);
 *     gaps_take(gaps, event, &receiver);     for every event once more
 *     gaps_end(gaps, &receiver);
 *     gaps_free(gaps);
 *
 * Memory follows the number of pairs of call paths and, of each, of the call paths of samples.
 */
#ifndef TSPROF_GAPS_H
#define TSPROF_GAPS_H

#include "archive/archive.h"
#include "replay/replay.h"

struct gaps;

/* TRACE must outlive the result. */
struct gaps *gaps_create(const struct trace *trace);
void gaps_free(struct gaps *gaps);

/* Whether gaps of TRACE can be divided: it is tsprof's, and samples have call paths. */
bool gaps_apply(const struct trace *trace);

void gaps_learn(struct gaps *gaps, const struct trace_event *event);
/* After the last event.  False if there is nothing to divide gaps by. */
bool gaps_learnt(struct gaps *gaps);

/*
 * Who is told of the events.  Calls of MPI and borders of phases come as they are taken.  Other
 * functions that are entered or left in a gap come when it ends: first those that are left,
 * with the time at which the gap began; then its parts, as stays; then those that are entered.
 */
struct gaps_receiver {
    void (*event)(void *context, const struct trace_event *event);
    /* EVENT says in which iterations the stay is. */
    void (*stay)(void *context, const struct trace_event *event,
                 const struct replay_stay *stay);
    void *context;
};

void gaps_take(struct gaps *gaps, const struct trace_event *event,
               const struct gaps_receiver *receiver);
/* After the last event: tells what is left. */
void gaps_end(struct gaps *gaps, const struct gaps_receiver *receiver);

#endif
