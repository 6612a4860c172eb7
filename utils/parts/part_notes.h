/*
 * Adds the notes that a location gets if it comes from a part: how its process ended, up to
 * when its data are complete, and what is missing.
 */
#ifndef TSPROF_PART_NOTES_H
#define TSPROF_PART_NOTES_H

#include "parts/alive.h"
#include "parts/part_snapshot.h"

/*
 * Sets what ended the measurement of SNAPSHOT's location early, and adds its notes.  LIFE is
 * the state of the process; notes about the whole process are added only if FIRST.
 */
void part_notes_add(struct part_reading *part, const struct part_log_reading *log,
                    enum life life, bool first, struct part_snapshot *snapshot);

#endif
