/*
 * The changes that gain most, for a summary of waits that is made from the same events: facts
 * gain.1 to gain.5, each the seconds that are gained, a blank and the question; and gain.of,
 * the seconds that the traced part takes unchanged; and the facts of ideal.h.
 */
#ifndef TSPROF_PREDICT_GAINS_H
#define TSPROF_PREDICT_GAINS_H

#include "waits/waits.h"

/* To be told of a feed's events by waits_find.  Large traces are left alone: predictions take
 * longer than what they are beside. */
extern const struct waits_listener gains_listener;

#endif
