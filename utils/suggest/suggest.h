/*
 * Says which iterations of a run are worth a trace when it is repeated, with the reason for
 * each and the size of its events: a typical iteration of each large group, those that stand
 * out, the borders of steps and drifts.  doc/traces.md says how they are chosen.  For the
 * command; it prints text and JSON on the stream that it is given.
 */
#ifndef TSPROF_SUGGEST_H
#define TSPROF_SUGGEST_H

#include "findings/findings.h"
#include "query/query.h"
#include "suggest/trace_size.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SUGGESTION_RANGES 3

struct suggestion {
    struct range ranges[SUGGESTION_RANGES]; /* ascending, not touching */
    size_t range_count;
    const char *reason; /* "typical" or the name of a finding's kind */
    double share;       /* of the time of all iterations: what it stands for */
    struct text text;   /* the reason in words; not escaped */
    struct trace_size size;
};

struct suggestions {
    const struct selection *selection;
    uint32_t phase;
    struct suggestion *list; /* what is typical first, then by importance */
    size_t count;
    uint64_t left_out;    /* less important ones that are not in the list */
    struct range *ranges; /* of all, ascending, not touching */
    size_t range_count;
    struct trace_size size; /* of all, each iteration once */
};

/*
 * At most MOST suggestions for the selected iterations of PHASE.  The summary must have the
 * metric `time`; SELECTION and TREE must outlive the result.  Free with suggestions_free.
 */
struct suggestions *suggestions_make(const struct selection *selection,
                                     const struct path_tree *tree, uint32_t phase, size_t most);
/* NULL is allowed. */
void suggestions_free(struct suggestions *suggestions);

/*
 * Adds the setting of the environment that records all of them, as a shell takes it:
 * "TSPROF_TRACE=step:12,100-109", and TSPROF_TRACE_MEMORY where the default is too small.
 */
void suggestions_add_setting(const struct suggestions *suggestions, struct text *text);

/* Writes them as text of at most COLUMNS columns that ends with the setting in a line alone. */
void suggestions_write_text(const struct suggestions *suggestions, size_t columns,
                            FILE *stream);

/*
 * Writes one object in a line:
 *
 *     {"phase":"step","iterations":[[12,12],[100,109]],"ranks":4,"events":5280,
 *      "bytes":126720,"most_events":1320,"most_bytes":31680,"most_rank":0,
 *      "memory_bytes":67108864,"setting":"TSPROF_TRACE=step:12,100-109",
 *      "suggestions":[{"iterations":[[12,12]],"reason":"typical","share":0.93,"text":"...",
 *      "events":480,"bytes":11520,"most_events":120,"most_bytes":2880,"most_rank":0}],
 *      "left_out":0}
 *
 * Sizes are null where they are not known.
 */
void suggestions_write_json(const struct suggestions *suggestions, FILE *stream);

#endif
