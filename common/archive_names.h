/* Names in archives by which tsprof knows its own again. */
#ifndef TSPROF_ARCHIVE_NAMES_H
#define TSPROF_ARCHIVE_NAMES_H

/*
 * What the name of a location and its group begins with that stand for a process of another job
 * (MPI_Comm_spawn), which has no events and takes part in nothing but communicators.
 */
#define ARCHIVE_NAME_FOREIGN "Another job's process"

/* The file beside the anchor of an archive that says that its times are predicted. */
#define ARCHIVE_MARK_MOVED "traces.moved"

#endif
