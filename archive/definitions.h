/*
 * Writes the definitions of an OTF2 archive that all its locations share: what process 0 of the
 * job does.  Program context; memory from malloc.
 */
#ifndef TSPROF_ARCHIVE_DEFINITIONS_H
#define TSPROF_ARCHIVE_DEFINITIONS_H

#include "archive/events.h"

/* The number of a thread's location, which names its files too: as Score-P's have it. */
static inline uint64_t archive_location_number(uint32_t rank, uint32_t thread)
{
    return (uint64_t)thread << 32 | rank;
}

/* False if something could not be written. */
bool definitions_write(const struct otf2 *otf2, OTF2_Archive *archive,
                       const struct archive_contents *contents);

#endif
