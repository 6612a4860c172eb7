/* See threads_team.h. */
#include "replay/threads_team.h"

#include <stdlib.h>

/* All members are in a struct threads_team, the first at its beginning. */
static struct threads_team *team_of(struct team *member)
{
    return (struct threads_team *)(void *)(member - member->self);
}

static bool exchange(struct team *member, struct bytes *out, struct bytes *in)
{
    struct threads_team *team = team_of(member);
    team->out[member->self] = out;
    team->has_failed[member->self] = !out;
    pthread_barrier_wait(&team->barrier);
    for (uint32_t i = 0; out && i < team->size; i++) {
        const struct bytes *from = team->out[i] ? &team->out[i][member->self] : NULL;
        in[i].count = 0;
        if (from && !bytes_add(&in[i], from->data, from->count))
            team->has_failed[member->self] = true;
    }
    pthread_barrier_wait(&team->barrier);
    member->first_failed = 0;
    while (member->first_failed < team->size && !team->has_failed[member->first_failed])
        member->first_failed++;
    for (uint32_t i = 0; out && i < team->size; i++)
        out[i].count = 0;
    /* Nobody begins with the next one before all have looked. */
    pthread_barrier_wait(&team->barrier);
    return member->first_failed == team->size;
}

struct running {
    void (*run)(void *context, struct team *member);
    void *context;
    struct team *member;
};

static void *run_one(void *context)
{
    const struct running *running = context;
    running->run(running->context, running->member);
    return NULL;
}

void threads_team_run(uint32_t size, void (*run)(void *context, struct team *member),
                      void *context)
{
    struct threads_team team = {.size = size};
    pthread_t threads[TEAM_MOST];
    struct running running[TEAM_MOST];
    pthread_barrier_init(&team.barrier, NULL, size);
    for (uint32_t i = 0; i < size; i++) {
        team.members[i] = (struct team){.size = size, .self = i, .exchange = exchange};
        running[i] = (struct running){run, context, &team.members[i]};
        if (pthread_create(&threads[i], NULL, run_one, &running[i]) != 0)
            abort();
    }
    for (uint32_t i = 0; i < size; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&team.barrier);
}
