/* See team.h. */
#include "replay/crew/team.h"

#include <stdlib.h>
#include <string.h>

bool bytes_add(struct bytes *bytes, const void *data, size_t size)
{
    if (bytes->count + size > bytes->room) {
        const size_t room = 2 * (bytes->count + size) + 64;
        char *grown = realloc(bytes->data, room);
        if (!grown)
            return false;
        bytes->data = grown;
        bytes->room = room;
    }
    if (size > 0)
        memcpy(bytes->data + bytes->count, data, size);
    bytes->count += size;
    return true;
}

bool talk_open(struct talk *talk, struct team *team)
{
    *talk = (struct talk){.team = team,
                          .out = calloc(team->size, sizeof *talk->out),
                          .in = calloc(team->size, sizeof *talk->in)};
    return talk->out && talk->in;
}

void talk_close(struct talk *talk)
{
    for (uint32_t i = 0; talk->team && i < talk->team->size; i++) {
        if (talk->out)
            free(talk->out[i].data);
        if (talk->in)
            free(talk->in[i].data);
    }
    free(talk->out);
    free(talk->in);
    *talk = (struct talk){.team = NULL};
}

static bool exchange(struct team *team, struct bytes *out, struct bytes *in)
{
    if (!team->has_failed)
        team->has_failed = !team->exchange(team, out, in);
    return !team->has_failed;
}

void team_fail(struct team *team)
{
    exchange(team, NULL, NULL);
}

bool talk_exchange(struct talk *talk)
{
    return exchange(talk->team, talk->out, talk->in);
}

bool talk_add_all(struct talk *talk, const void *data, size_t size)
{
    bool good = true;
    for (uint32_t i = 0; i < talk->team->size; i++)
        good &= bytes_add(&talk->out[i], data, size);
    return good;
}

bool team_sum(struct team *team, uint64_t *numbers, size_t count)
{
    struct talk talk;
    const size_t size = count * sizeof *numbers;
    const bool good =
        talk_open(&talk, team) && talk_add_all(&talk, numbers, size) && talk_exchange(&talk);
    for (uint32_t i = 0; good && i < team->size; i++)
        for (size_t k = 0; i != team->self && k < count; k++) {
            uint64_t number;
            memcpy(&number, talk.in[i].data + k * sizeof number, sizeof number);
            numbers[k] += number;
        }
    talk_close(&talk);
    if (!good)
        team_fail(team);
    return good;
}

void *team_gather(struct team *team, void *list, size_t size, size_t *number)
{
    struct talk talk;
    struct bytes all = {0};
    bool good = talk_open(&talk, team) && talk_add_all(&talk, list, *number * size) &&
                talk_exchange(&talk);
    for (uint32_t i = 0; good && i < team->size; i++)
        good = bytes_add(&all, talk.in[i].data, talk.in[i].count);
    /* What is empty is not NULL. */
    good = good && bytes_add(&all, &(char){0}, 1);
    talk_close(&talk);
    free(list);
    if (!good) {
        team_fail(team);
        free(all.data);
        return NULL;
    }
    *number = (all.count - 1) / size;
    return all.data;
}
