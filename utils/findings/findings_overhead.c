/* See findings_overhead.h. */
#include "findings/findings_overhead.h"

#include "accuracy/accuracy.h"
#include "print/print.h"

#include <stdbool.h>

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

/* Whether ranks had no processor for much of the time. */
static bool lacks_processors(const struct efficiency *efficiency)
{
    return efficiency->processor >= 0 && 1 - efficiency->processor >= MUCH;
}

/* The overhead that is certain: ranks lose their processors in tsprof's code as well, and how
 * much of the lack was there is not known. */
static long double certain_overhead(const struct efficiency *efficiency)
{
    return lacks_processors(efficiency)
               ? efficiency->overhead - (1 - efficiency->processor) * efficiency->time
               : efficiency->overhead;
}

void overhead_find(const struct scope *scope, const struct efficiency *efficiency,
                   struct run_findings *found)
{
    char part[QUANTITY_SIZE], whole[QUANTITY_SIZE], percent[QUANTITY_SIZE];
    struct text text = {0};
    const long double overhead = certain_overhead(efficiency);
    if (overhead < MUCH * efficiency->time)
        return;
    const struct costs costs = costs_of(scope->selection);
    const struct remedy remedy = remedy_of(&costs);
    text_addf(
        &text, "tsprof itself takes %s%s of %s, %s %%: what is shown is distorted by that.",
        lacks_processors(efficiency) ? "at least " : "", format_quantity(part, overhead, "s"),
        format_quantity(whole, efficiency->time, "s"),
        format_percent(percent, overhead, efficiency->time));
    /* Files of other versions may not tell what it consists of. */
    if (remedy.seconds > 0)
        text_addf(&text, " It is %s.", remedy.words);
    found->list[found->count++] = (struct run_finding){.kind = RUN_OVERHEAD,
                                                       .gain = (double)overhead,
                                                       .path = SUMMARY_NONE,
                                                       .rank = SUMMARY_NONE,
                                                       .sentence = text.bytes};
}
