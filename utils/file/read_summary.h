/*
 * Reads summary files and validates all of their content: what struct summary promises.
 * Messages begin with the path of the file.
 */
#ifndef TSPROF_READ_SUMMARY_H
#define TSPROF_READ_SUMMARY_H

#include "base/base.h"
#include "common/codec.h"
#include "common/format.h"
#include "file/summary.h"

#include <stdbool.h>

/* Reads the whole of PATH; free with summary_free.  NULL, and ERROR, on failure. */
struct summary *summary_read(const char *path, struct error *error);

/*
 * Decodes, from IN on, the content of section KIND: RUN, METRICS, or LOCATION from its wall
 * time on, into LOCATION.  Validates it against the lengths of SUMMARY's tables.  For parts,
 * which contain the same (utils/parts/part_reading.h).
 */
bool summary_read_content(struct summary *summary, enum format_section kind,
                          struct location *location, struct decoder *in, struct error *error);

/*
 * Likewise decodes a LOCATION from its wall time on, as a part has it: its maps are those of
 * doc/parts.md.  They unfold into RUNS_LEFT runs at most, less those that were used; iterations
 * beyond that become unmapped.
 */
bool summary_read_saved(struct summary *summary, uint64_t *runs_left, struct location *location,
                        struct decoder *in, struct error *error);

#endif
