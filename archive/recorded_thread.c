/* See recorded_thread.h. */
#include "archive/recorded_thread.h"

#include <stdlib.h>
#include <string.h>

static bool is_meant(const struct program *program, const struct trace_spec *spec,
                     uint32_t phase)
{
    const struct program_text name = program->phases[phase].name;
    return !spec->phase || (name.length == spec->phase_length &&
                            memcmp(name.start, spec->phase, name.length) == 0);
}

/* Whether ITERATION is one that can be chosen; if so, *OFFER is it. */
static bool can_offer(const struct recorded_thread *thread, const struct program *program,
                      const struct trace_spec *spec, const struct recorded_iteration *iteration,
                      struct offer *offer)
{
    if (iteration->series >= EVENT_FILE_SERIES || !iteration->chosen ||
        iteration->generation != thread->generations[iteration->series])
        return false;
    const uint32_t phase = thread->phases[iteration->series];
    *offer = (struct offer){phase, iteration->number, iteration->score};
    return phase < program->phase_count && is_meant(program, spec, phase);
}

/* Adds those iterations of THREAD to OFFERS that SPEC allows to choose. */
static void offer_own(const struct recorded_thread *thread, const struct program *program,
                      const struct trace_spec *spec, struct offers *offers)
{
    size_t count = 0;
    struct recorded_iteration *list =
        recording_iterations(thread->recording, thread->owner, &count);
    struct offer offer;
    offers->failed |= !list;
    for (size_t i = 0; list && i < count; i++)
        if (can_offer(thread, program, spec, &list[i], &offer))
            offers_add(offers, &offer);
    free(list);
}

/* Whether THREAD let go of any of SERIES, which SPEC allows to choose. */
static bool has_lost(const struct recorded_thread *thread, const struct program *program,
                     const struct trace_spec *spec, uint32_t series)
{
    const uint32_t phase = thread->phases[series];
    return thread->lost && thread->lost[series].first > 0 && phase < program->phase_count &&
           is_meant(program, spec, phase);
}

static void add_gone(struct supply *supply, const struct offers *own, const struct offer *offer)
{
    /* Its events may be there still, between those of others. */
    if (!offers_have(own, offer->phase, offer->number))
        offers_add(&supply->gone, offer);
}

/*
 * Moves from what is there in SUPPLY to what is gone those iterations of PHASE that OWN has
 * not, of a thread that LOST some: which ones it lost is not known, but the first and the last.
 */
static void withdraw(struct supply *supply, const struct offers *own, uint32_t phase,
                     const struct event_lost *lost)
{
    struct offers *there = &supply->there;
    size_t kept = 0;
    for (size_t i = 0; i < there->count; i++) {
        const struct offer offer = there->list[i];
        if (offer.phase == phase && offer.number >= lost->first - 1 &&
            offer.number <= lost->last - 1 && !offers_have(own, phase, offer.number))
            offers_add(&supply->gone, &offer);
        else
            there->list[kept++] = offer;
    }
    there->count = kept;
    add_gone(supply, own, &(struct offer){phase, lost->best, lost->score});
}

/* Of a list, the first and the last say between which numbers some are missing. */
static void add_borders(struct supply *supply, const struct offers *own, uint32_t phase,
                        const struct event_lost *lost)
{
    add_gone(supply, own, &(struct offer){phase, lost->first - 1, 0});
    add_gone(supply, own, &(struct offer){phase, lost->last - 1, 0});
}

/* Takes from SUPPLY what THREAD let go, and adds to SHORTAGE why. */
static void withdraw_lost(const struct recorded_thread *thread, const struct program *program,
                          const struct trace_spec *spec, struct supply *supply,
                          struct shortage *shortage)
{
    struct offers own = {.list = NULL};
    uint64_t given_up = 0;
    bool any = false;
    for (uint32_t i = 0; i < EVENT_FILE_SERIES; i++)
        any |= has_lost(thread, program, spec, i);
    if (!any)
        return;
    offer_own(thread, program, spec, &own);
    offers_sort(&own);
    supply->there.failed |= own.failed;
    for (uint32_t i = 0; i < EVENT_FILE_SERIES; i++) {
        if (!has_lost(thread, program, spec, i))
            continue;
        const struct event_lost *lost = &thread->lost[i];
        withdraw(supply, &own, thread->phases[i], lost);
        if (spec->choice == TRACE_LISTED)
            add_borders(supply, &own, thread->phases[i], lost);
        given_up += lost->count;
    }
    if (given_up > shortage->given_up)
        shortage->given_up = given_up;
    offers_free(&own);
}

void recorded_threads_offer(const struct recorded_thread *list, size_t count,
                            const struct program *program, const struct trace_spec *spec,
                            struct supply *supply, struct shortage *shortage)
{
    for (size_t i = 0; i < count && spec->choice == TRACE_ALL; i++)
        shortage_add(shortage, &(struct shortage){.ended_ns = list[i].ended_ns});
    for (size_t i = 0; i < count && spec->choice != TRACE_ALL; i++)
        offer_own(&list[i], program, spec, &supply->there);
    offers_sort(&supply->there);
    for (size_t i = 0; i < count && spec->choice != TRACE_ALL; i++)
        withdraw_lost(&list[i], program, spec, supply, shortage);
    supply_trim(supply, spec);
    shortage->processes = shortage->given_up > 0 || shortage->ended_ns > 0;
}

static int by_beginning(const void *left, const void *right)
{
    const struct recorded_iteration *const *a = left, *const *b = right;
    return ((*a)->first > (*b)->first) - ((*a)->first < (*b)->first);
}

struct chosen_iterations recorded_thread_choose(const struct recorded_thread *thread,
                                                const struct program *program,
                                                const struct trace_spec *spec,
                                                const struct offers *offers)
{
    size_t count = 0;
    struct chosen_iterations chosen = {.all = NULL};
    struct offer offer;
    if (spec->choice == TRACE_ALL)
        return chosen;
    chosen.all = recording_iterations(thread->recording, thread->owner, &count);
    chosen.list = calloc(count + 1, sizeof *chosen.list);
    chosen.failed = !chosen.all || !chosen.list;
    for (size_t i = 0; !chosen.failed && i < count; i++)
        if (can_offer(thread, program, spec, &chosen.all[i], &offer) &&
            offers_have(offers, offer.phase, offer.number))
            chosen.list[chosen.count++] = &chosen.all[i];
    if (chosen.count > 0)
        qsort(chosen.list, chosen.count, sizeof *chosen.list, by_beginning);
    return chosen;
}

void chosen_iterations_free(struct chosen_iterations *chosen)
{
    free(chosen->list);
    free(chosen->all);
}
