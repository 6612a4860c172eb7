/* See choice.h. */
#include "detect/choice.h"

static const struct loop_offer *find(const struct loop_offers *offers, uint64_t key)
{
    for (uint64_t i = 0; key && i < offers->count; i++)
        if (offers->offers[i].key == key)
            return &offers->offers[i];
    return NULL;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add(struct loop_offer *offer, const struct loop_offer *other)
{
    offer->processes += other->processes;
    offer->least = smaller(offer->least, other->least);
    offer->most = larger(offer->most, other->most);
    offer->time_ns += other->time_ns;
    offer->begin_ns = smaller(offer->begin_ns, other->begin_ns);
    offer->around = offer->around ? offer->around : other->around;
    offer->run_most = larger(offer->run_most, other->run_most);
    offer->run_least = offer->run_least && other->run_least
                           ? smaller(offer->run_least, other->run_least)
                           : offer->run_least + other->run_least;
    offer->beside = offer->beside && other->beside;
    offer->certain = offer->certain || other->certain;
    offer->missed = offer->missed || other->missed;
}

/* Replaces the offer that took least time by OTHER, if OTHER took more. */
static void replace(struct loop_offers *offers, const struct loop_offer *other)
{
    struct loop_offer *least = &offers->offers[0];
    for (uint64_t i = 1; i < offers->count; i++)
        if (offers->offers[i].time_ns < least->time_ns)
            least = &offers->offers[i];
    if (least->time_ns < other->time_ns)
        *least = *other;
}

void choice_merge(struct loop_offers *offers, const struct loop_offers *others)
{
    offers->time_ns += others->time_ns;
    offers->processes += others->processes;
    offers->marked = offers->marked || others->marked;
    offers->named = offers->named || others->named;
    offers->sliced = offers->sliced || others->sliced;
    for (uint64_t i = 0; i < others->count; i++) {
        const struct loop_offer *other = &others->offers[i];
        struct loop_offer *same = (struct loop_offer *)(uintptr_t)find(offers, other->key);
        if (same)
            add(same, other);
        else if (offers->count < CHOICE_OFFERS_MOST)
            offers->offers[offers->count++] = *other;
        else
            replace(offers, other);
    }
}

static bool is_inside(const struct loop_offer *inner, const struct loop_offer *offer)
{
    return inner->around == offer->key && inner->key != offer->key;
}

/* The loop inside OFFER that takes most of its time; NULL if none takes half of it. */
static const struct loop_offer *main_inside(const struct loop_offers *offers,
                                            const struct loop_offer *offer)
{
    const struct loop_offer *best = NULL;
    for (uint64_t i = 0; i < offers->count; i++) {
        const struct loop_offer *inner = &offers->offers[i];
        if (is_inside(inner, offer) && inner->time_ns >= offer->time_ns / 2 &&
            (!best || inner->time_ns > best->time_ns))
            best = inner;
    }
    return best;
}

/*
 * Whether OFFER does little more than INNER, equally often in each of its few passes: time
 * steps, say, after so many of which something is printed.
 */
static bool is_printed(const struct loop_offer *offer, const struct loop_offer *inner)
{
    return offer->most < CHOICE_REGULAR && inner->run_least >= CHOICE_RUN &&
           inner->run_most - inner->run_least <= 1 &&
           inner->time_ns >= offer->time_ns - offer->time_ns / 8;
}

/*
 * Whether INNER is to be shown rather than OFFER, which only repeats it a few times; or which,
 * for all that is known, is the same loop, doing something more after every so many passes.
 */
static bool only_repeats(const struct loop_offer *offer, const struct loop_offer *inner)
{
    if (offer->most < CHOICE_FEW && inner->most >= 4 * offer->most)
        return true;
    if (is_printed(offer, inner))
        return true;
    return inner->beside && !inner->certain && inner->run_most > 1 &&
           inner->run_most - inner->run_least <= 1;
}

/* Whether most passes of INNER are in one pass of the loop around it. */
static bool is_command(const struct loop_offer *inner)
{
    return inner->run_most >= CHOICE_FEW && 2 * inner->run_most > inner->most;
}

/*
 * Whether OFFER is a loop over commands, some of which are computations: most of its time goes
 * into loops that have most of their passes within a single pass of OFFER.
 */
static bool is_interpreter(const struct loop_offers *offers, const struct loop_offer *offer)
{
    uint64_t time_ns = 0;
    for (uint64_t i = 0; i < offers->count; i++)
        if (is_inside(&offers->offers[i], offer) && is_command(&offers->offers[i]))
            time_ns += offers->offers[i].time_ns;
    return time_ns >= offer->time_ns / 2 && time_ns > 0;
}

/* Whether no loop around OFFER is shown: they are all loops over commands. */
static bool is_outermost(const struct loop_offers *offers, const struct loop_offer *offer)
{
    const struct loop_offer *around = find(offers, offer->around);
    for (int depth = 0; around && depth < CHOICE_OFFERS_MOST; depth++) {
        if (!is_interpreter(offers, around))
            return false;
        around = find(offers, around->around);
    }
    return true;
}

static const struct loop_offer *descend(const struct loop_offers *offers,
                                        const struct loop_offer *offer)
{
    for (int depth = 0; depth < CHOICE_OFFERS_MOST; depth++) {
        const struct loop_offer *inner = main_inside(offers, offer);
        if (!inner || !only_repeats(offer, inner))
            break;
        offer = inner;
    }
    return offer;
}

/* Whether OFFER may be shown; one of FEW passes only where there is nothing else. */
static bool is_worth_it(const struct loop_offers *offers, const struct loop_offer *offer,
                        bool few)
{
    if (offers->named)
        return true;
    if (few)
        return offer->certain && offer->most >= CHOICE_PASSES_SURE &&
               offer->time_ns >= offers->time_ns / CHOICE_SHARE_SURE;
    return offer->most >= CHOICE_PASSES_LEAST &&
           offer->time_ns >= offers->time_ns / CHOICE_SHARE;
}

/*
 * Whether OFFER may be shown beside the main loop: not if some processes have not seen it, and
 * others may have missed some of its passes.
 */
static bool is_known_well(const struct loop_offers *offers, const struct loop_offer *offer)
{
    return !offer->missed || offer->processes == offers->processes;
}

static bool is_chosen(const struct loop_offer *const *chosen, uint64_t count,
                      const struct loop_offer *offer)
{
    for (uint64_t i = 0; i < count; i++)
        if (chosen[i] == offer)
            return true;
    return false;
}

/*
 * The next loop to be shown: of those not chosen yet, the one that took most time; NULL: none
 * is left.
 */
static const struct loop_offer *next_best(const struct loop_offers *offers,
                                          const struct loop_offer *const *chosen,
                                          uint64_t count, bool few)
{
    const struct loop_offer *best = NULL;
    for (uint64_t i = 0; i < offers->count; i++) {
        const struct loop_offer *offer = &offers->offers[i];
        if (!is_outermost(offers, offer) || is_interpreter(offers, offer))
            continue;
        offer = descend(offers, offer);
        if (is_worth_it(offers, offer, few) && !is_chosen(chosen, count, offer) &&
            (count == 0 || is_known_well(offers, offer)) &&
            (!best || offer->time_ns > best->time_ns))
            best = offer;
    }
    return best;
}

/* Whether the COUNT loops CHOSEN take so little of the time that slices of it say more. */
static bool is_little(const struct loop_offers *offers, const struct loop_offer *const *chosen,
                      uint64_t count)
{
    uint64_t time_ns = 0;
    for (uint64_t i = 0; i < count; i++)
        time_ns += chosen[i]->time_ns;
    return offers->sliced && !offers->named && time_ns < offers->time_ns / CHOICE_SHARE_ALL;
}

void choice_make(const struct loop_offers *offers, struct loop_choice *choice)
{
    const struct loop_offer *chosen[CHOICE_LOOPS_MOST];
    uint64_t count = 0;
    *choice = (struct loop_choice){.count = 0};
    while (!offers->marked && count < CHOICE_LOOPS_MOST &&
           (chosen[count] = next_best(offers, chosen, count, false)))
        count++;
    if (!offers->marked && count == 0 && (chosen[0] = next_best(offers, chosen, 0, true)))
        count = 1;
    if (is_little(offers, chosen, count))
        count = 0;
    /* All but the main loop are sorted by when they began. */
    for (uint64_t i = 2; i < count; i++)
        for (uint64_t j = i; j > 1 && chosen[j]->begin_ns < chosen[j - 1]->begin_ns; j--) {
            const struct loop_offer *swap = chosen[j];
            chosen[j] = chosen[j - 1];
            chosen[j - 1] = swap;
        }
    for (uint64_t i = 0; i < count; i++) {
        choice->loops[i].key = chosen[i]->key;
        choice->loops[i].passes = chosen[i]->most;
    }
    choice->count = count;
}
