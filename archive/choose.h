/*
 * Which iterations a trace is of: what the processes of a job agree on.  Each offers those that
 * it has as a whole; offers are joined pairwise in any order, and of what all have the best are
 * taken.  What is ruled out thereby is remembered as far as it tells whether the best are
 * missing.  Memory from malloc.
 */
#ifndef TSPROF_CHOOSE_H
#define TSPROF_CHOOSE_H

#include "common/codec.h"
#include "common/trace_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Iteration NUMBER of a phase, by the phase's number in the summary. */
struct offer {
    uint32_t phase;
    uint64_t number;
    uint64_t score; /* the more the better: of all processes that have it, the highest */
};

/* Offers in the order of phases and numbers, each iteration once.  Start from all zeros. */
struct offers {
    struct offer *list;
    size_t count, capacity;
    bool failed; /* there was no memory */
};

/* Adds an offer at the end; offers_sort brings them into order and unites equal ones. */
void offers_add(struct offers *offers, const struct offer *offer);
void offers_sort(struct offers *offers);

/*
 * What one process, or several together, can offer, and what some of them had and let go of, or
 * did not all have.  Both in order; start from all zeros.
 */
struct supply {
    struct offers there, gone;
};

/*
 * Reduces SUPPLY to the iterations that OTHERS offers, too, of phases that both have.  Phases
 * that only one of the two has stay: not all processes take part in all phases.
 */
void supply_join(struct supply *supply, const struct supply *others,
                 const struct trace_spec *spec);

/*
 * Leaves of what is gone, of each phase, the most important iterations, as many as SPEC asks
 * for; of a list the first and the last one.
 */
void supply_trim(struct supply *supply, const struct trace_spec *spec);

/*
 * Once SUPPLY offers only those that were chosen: at least so many iterations are missing among
 * them that would have been chosen if all processes had kept everything.
 */
uint64_t supply_missing(const struct supply *supply, const struct trace_spec *spec);

void supply_encode(const struct supply *supply, struct encoder *out);
bool supply_decode(struct supply *supply, struct decoder *in);
void supply_free(struct supply *supply);

/* Leaves the MOST offers with the highest scores; of equal ones the first. */
void offers_best(struct offers *offers, size_t most);

bool offers_have(const struct offers *offers, uint32_t phase, uint64_t number);

/* offers_encode appends all; offers_decode adds them.  False if they are damaged. */
void offers_encode(const struct offers *offers, struct encoder *out);
bool offers_decode(struct offers *offers, struct decoder *in);

void offers_free(struct offers *offers);

#endif
