/* From an archive to the engine: its definitions as a world, its events one by one. */
#ifndef TSPROF_FEED_H
#define TSPROF_FEED_H

#include "archive/archive.h"
#include "replay/crew/crew.h"
#include "replay/replay.h"
#include "waits/gaps.h"
#include "waits/instances.h"

struct feed {
    const struct trace *trace;
    struct replay *replay; /* takes in the events; NULL: the crew does */
    struct crew *crew;     /* of several who share the analysis; NULL: nobody does */
    struct team *team;     /* that shares the search; NULL: one does it alone */
    struct replay_world world;
    struct replay_region *regions;
    uint32_t *processes; /* by thread */
    uint32_t *ranks;     /* by process */
    struct replay_comm *comms;
    struct replay_grid *grids;
    bool *is_neighborhood; /* by region: a collective operation among neighbours */
    struct feed_thread *threads;
    struct instances instances;
    struct replay_moment *births; /* by instance, where it was met first; of a crew */
    size_t birth_count, birth_room;
    bool is_over;      /* all events have been read */
    struct gaps *gaps; /* NULL: they are not divided */
};

/* TRACE must outlive it; free with feed_free.  MASTER is the process that distributes work;
 * TRACE_NONE: it is to be found, if there is one. */
void feed_open(struct feed *feed, const struct trace *trace, uint32_t master);
/* The same for a member of a crew, where OWNERS says by process who of TEAM has its events;
 * both must outlive it, and the trace visits only those. */
void feed_open_shared(struct feed *feed, const struct trace *trace, uint32_t master,
                      const uint32_t *owners, struct team *team);
void feed_free(struct feed *feed);

/* Memory has run out, here or elsewhere in TEAM (NULL: there is none), which knows of it: ends
 * the process, with a message from the first that it happened to. */
_Noreturn void feed_end_team(const struct team *team);

/* Reads all events of the trace into the engine, or the crew.  False, and ERROR, if not all
 * could be read: the engine has what could. */
bool feed_run(struct feed *feed, struct trace *trace, struct error *error);

#endif
