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

void recorded_thread_offer(const struct recorded_thread *thread, const struct program *program,
                           const struct trace_spec *spec, struct offers *offers)
{
    size_t count = 0;
    struct recorded_iteration *list =
        recording_iterations(thread->recording, thread->owner, &count);
    struct offer offer;
    for (size_t i = 0; i < count; i++)
        if (can_offer(thread, program, spec, &list[i], &offer))
            offers_add(offers, &offer);
    free(list);
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
