/*
 * Phantoms: call paths that the mean of a cluster shows in iterations in which they did not
 * occur.
 */
#ifndef TSPROF_PHANTOMS_H
#define TSPROF_PHANTOMS_H

#include "query/query.h"

/* Numbers of call paths, each counted once for every selected iteration on every location. */
struct phantoms {
    double shown;       /* that have a value, where presence is known */
    double least, most; /* of these, some number from LEAST to MOST did not occur */
    double unknown;     /* that have a value where presence is not known */
};

enum phantom_paths { PHANTOMS_ALL, PHANTOMS_MPI, PHANTOM_PATHS };

/*
 * Counts those of PHASE in the selected iterations and locations: all of them, and those of MPI
 * functions.  Which iterations of a cluster lack a call path is not known: of those that are
 * selected the same share is taken to lack it as of all.
 */
void phantoms_count(const struct selection *selection, uint32_t phase,
                    struct phantoms phantoms[PHANTOM_PATHS]);

/*
 * Adds "3.1 % of call paths are shown where they did not occur (of MPI 0 %)"; nothing if there
 * are none.  Returns whether there are.
 */
bool phantoms_add_text(const struct phantoms phantoms[PHANTOM_PATHS], struct text *text);

#endif
