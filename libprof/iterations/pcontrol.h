/*
 * MPI_Pcontrol as a marker: what a call of it marks (TSPROF_PCONTROL).
 *
 * The function takes a level, followed by whatever a tool and its users have agreed upon, and
 * the callee cannot know whether anything follows.  So by default only the level counts: 5 and
 * above begin an instance of a phase for that level, and the negative level ends it.  Levels 0
 * to 4 have other meanings in the MPI standard and in other tools, and mark nothing here.  With
 * TSPROF_PCONTROL=names the user says that the program passes a name; even then it is read with
 * care.
 */
#ifndef TSPROF_PCONTROL_H
#define TSPROF_PCONTROL_H

#include <stdbool.h>

enum { PCONTROL_FIRST_LEVEL = 5, PCONTROL_NAME_BYTES = 256 };

struct pcontrol_mark {
    bool begins; /* an instance begins; false: it ends */
    bool closes; /* an instance of the phase that is still open ends first */
    char name[PCONTROL_NAME_BYTES];
};

/*
 * Makes LEVEL (from 1 on; 0: every level) a marker as well, for `pcontrol:LEVEL` in
 * TSPROF_ITERATION.  Without effect where names are read.  When the measurement starts.
 */
void pcontrol_add_level(int level);

/*
 * Fills MARK with what MPI_Pcontrol(LEVEL, ARGUMENT) marks; returns false if it marks nothing.
 * ARGUMENT may be anything: the program need not have passed one.  Program context.
 */
bool pcontrol_reads(int level, const void *argument, struct pcontrol_mark *mark);

#endif
