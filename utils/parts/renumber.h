/*
 * Translates a location's numbers of nodes, phases and metrics into those of the summary that
 * it becomes a part of.
 */
#ifndef TSPROF_RENUMBER_H
#define TSPROF_RENUMBER_H

#include "file/file.h"

struct renumbering {
    const uint32_t *nodes; /* may have the flag RESOLVED_LEFT_OUT (assemble/resolve.h) */
    const uint32_t *phases;
    const uint32_t *metrics; /* all different */
    uint32_t visits;         /* the summary's number of the metric `visits` */
};

/*
 * Renumbers LOCATION in place.  The values of frames that are left out are added to the frame
 * above them, except visits: entering such a frame is not entering the one that is shown.
 */
void location_renumber(struct location *location, const struct renumbering *numbers);

#endif
