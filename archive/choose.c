/* See choose.h. */
#include "archive/choose.h"

#include <stdlib.h>

void offers_add(struct offers *offers, const struct offer *offer)
{
    if (offers->count == offers->capacity) {
        const size_t capacity = offers->capacity ? 2 * offers->capacity : 64;
        void *list = realloc(offers->list, capacity * sizeof *offers->list);
        offers->failed |= !list;
        if (!list)
            return;
        offers->list = list;
        offers->capacity = capacity;
    }
    offers->list[offers->count++] = *offer;
}

static int order(const struct offer *a, const struct offer *b)
{
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_number(const void *a, const void *b)
{
    return order(a, b);
}

static int by_score(const void *left, const void *right)
{
    const struct offer *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return order(a, b);
}

void offers_sort(struct offers *offers)
{
    size_t kept = 0;
    if (offers->count > 0)
        qsort(offers->list, offers->count, sizeof *offers->list, by_number);
    for (size_t i = 0; i < offers->count; i++) {
        struct offer *last = kept ? &offers->list[kept - 1] : NULL;
        if (!last || order(last, &offers->list[i]) != 0)
            offers->list[kept++] = offers->list[i];
        else if (offers->list[i].score > last->score)
            last->score = offers->list[i].score;
    }
    offers->count = kept;
}

static bool has_phase(const struct offers *offers, uint32_t phase)
{
    for (size_t i = 0; i < offers->count; i++)
        if (offers->list[i].phase == phase)
            return true;
    return false;
}

/* Takes the offers of OWN that OTHERS does not rule out, with the higher score. */
static void take(struct offers *to, const struct offers *own, const struct offers *others)
{
    for (size_t i = 0; i < own->count; i++) {
        struct offer offer = own->list[i];
        const struct offer *other = others->count ? bsearch(&offer, others->list, others->count,
                                                            sizeof offer, by_number)
                                                  : NULL;
        if (!other && has_phase(others, offer.phase))
            continue;
        if (other && other->score > offer.score)
            offer.score = other->score;
        offers_add(to, &offer);
    }
}

void offers_join(struct offers *offers, const struct offers *others)
{
    struct offers joined = {.failed = offers->failed || others->failed};
    take(&joined, offers, others);
    take(&joined, others, offers);
    offers_sort(&joined);
    free(offers->list);
    *offers = joined;
}

void offers_best(struct offers *offers, size_t most)
{
    if (offers->count <= most)
        return;
    qsort(offers->list, offers->count, sizeof *offers->list, by_score);
    offers->count = most;
    offers_sort(offers);
}

bool offers_have(const struct offers *offers, uint32_t phase, uint64_t number)
{
    const struct offer wanted = {phase, number, 0};
    return offers->count &&
           bsearch(&wanted, offers->list, offers->count, sizeof wanted, by_number);
}

void offers_encode(const struct offers *offers, struct encoder *out)
{
    encode_varint(out, offers->count);
    for (size_t i = 0; i < offers->count; i++) {
        encode_varint(out, offers->list[i].phase);
        encode_varint(out, offers->list[i].number);
        encode_varint(out, offers->list[i].score);
    }
}

bool offers_decode(struct offers *offers, struct decoder *in)
{
    const uint64_t count = decode_count(in, 3);
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        struct offer offer;
        offer.phase = (uint32_t)decode_varint(in);
        offer.number = decode_varint(in);
        offer.score = decode_varint(in);
        offers_add(offers, &offer);
    }
    offers_sort(offers);
    return !in->failed && !offers->failed;
}

void offers_free(struct offers *offers)
{
    free(offers->list);
    *offers = (struct offers){.list = NULL};
}
