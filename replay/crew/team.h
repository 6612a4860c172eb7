/*
 * Several who work together, each in a process of its own or in a thread: how they talk.  Knows
 * nothing of what they talk about.
 */
#ifndef TSPROF_REPLAY_TEAM_H
#define TSPROF_REPLAY_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow; start from all zeros, the content is for free(). */
struct bytes {
    char *data;
    size_t count, room;
};

/* False if out of memory. */
bool bytes_add(struct bytes *bytes, const void *data, size_t size);

struct team {
    uint32_t size, self;
    /* All call it at once: OUT[i] goes to number i and is empty then, and IN[i], whose content
     * is replaced, has come from there.  OUT and IN are NULL of one that has failed.  False,
     * for all, if one has, or runs out of memory here: `first_failed` is the first of those.
     * Others call it through what follows. */
    bool (*exchange)(struct team *team, struct bytes *out, struct bytes *in);
    bool has_failed; /* one of the team has, and all know: nobody exchanges anything any more */
    uint32_t first_failed; /* then: who it was */
};

/* This one has run out of memory, and will not come to the next exchange: the others hear of it
 * there, where this one joins them.  Nothing happens if the team has failed before. */
void team_fail(struct team *team);

/* What a talk needs: as many for each direction as there are members. */
struct talk {
    struct team *team;
    struct bytes *out, *in;
};

/* False if out of memory; then, too, talk_close. */
bool talk_open(struct talk *talk, struct team *team);
void talk_close(struct talk *talk);
/* Sends what is in `out` and receives into `in`.  False if the team has failed. */
bool talk_exchange(struct talk *talk);
/* Adds to what goes to all, oneself as well. */
bool talk_add_all(struct talk *talk, const void *data, size_t size);

/* Sends NUMBER things of SIZE bytes to all, and receives what all have: LIST is replaced, with
 * what came from the first of the team first.  NULL if out of memory: LIST is freed then, and
 * the team has failed. */
void *team_gather(struct team *team, void *list, size_t size, size_t *number);

/* NUMBERS of all become their sums.  False if out of memory: the team has failed then. */
bool team_sum(struct team *team, uint64_t *numbers, size_t count);

#endif
