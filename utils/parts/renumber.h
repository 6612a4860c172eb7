/*
 * A location's numbers in the terms of the summary that it becomes part of.
 */
#ifndef TSPROF_RENUMBER_H
#define TSPROF_RENUMBER_H

#include "file/file.h"

struct renumbering {
    const uint32_t *nodes;   /* the summary's, perhaps with RESOLVED_LEFT_OUT (resolve.h) */
    const uint32_t *phases;  /* the summary's */
    const uint32_t *metrics; /* the summary's, no two alike */
    uint32_t visits;         /* the summary's number of that metric */
};

/*
 * Renumbers LOCATION in place.  What frames that are left out have is added to what is above
 * them, but for their visits: entering such a frame is not entering the one that is shown.
 */
void location_renumber(struct location *location, const struct renumbering *numbers);

#endif
