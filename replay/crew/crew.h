/*
 * An analysis that several do together, each with the events of some processes: `struct replay`
 * for a team.  What is found is what one replay would have found that had been given all
 * events.
 *
 *     crew = crew_create(&world, owners, &team);
 *     crew_take(crew, &event, moment);       for every event of its own processes
 *     crew_end(crew);
 *     crew_unite(crew, instances, &whole);   the result, at the first of the team
 *     crew_free(crew);
 *
 * All of the team call each of these; in between they wait for each other.  Each has a scout
 * and a replay that follows it (share.h).  In a round everybody tells the others what they need
 * to know of what its scout has seen, and until when that was; then all follow as far as the
 * slowest has come.  Memory for that is limited by so many events of each.
 *
 * After a failure, which is always that memory has run out, the team cannot go on, and all of
 * it know (team.h): the functions return false for all, if not here, then where they next wait
 * for each other.
 */
#ifndef TSPROF_REPLAY_CREW_H
#define TSPROF_REPLAY_CREW_H

#include "replay/crew/team.h"
#include "replay/replay.h"

/* What callers give for EVENTS below. */
enum { CREW_AHEAD = 1 << 16 };

/* Where an event stands among all events of the trace: of two things the one with the smaller
 * moment comes first, and different members of a team have different moments. */
struct replay_moment {
    uint64_t ns, ticks, place;
};

/* So much for what comes after all events. */
#define MOMENT_END UINT64_MAX

int moments_compare(const struct replay_moment *one, const struct replay_moment *other);

struct crew;

/* OWNERS says by process who of TEAM has its events; all must outlive the crew.  A scout is at
 * most EVENTS ahead.  NULL if out of memory. */
struct crew *crew_create(const struct replay_world *world, const uint32_t *owners,
                         struct team *team, size_t events);
void crew_free(struct crew *crew);

/* As replay_take, replay_stay and replay_source.  Moments never go back.  False if out of
 * memory. */
bool crew_take(struct crew *crew, const struct replay_event *event,
               struct replay_moment moment);
bool crew_stay(struct crew *crew, const struct replay_stay *seen, struct replay_moment moment);
/* Of its own process: the others are told of it. */
bool crew_source(struct crew *crew, uint32_t comm, uint32_t process, uint32_t source,
                 struct replay_moment moment);
/* Before the first event, of any process, by all of the team: nobody is told of it. */
bool crew_known_source(struct crew *crew, uint32_t comm, uint32_t process, uint32_t source);

/* After the last event: then all waits are known. */
bool crew_end(struct crew *crew);

/* So many of the longest waits of each metric are in the result; it has no others. */
enum { CREW_LONGEST = 100 };

/* Finds causes, and what all have found becomes the result, at the first of the team: *WHOLE,
 * for replay_free, for replay_result only; NULL elsewhere.  INSTANCES says by one's own number
 * of an iteration which one that is in the result.  False if out of memory. */
bool crew_unite(struct crew *crew, const uint32_t *instances, struct replay **whole);

/* What its own processes have: paths, values, waits. */
struct replay *crew_replay(const struct crew *crew);

/* Where in the trace node and path NUMBER of that were met first. */
struct replay_moment crew_node_birth(const struct crew *crew, uint32_t number);
struct replay_moment crew_path_birth(const struct crew *crew, uint32_t number);

#endif
