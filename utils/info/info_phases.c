/* The marked phases and their iterations.  See info.h. */
#include "common/settings.h"
#include "file/file.h"
#include "info/info.h"

#include <inttypes.h>

#define EQUIVALENCES 8

/* Smallest and largest of something over ranks or threads. */
struct span {
    uint64_t low, high;
    bool any;
};

/* All series of one phase. */
struct phase_facts {
    uint64_t ranks, threads; /* that have one */
    struct span iterations;  /* over ranks: as many as the thread that marks them has */
    struct span clusters, classes;
    bool equivalences[EQUIVALENCES]; /* in force on some thread */
    uint64_t lost; /* profiles that a thread which marks the phase could not keep */
    uint64_t unmapped;
    uint64_t absent; /* iterations that other threads had no part in, or lost */
    uint32_t nested_in;
};

static void span_add(struct span *span, uint64_t value)
{
    span->low = !span->any || value < span->low ? value : span->low;
    span->high = !span->any || value > span->high ? value : span->high;
    span->any = true;
}

static void add_series(struct phase_facts *facts, const struct series *series, bool marks)
{
    facts->threads++;
    span_add(&facts->clusters, series->cluster_count);
    span_add(&facts->classes, series->classes);
    facts->equivalences[series->equivalence % EQUIVALENCES] = true;
    if (series->parent_phase != SUMMARY_NONE)
        facts->nested_in = series->parent_phase;
    if (marks) {
        facts->ranks++;
        span_add(&facts->iterations, series->iterations);
        facts->lost += series->lost;
        facts->unmapped += series->unmapped;
    } else {
        facts->absent += series->lost;
    }
}

static struct phase_facts find_facts(const struct selection *selection, uint32_t phase)
{
    struct phase_facts facts = {.nested_in = SUMMARY_NONE};
    for (size_t r = 0; r < selection->rank_count; r++) {
        const struct rank_group *rank = &selection->ranks[r];
        const struct series *first = rank_series(selection->summary, rank, phase);
        for (size_t i = 0; i < rank->count; i++) {
            const struct series *series =
                location_series(&selection->summary->locations[rank->first + i], phase);
            if (series)
                add_series(&facts, series, series == first);
        }
    }
    return facts;
}

static void add_span(struct text *text, const struct span *span, const char *one,
                     const char *many)
{
    if (span->low == span->high)
        text_addf(text, "%" PRIu64 " %s", span->low, span->low == 1 ? one : many);
    else
        text_addf(text, "%" PRIu64 " to %" PRIu64 " %s", span->low, span->high, many);
}

/* "hybrid" or "hybrid and none". */
static void add_equivalences(struct text *text, const bool *seen)
{
    const char *separator = "";
    for (size_t i = 0; i < EQUIVALENCES; i++)
        if (seen[i]) {
            text_addf(text, "%s%s", separator, setting_equivalence_name(i));
            separator = " and ";
        }
}

static void print_series(const struct summary *summary, uint32_t phase,
                         const struct phase_facts *facts)
{
    struct text text = {0};
    text_addf(&text, "%s: ", summary->phases[phase].name);
    add_span(&text, &facts->iterations, "iteration", "iterations");
    text_addf(&text, " on %" PRIu64 " rank%s", facts->ranks, facts->ranks == 1 ? "" : "s");
    if (facts->threads > facts->ranks)
        text_addf(&text, " with %" PRIu64 " threads", facts->threads);
    text_add(&text, ", ");
    add_span(&text, &facts->clusters, "cluster", "clusters");
    text_add(&text, ", ");
    add_span(&text, &facts->classes, "class", "classes");
    text_add(&text, ", equivalence ");
    add_equivalences(&text, facts->equivalences);
    if (facts->nested_in != SUMMARY_NONE)
        text_addf(&text, ", nested in %s", summary->phases[facts->nested_in].name);
    if (facts->lost)
        text_addf(&text, ", %" PRIu64 " %s", facts->lost,
                  summary_is_of_trace(summary) ? "not traced" : "lost");
    if (facts->unmapped)
        text_addf(&text, ", %" PRIu64 " in clusters, but not known in which", facts->unmapped);
    if (facts->absent)
        text_addf(&text, ", %" PRIu64 " without some thread", facts->absent);
    info_line("phase", &text);
}

void info_phases(const struct selection *selection)
{
    const struct summary *summary = selection->summary;
    for (uint32_t p = 0; p < summary->phase_count; p++) {
        struct phase_facts facts = find_facts(selection, p);
        struct text text = {0};
        if (facts.threads > 0) {
            print_series(summary, p, &facts);
            continue;
        }
        text_addf(&text, "%s: %s", summary->phases[p].name,
                  selection->phases[p] ? "no iterations here" : "instances summed");
        info_line("phase", &text);
    }
}
