/* See family.h. */
#include "replay/crew/family.h"

#include "common/index.h"
#include "replay/hash.h"
#include "replay/list.h"

#include <stdlib.h>
#include <string.h>

/* One of all, in the order in which they are heard of; its parent is as heard of. */
struct known {
    struct family_member member;
    uint32_t first, number; /* who has met it first, and its number there */
};

struct uniting {
    struct known *known;
    size_t known_count, known_room;
    struct index index;
    uint32_t *numbers; /* by number of the one that tells: as heard of */
    uint32_t self;
    uint32_t *own; /* the same of this one */
};

struct sought {
    const struct uniting *uniting;
    const struct family_member *member;
};

static bool is_same(const void *context, uint32_t number)
{
    const struct sought *sought = context;
    const struct family_member *one = &sought->uniting->known[number].member;
    return one->parent == sought->member->parent && one->kind == sought->member->kind &&
           one->number == sought->member->number;
}

/* The number of ONE, whose parent is as heard of; REPLAY_NONE if out of memory. */
static uint32_t find(struct uniting *uniting, const struct known *one)
{
    const struct family_member *member = &one->member;
    const struct sought sought = {uniting, member};
    const uint64_t hash = hash_mix(hash_mix(member->parent, member->kind), member->number);
    if (!LIST_RESERVE(uniting->known) ||
        !index_reserve(&uniting->index, uniting->known_count + 1))
        return REPLAY_NONE;
    uint32_t *slot = index_slot(&uniting->index, hash, is_same, &sought);
    if (*slot == 0) {
        uniting->known[uniting->known_count++] = *one;
        *slot = (uint32_t)uniting->known_count;
    }
    struct known *known = &uniting->known[*slot - 1];
    if (moments_compare(&member->birth, &known->member.birth) < 0)
        *known = *one;
    return *slot - 1;
}

/* Hears of all that number WHO has met. */
static bool hear(struct uniting *uniting, uint32_t who, const struct bytes *from)
{
    const size_t count = from->count / sizeof(struct family_member);
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    free(uniting->numbers);
    uniting->numbers = numbers;
    for (size_t i = 0; numbers && i < count; i++) {
        struct known one = {.first = who, .number = (uint32_t)i};
        memcpy(&one.member, from->data + i * sizeof one.member, sizeof one.member);
        if (one.member.parent != REPLAY_NONE)
            one.member.parent = numbers[one.member.parent];
        numbers[i] = find(uniting, &one);
        if (numbers[i] == REPLAY_NONE)
            return false;
    }
    if (who == uniting->self) {
        uniting->own = numbers;
        uniting->numbers = NULL;
    }
    return numbers != NULL;
}

static int compare_births(const void *a, const void *b, void *context)
{
    const struct known *known = context, *one = &known[*(const uint32_t *)a],
                       *other = &known[*(const uint32_t *)b];
    const int order = moments_compare(&one->member.birth, &other->member.birth);
    if (order != 0)
        return order;
    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Numbers all in the order of their births: a parent is met before its children. */
static bool number(const struct uniting *uniting, size_t own_count, struct family *family)
{
    const size_t count = uniting->known_count;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *places = malloc((count + 1) * sizeof *places);
    family->list = malloc((count + 1) * sizeof *family->list);
    family->of_all = malloc((own_count + 1) * sizeof *family->of_all);
    family->own = malloc((count + 1) * sizeof *family->own);
    const bool good = order && places && family->list && family->of_all && family->own;
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good && count > 1)
        qsort_r(order, count, sizeof *order, compare_births, uniting->known);
    for (uint32_t i = 0; good && i < count; i++) {
        places[order[i]] = i;
        family->own[i] = REPLAY_NONE;
    }
    for (uint32_t i = 0; good && i < count; i++) {
        family->list[i] = uniting->known[order[i]].member;
        if (family->list[i].parent != REPLAY_NONE)
            family->list[i].parent = places[family->list[i].parent];
    }
    for (uint32_t i = 0; good && i < own_count; i++) {
        family->of_all[i] = places[uniting->own[i]];
        family->own[family->of_all[i]] = i;
    }
    family->count = count;
    free(order);
    free(places);
    return good;
}

bool family_unite(struct team *team, const struct family_member *own, size_t count,
                  struct family *family)
{
    struct uniting uniting = {.self = team->self};
    struct talk talk;
    *family = (struct family){.count = 0};
    bool good = talk_open(&talk, team) && talk_add_all(&talk, own, count * sizeof *own) &&
                talk_exchange(&talk);
    for (uint32_t i = 0; good && i < team->size; i++)
        good = hear(&uniting, i, &talk.in[i]);
    good = good && number(&uniting, count, family);
    talk_close(&talk);
    free(uniting.known);
    free(uniting.numbers);
    free(uniting.own);
    index_free(&uniting.index);
    if (!good)
        team_fail(team);
    return good;
}

void family_free(struct family *family)
{
    free(family->list);
    free(family->of_all);
    free(family->own);
}
