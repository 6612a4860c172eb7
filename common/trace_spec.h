/*
 * What TSPROF_TRACE says: of which iterations the single events are kept.
 *
 *     all                     everything from the start of the measurement to its end
 *     12,100-109              the iterations with these numbers, from 0
 *     slowest:N               the N that took longest
 *     new:N                   the N that differ most from those before them
 *     PHASE:12  PHASE:new:N   the same, of the iterations of one phase
 *
 * Without a phase, all iterations are meant that are not nested in others.  Reads text and
 * nothing else: no memory, any context.
 */
#ifndef TSPROF_TRACE_SPEC_H
#define TSPROF_TRACE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a list, and the largest N.  Macros, because messages say them. */
#define TRACE_RANGES_MOST 64
#define TRACE_BEST_MOST   10000

enum trace_choice { TRACE_NOTHING, TRACE_ALL, TRACE_LISTED, TRACE_SLOWEST, TRACE_NEW };

/* Iterations FIRST to LAST. */
struct trace_range {
    uint64_t first, last;
};

struct trace_spec {
    enum trace_choice choice;
    const char *phase; /* the name, not zero-terminated; NULL: of any phase */
    size_t phase_length;
    uint32_t most; /* SLOWEST and NEW: the N */
    uint32_t range_count;
    struct trace_range ranges[TRACE_RANGES_MOST];
};

/*
 * Reads TEXT into SPEC, which points into it; an empty text chooses nothing.  False if TEXT is
 * not valid.
 */
bool trace_spec_read(const char *text, struct trace_spec *spec);

/* Whether SPEC, a list, has iteration NUMBER. */
bool trace_spec_lists_async(const struct trace_spec *spec, uint64_t number);

/* Whether SPEC is about the iterations of phase NAME; so is one that names no phase. */
bool trace_spec_means_async(const struct trace_spec *spec, const char *name);

/* The forms that are allowed, as a text for messages and manuals. */
extern const char trace_spec_forms[];

#endif
