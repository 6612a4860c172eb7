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

#endif
