/* See findings_overhead.h. */
#include "findings/findings_overhead.h"

#include "accuracy/accuracy.h"
#include "print/print.h"

#define MUCH 0.05L /* of the time: nobody expects a profiler to take so much */

/* What takes most of the overhead, and what helps. */
struct remedy {
    long double seconds;
    const char *words;
};

static struct remedy remedy_of(const struct costs *costs)
{
    const struct remedy remedies[] = {
        {costs->calls.seconds, "MPI calls, mostly; TSPROF_UNWIND takes groups of functions "
                               "whose call paths are not needed"},
        {costs->samples.seconds, "samples, mostly; a lower TSPROF_RATE takes fewer"},
        {costs->markers.seconds, "markers, mostly; longer iterations need fewer"},
        {costs->saves.seconds, "saves, mostly; TSPROF_PARTS says how often"},
    };
    struct remedy most = remedies[0];
    for (size_t i = 1; i < sizeof remedies / sizeof remedies[0]; i++)
        most = remedies[i].seconds > most.seconds ? remedies[i] : most;
    return most;
}

void overhead_find(const struct scope *scope, const struct efficiency *efficiency,
                   struct run_findings *found)
{
    char part[QUANTITY_SIZE], whole[QUANTITY_SIZE], percent[QUANTITY_SIZE];
    struct text text = {0};
    if (efficiency->overhead < MUCH * efficiency->time)
        return;
    const struct costs costs = costs_of(scope->selection);
    const struct remedy remedy = remedy_of(&costs);
    text_addf(&text, "tsprof itself takes %s of %s, %s %%: what is shown is distorted by that.",
              format_quantity(part, efficiency->overhead, "s"),
              format_quantity(whole, efficiency->time, "s"),
              format_percent(percent, efficiency->overhead, efficiency->time));
    /* Files of other versions may not tell what it consists of. */
    if (remedy.seconds > 0)
        text_addf(&text, " It is %s.", remedy.words);
    found->list[found->count++] = (struct run_finding){.kind = RUN_OVERHEAD,
                                                       .gain = (double)efficiency->overhead,
                                                       .path = SUMMARY_NONE,
                                                       .rank = SUMMARY_NONE,
                                                       .sentence = text.bytes};
}
