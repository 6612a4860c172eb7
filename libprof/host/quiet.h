/*
 * Writing without the signals that a write can raise: SIGPIPE if nobody reads, SIGXFSZ if a
 * file would grow too large.  The program would take them for its own.  Program context.
 */
#ifndef TSPROF_QUIET_H
#define TSPROF_QUIET_H

#include <signal.h>

struct quiet {
    sigset_t mask;    /* the thread's mask before */
    sigset_t pending; /* signals that were pending before, for the program */
};

/* Blocks both signals in the calling thread until quiet_end. */
void quiet_begin(struct quiet *quiet);

/* Discards the signals raised since quiet_begin and restores the mask.  Preserves errno. */
void quiet_end(const struct quiet *quiet);

#endif
