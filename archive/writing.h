/*
 * Writing OTF2 archives: the events of many processes, each of which writes its own, from what
 * they have kept in memory and the sections of their summary.
 *
 * In a job all processes call these functions in the same order: process 0 creates the archive
 * before the others open it, and describes it when they have closed it.  One process can also
 * write those of all.  The OTF2 library is loaded when the first archive is opened.  Program
 * context; memory from malloc.
 */
#ifndef TSPROF_ARCHIVE_WRITING_H
#define TSPROF_ARCHIVE_WRITING_H

#include "archive/objects.h"
#include "archive/program.h"
#include "archive/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive;

/* How times of a process become those of the archive. */
struct time_line {
    uint64_t base; /* time in the archive of the process's time 0, in nanoseconds */
    double drift;  /* how much longer a nanosecond of the process is there, in nanoseconds */
};

/* What the numbers of a thread's events stand for. */
struct event_maps {
    const struct program *program;
    const uint32_t *nodes; /* node in the program's call tree, by the thread's own number */
    uint32_t node_count;
    const uint32_t *regions; /* region of a series' iterations; UINT32_MAX: not shown */
    uint32_t series_count;
    const struct own_objects *objects;
    const struct object_number *numbers; /* what objects_number has returned */
    struct time_line time_line;
    unsigned counters; /* how many numbers EVENT_COUNTS has */
    /* Events end with the first call or iteration whose node is not known, as those of a killed
     * process may, and samples without a known node are left out. */
    bool ends_unknown;
};

/* What was written of a thread. */
struct written {
    uint64_t events;      /* records of the archive */
    uint64_t first, last; /* times; first > last: none */
    uint64_t iterations, calls, samples;
    bool failed;
};

/* A thread of the job, and what was written of it. */
struct archive_location {
    uint32_t rank, thread, host;
    struct written written;
};

/* What process 0 describes. */
struct archive_contents {
    const struct program *program;
    const struct texts *objects;
    const struct object_number *numbers; /* what objects_number has returned for them */
    const struct texts *hosts;           /* in the form of the section SYSTEM */
    const struct archive_location *locations;
    size_t location_count;
    uint32_t ranks;
    const char *const *counters; /* their names */
    unsigned counter_count;
    const char *name;   /* of the program's file */
    uint64_t sample_ns; /* processor time between samples; 0: there are none */
};

/*
 * Creates the archive DIRECTORY, which must not exist, for process RANK 0 of RANKS; or opens
 * it, for any other.  LIBRARY is the file of the OTF2 library, "" for the one that the loader
 * finds.  NULL if that fails; *WHY is then the reason, valid until the next call.
 */
struct archive *archive_open(const char *library, const char *directory, uint32_t rank,
                             uint32_t ranks, const char **why);

/*
 * Writes the events of stream OWNER as those of THREAD of process RANK.  CHOSEN lists the
 * CHOSEN_COUNT iterations to write, in the order of their beginning; NULL stands for
 * everything.
 */
struct written archive_write_thread(struct archive *archive, uint32_t rank, uint32_t thread,
                                    const struct recording *recording, uint32_t owner,
                                    const struct event_maps *maps,
                                    const struct recorded_iteration *const *chosen,
                                    size_t chosen_count);

/*
 * Writes what this process still has to write, and closes the archive.  CONTENTS is for process
 * 0, NULL otherwise.  False if not all could be written: then the archive is none.
 */
bool archive_close(struct archive *archive, const struct archive_contents *contents);

/* The latest error in words; "" if there was none since the last call. */
const char *archive_error(void);

/*
 * Removes the archive DIRECTORY, or what is left of one; whatever else is in it stays, and then
 * it does, too.  For one process, when no other writes into it.
 */
void archive_remove(const char *directory);

#endif
