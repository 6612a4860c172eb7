/*
 * Decodes the map from iterations to clusters as parts have it (doc/parts.md, "Map"): as it was
 * in the process's memory.  For decode_location.c, after the clusters of SERIES.
 */
#ifndef TSPROF_DECODE_MAP_H
#define TSPROF_DECODE_MAP_H

#include "file/section_reader.h"

/*
 * Reads the map into the runs of SERIES.  A few bytes may stand for any number of iterations in
 * turns, so the runs are taken from what READER still allows: when that is used up, the
 * iterations that are left become unmapped.
 */
void decode_saved_map(struct reader *reader, struct series *series);

#endif
