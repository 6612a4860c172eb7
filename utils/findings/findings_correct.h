/*
 * Times of iterations less what ranks had no processor for: part of findings_look.c.
 *
 * When in an iteration that was is not known.  A rank that computes for C of T, and had no
 * processor for P, has computed for something between C - P (it was in computation) and
 * C - (P - (T - C)) (in MPI, as far as that took so long).  An iteration had taken no less than
 * T less the two largest P of ranks, which may have come one after the other, and than a rank
 * computes; and no more than T.  Of what is possible that is taken which is most like the
 * neighbours, so that only what is certain stands out: the value that is nearest to the
 * intervals of 25 neighbours on either side, or the end of the interval that is nearest to it.
 */
#ifndef TSPROF_FINDINGS_CORRECT_H
#define TSPROF_FINDINGS_CORRECT_H

#include "findings/findings_look.h"

/* Corrects LOOK's points, and sets `own`, if it is time that is looked at and ranks had no
 * processor for much of it. */
void look_correct(struct look *look);
void look_free_own(struct look *look);

/* The share of the time of points FIRST to END - 1 for which some rank had no processor, of
 * LOOK, whose points are corrected. */
double look_scarcity(const struct look *look, size_t first, size_t end);

#endif
