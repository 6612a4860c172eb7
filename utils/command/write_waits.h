/* What is done with what `tsprof waits` has found; also for the MPI program of that name. */
#ifndef TSPROF_WRITE_WAITS_H
#define TSPROF_WRITE_WAITS_H

#include "file/file.h"
#include "options/options.h"

/* Writes WAITS, or the summary of the run that OPTIONS name with that in it.  False, with a
 * message, if it cannot be written. */
bool write_waits(const struct options *options, const struct summary *waits);

#endif
