/*
 * What the user wants to see of a summary: phases, metrics, ranks, threads and iterations.
 *
 * A rank is the sum of those of its threads that are wanted; a rank that has none of them is
 * not wanted either.
 */
#ifndef TSPROF_SELECT_H
#define TSPROF_SELECT_H

#include "file/file.h"
#include "options/options.h"

/* The wanted locations (threads) of one rank: `count` of them from `first` on, at least one. */
struct rank_group {
    uint32_t rank;
    size_t first, count;
};

/* Names of the options, resolved in one summary. */
struct selection {
    const struct summary *summary;
    bool *phases;             /* by phase: wanted; of all phases only those with a series are */
    bool *metrics;            /* by metric: asked for by name; NULL if no metric was */
    struct rank_group *ranks; /* those wanted, ascending */
    size_t rank_count;
    struct range iterations;
};

/*
 * Resolves OPTIONS.  False if a name or a range does not exist in the summary: the command line
 * is at fault then.  Free a resolved selection with selection_free.
 */
bool selection_make(struct selection *selection, const struct summary *summary,
                    const struct options *options, struct error *error);
void selection_free(struct selection *selection);

/* How many locations are selected; some rank may have several. */
size_t selection_locations(const struct selection *selection);
bool selection_has_threads(const struct selection *selection);

/* The only phase that is selected; SUMMARY_NONE, and ERROR, if there is not exactly one. */
uint32_t selection_phase(const struct selection *selection, struct error *error);

/* The most iterations that a selected location has of PHASE, lost ones included. */
uint64_t selection_iterations(const struct selection *selection, uint32_t phase);

/*
 * The series of PHASE on the first of the threads of RANK that has one, or NULL.  Of a phase
 * that several threads take part in that is the thread which marks it.
 */
const struct series *rank_series(const struct summary *summary, const struct rank_group *rank,
                                 uint32_t phase);

#endif
