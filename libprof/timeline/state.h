/*
 * How far the measurement of this process has come.  Written only where it starts and ends; may
 * be read by any thread in any context.
 */
#ifndef TSPROF_STATE_H
#define TSPROF_STATE_H

#include <stdbool.h>

enum measurement_state {
    STATE_IDLE,     /* nothing has been measured yet */
    STATE_STARTING, /* MPI is being initialised and the clock is not fixed yet */
    STATE_MEASURING,
    STATE_REFUSED, /* no memory: nothing is measured, but others may wait for this process */
    STATE_ENDED    /* it never begins again */
};

extern enum measurement_state measurement_state;

static inline enum measurement_state measurement_state_async(void)
{
    return __atomic_load_n(&measurement_state, __ATOMIC_ACQUIRE);
}

static inline bool measurement_runs_async(void)
{
    return measurement_state_async() == STATE_MEASURING;
}

/* Goes on to STATE.  Only for those that start and end the measurement (life/lifecycle.h). */
static inline void measurement_set_state_async(enum measurement_state state)
{
    __atomic_store_n(&measurement_state, state, __ATOMIC_RELEASE);
}

#endif
