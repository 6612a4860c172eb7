/*
 * What a summary must say of a location that comes from a part: how it ended, up to when it is
 * complete, what was cut.
 */
#ifndef TSPROF_PART_NOTES_H
#define TSPROF_PART_NOTES_H

#include "parts/alive.h"
#include "parts/part_snapshot.h"

/*
 * Says of the location of SNAPSHOT what cut it off, and adds notes to it; those about the whole
 * process, which LIFE is of, only if FIRST.
 */
void part_notes_add(struct part_reading *part, const struct part_log_reading *log,
                    enum life life, bool first, struct part_snapshot *snapshot);

#endif
