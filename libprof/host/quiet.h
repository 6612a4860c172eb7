/*
 * Writing without the signals that writing can raise: SIGPIPE where nobody reads, SIGXFSZ where
 * a file would grow too large.  The program would take them for its own.  Program context.
 */
#ifndef TSPROF_QUIET_H
#define TSPROF_QUIET_H

#include <signal.h>

struct quiet {
    sigset_t mask;    /* of the thread, before */
    sigset_t pending; /* signals that were the program's already */
};

/* Holds both signals back from the calling thread, until quiet_end. */
void quiet_begin(struct quiet *quiet);

/* Drops those that came in between and puts everything back.  Keeps errno. */
void quiet_end(const struct quiet *quiet);

#endif
