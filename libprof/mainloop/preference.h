/*
 * How likely each MPI function is to be called by all processes at the same place of a step.
 */
#ifndef TSPROF_PREFERENCE_H
#define TSPROF_PREFERENCE_H

#include "calls/calls.h"

#include <stdint.h>

/* By MPI function, the larger the likelier; 0: it is called by chance. */
extern uint8_t search_preferences[CALL_COUNT];

/* Fills search_preferences.  Program context, before calls are examined. */
void preference_start(void);

#endif
