/*
 * MPI_Pcontrol as a marker: what a call of it marks (TSPROF_PCONTROL).
 *
 * The function takes a level and whatever a tool agrees upon with its users, and nobody can see
 * in a call whether anything follows the level.  So by default levels alone count: those from 5
 * on begin an instance of a phase of their own, and with a minus end it; 0 to 4 have other
 * meanings to the MPI standard and to other tools, and none here.  With `names` a program says
 * by its setting that it passes a name, and even then it is read with care.
 */
#ifndef TSPROF_PCONTROL_H
#define TSPROF_PCONTROL_H

#include <stdbool.h>

enum { PCONTROL_FIRST_LEVEL = 5, PCONTROL_NAME_BYTES = 256 };

struct pcontrol_mark {
    bool begins; /* or ends */
    bool closes; /* an instance that is still open ends first */
    char name[PCONTROL_NAME_BYTES];
};

/*
 * Has LEVEL, from 1 on, mark as well (`pcontrol:LEVEL` in TSPROF_ITERATION), or all of them if
 * it is 0; unless names are read.  When measurement starts.
 */
void pcontrol_add_level(int level);

/*
 * What MPI_Pcontrol(LEVEL, ARGUMENT) marks; false if nothing.  ARGUMENT need not have been
 * passed at all.  Program context.
 */
bool pcontrol_reads(int level, const void *argument, struct pcontrol_mark *mark);

#endif
