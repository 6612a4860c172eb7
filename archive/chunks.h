/*
 * Memory for what the OTF2 library has not written yet.  By itself it keeps up to 128 MiB of
 * each thread's events, and so an archive as a whole, when the program may have no memory to
 * spare. With OTF2's headers only.
 */
#ifndef TSPROF_ARCHIVE_CHUNKS_H
#define TSPROF_ARCHIVE_CHUNKS_H

#include <otf2/otf2.h>

/* To be given to an archive that is written, with no data of its own; from any thread. */
extern const OTF2_MemoryCallbacks chunks_memory;

#endif
