/* A team whose members are threads of one process, for tests. */
#ifndef TSPROF_THREADS_TEAM_H
#define TSPROF_THREADS_TEAM_H

#include "replay/crew/team.h"

#include <pthread.h>

enum { TEAM_MOST = 8 };

struct threads_team {
    struct team members[TEAM_MOST];
    uint32_t size;
    struct bytes *out[TEAM_MOST]; /* what each gives in an exchange; NULL: it has failed */
    bool has_failed[TEAM_MOST];
    pthread_barrier_t barrier;
};

/* Calls RUN, with CONTEXT and its member of the team, in SIZE threads. */
void threads_team_run(uint32_t size, void (*run)(void *context, struct team *member),
                      void *context);

#endif
