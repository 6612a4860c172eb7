/*
 * Writes the events of one thread into its file of an OTF2 archive: those of the iterations
 * that were chosen, or all.
 *
 * An MPI call is entered and left in its place of the call tree.  A function around it is
 * entered when it is first seen, at the first call from it or when an iteration begins in it,
 * and left when it was last seen; one that tells of itself, when it says so.  Between chosen
 * iterations the measurement is off, and no function is open.  Program context; memory from
 * malloc.
 */
#ifndef TSPROF_ARCHIVE_EVENTS_H
#define TSPROF_ARCHIVE_EVENTS_H

#include "archive/otf2.h"
#include "archive/writing.h"

/* A time of the process in the archive's. */
static inline uint64_t time_line_at(const struct time_line *line, int64_t ns)
{
    return line->base + (uint64_t)(ns + (int64_t)((double)ns * line->drift));
}

/* The numbers in the archive of what is the same in all. */
enum { ARCHIVE_WORLD, ARCHIVE_SELF, ARCHIVE_OBJECTS };
enum { ARCHIVE_ITERATION, ARCHIVE_SOURCES_OF, ARCHIVE_SOURCE, ARCHIVE_NEIGHBORHOOD };
enum { ARCHIVE_SAMPLES = 0, ARCHIVE_COUNTERS = 0, ARCHIVE_MPI_IO = 0 };

/*
 * Writes the records of stream OWNER.  CHOSEN lists the CHOSEN_COUNT iterations, in the order
 * of their beginning; NULL stands for everything.
 */
struct written events_write(const struct otf2 *otf2, OTF2_EvtWriter *writer,
                            const struct recording *recording, uint32_t owner,
                            const struct event_maps *maps,
                            const struct recorded_iteration *const *chosen,
                            size_t chosen_count);

#endif
