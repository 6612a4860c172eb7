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

static const struct offer *find(const struct offers *offers, uint32_t phase, uint64_t number)
{
    const struct offer wanted = {phase, number, 0};
    return offers->count
               ? bsearch(&wanted, offers->list, offers->count, sizeof wanted, by_number)
               : NULL;
}

/* Takes the offers of OWN that OTHERS does not rule out; the others are gone. */
static void take(struct supply *to, const struct supply *own, const struct supply *others)
{
    for (size_t i = 0; i < own->there.count; i++) {
        const struct offer *offer = &own->there.list[i];
        const bool ruled_out =
            !offers_have(&others->there, offer->phase, offer->number) &&
            (has_phase(&others->there, offer->phase) || has_phase(&others->gone, offer->phase));
        offers_add(ruled_out ? &to->gone : &to->there, offer);
    }
    for (size_t i = 0; i < own->gone.count; i++)
        offers_add(&to->gone, &own->gone.list[i]);
}

void supply_join(struct supply *supply, const struct supply *others,
                 const struct trace_spec *spec)
{
    struct supply joined = {
        .there.failed = supply->there.failed || others->there.failed,
        .gone.failed = supply->gone.failed || others->gone.failed,
    };
    take(&joined, supply, others);
    take(&joined, others, supply);
    offers_sort(&joined.there);
    supply_trim(&joined, spec);
    supply_free(supply);
    *supply = joined;
}

static int by_phase_and_score(const void *left, const void *right)
{
    const struct offer *a = left, *b = right;
    return a->phase == b->phase ? by_score(a, b) : order(a, b);
}

void supply_trim(struct supply *supply, const struct trace_spec *spec)
{
    struct offers *gone = &supply->gone;
    size_t kept = 0, rank = 0;
    offers_sort(gone);
    if (spec->most > 0 && gone->count > 0)
        qsort(gone->list, gone->count, sizeof *gone->list, by_phase_and_score);
    for (size_t i = 0; i < gone->count; i++) {
        const uint32_t phase = gone->list[i].phase;
        const bool is_last = i + 1 == gone->count || gone->list[i + 1].phase != phase;
        rank = i > 0 && kept > 0 && gone->list[kept - 1].phase == phase ? rank + 1 : 0;
        if (spec->most > 0 ? rank < spec->most : rank == 0 || is_last)
            gone->list[kept++] = gone->list[i];
    }
    gone->count = kept;
    offers_sort(gone);
}

/*
 * Whether the list of SPEC has number AT.  *END is the last one, up to LAST, of which the same
 * is known.
 */
static bool run_at(const struct trace_spec *spec, uint64_t at, uint64_t last, uint64_t *end)
{
    uint64_t within = 0, before = last;
    bool has = false;
    for (uint32_t i = 0; i < spec->range_count; i++) {
        const struct trace_range range = spec->ranges[i];
        if (range.first <= at && range.last >= at) {
            has = true;
            within = range.last > within ? range.last : within;
        } else if (range.first > at && range.first - 1 < before) {
            before = range.first - 1;
        }
    }
    *end = has && within < last ? within : has ? last : before;
    return has;
}

/* How many numbers from FIRST to LAST the list of SPEC has; its ranges may overlap. */
static uint64_t listed(const struct trace_spec *spec, uint64_t first, uint64_t last)
{
    uint64_t count = 0, end = 0;
    for (uint64_t at = first; at >= first && at <= last; at = end + 1) {
        const bool has = run_at(spec, at, last, &end);
        count += has ? end - at + 1 : 0;
        if (end == last)
            break;
    }
    return count;
}

static uint64_t offered(const struct offers *offers, const struct offer *first,
                        const struct offer *last)
{
    uint64_t count = 0;
    for (size_t i = 0; i < offers->count; i++)
        count += order(&offers->list[i], first) >= 0 && order(&offers->list[i], last) <= 0;
    return count;
}

/* Those of the list that are not there, from the first to the last that is gone. */
static uint64_t missing_of_list(const struct supply *supply, const struct trace_spec *spec)
{
    uint64_t missing = 0;
    const struct offers *gone = &supply->gone;
    for (size_t i = 0, last; i < gone->count; i = last + 1) {
        for (last = i;
             last + 1 < gone->count && gone->list[last + 1].phase == gone->list[i].phase;)
            last++;
        const uint64_t wanted = listed(spec, gone->list[i].number, gone->list[last].number);
        const uint64_t there = offered(&supply->there, &gone->list[i], &gone->list[last]);
        missing += wanted > there ? wanted - there : 0;
    }
    return missing;
}

/* A copy of OFFERS, the best first. */
static struct offers by_importance(const struct offers *offers)
{
    struct offers sorted = {.list = NULL};
    for (size_t i = 0; i < offers->count; i++)
        offers_add(&sorted, &offers->list[i]);
    if (sorted.count > 0)
        qsort(sorted.list, sorted.count, sizeof *sorted.list, by_score);
    return sorted;
}

/* Of the best of all, as many as SPEC asks for, those that are gone. */
static uint64_t missing_of_best(const struct supply *supply, const struct trace_spec *spec)
{
    struct offers there = by_importance(&supply->there), gone = by_importance(&supply->gone);
    size_t taken = 0, missing = 0;
    while (taken + missing < spec->most && missing < gone.count)
        if (taken < there.count && there.list[taken].score >= gone.list[missing].score)
            taken++;
        else
            missing++;
    offers_free(&there);
    offers_free(&gone);
    return missing;
}

uint64_t supply_missing(const struct supply *supply, const struct trace_spec *spec)
{
    return spec->most > 0 ? missing_of_best(supply, spec) : missing_of_list(supply, spec);
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
    return find(offers, phase, number);
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

void supply_encode(const struct supply *supply, struct encoder *out)
{
    offers_encode(&supply->there, out);
    offers_encode(&supply->gone, out);
}

bool supply_decode(struct supply *supply, struct decoder *in)
{
    return offers_decode(&supply->there, in) && offers_decode(&supply->gone, in);
}

void supply_free(struct supply *supply)
{
    offers_free(&supply->there);
    offers_free(&supply->gone);
}
