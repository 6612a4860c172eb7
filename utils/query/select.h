/*
 * The part of a summary that the user selects: phases, metrics, ranks, threads and iterations.
 *
 * A rank's values are sums over its selected threads; a rank without selected threads is not
 * selected.
 */
#ifndef TSPROF_SELECT_H
#define TSPROF_SELECT_H

#include "file/file.h"
#include "options/options.h"

/* The selected locations (threads) of one rank: `count`, at least one, from index `first` on.
 */
struct rank_group {
    uint32_t rank;
    size_t first, count;
};

/* The options of a command, resolved in one summary. */
struct selection {
    const struct summary *summary;
    bool *phases;             /* by phase: selected; without --phase, all that have a series */
    bool *metrics;            /* by metric: named by --metric; NULL without --metric */
    struct rank_group *ranks; /* the selected ones, ascending */
    size_t rank_count;
    struct range iterations;
};

/*
 * Resolves OPTIONS.  False, and ERROR, if a name or a range does not exist in the summary: the
 * command line is at fault.  If true, free with selection_free.
 */
bool selection_make(struct selection *selection, const struct summary *summary,
                    const struct options *options, struct error *error);
void selection_free(struct selection *selection);

/*
 * The same of the first selected thread of each rank only: times of several threads do not add
 * up to that of the run.  It shares all but `ranks` with SELECTION; free only these.
 */
struct selection selection_first_threads(const struct selection *selection);

/* How many locations are selected, and whether any rank has several of them. */
size_t selection_locations(const struct selection *selection);
bool selection_has_threads(const struct selection *selection);

/* Whether the location with this number is selected. */
bool selection_has(const struct selection *selection, size_t location);

/* The only phase that is selected; SUMMARY_NONE, and ERROR, if there is not exactly one. */
uint32_t selection_phase(const struct selection *selection, struct error *error);

/* The largest number of iterations of PHASE on a selected location, lost ones included. */
uint64_t selection_iterations(const struct selection *selection, uint32_t phase);

/*
 * The series of PHASE on the first thread of RANK that has one, or NULL.  If several threads
 * take part in a phase, that is the thread which marks it.
 */
const struct series *rank_series(const struct summary *summary, const struct rank_group *rank,
                                 uint32_t phase);

#endif
