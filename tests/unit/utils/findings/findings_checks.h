/*
 * What findings must be: asked of those that are made in summaries of known rules
 * (findings_maker.h).  What is not as it should be is printed.
 */
#ifndef TSPROF_FINDINGS_CHECKS_H
#define TSPROF_FINDINGS_CHECKS_H

#include "findings/findings.h"
#include "tap.h"
#include "tests/unit/utils/findings/findings_maker.h"

#include <stdbool.h>
#include <stdint.h>

#define MS 1e6 /* nanoseconds */

/* Findings of a made summary. */
struct found {
    struct made *made;
    struct selection selection;
    struct path_tree *tree;
    struct findings *findings;
    struct scope scope; /* all iterations: nothing is made around them */
};

/* To look into, once it is as it should be. */
struct found found_make(uint32_t ranks, uint64_t iterations, made_rule *rule, uint64_t seed);

/* Looks into it for findings in METRIC. */
void found_in(struct found *found, const char *metric);

/* Both, for `time`.  Free with found_forget. */
struct found found_made(uint32_t ranks, uint64_t iterations, made_rule *rule, uint64_t seed);

void found_forget(struct found *found);

/* What is found in its iterations as the report and the page have it: ranked, with what is
 * found in the whole.  Free with ranking_free. */
struct ranking *found_ranked(struct found *found);

/* What ranking_write_json writes, for free(). */
char *found_json(struct found *found);

/* Prints all sentences. */
void found_show(const struct found *found);

/* The only finding; a failed test, and NULL, if there are others or none, or of another kind.
 */
static inline const struct finding *found_only(const struct found *found,
                                               enum finding_kind kind, const char *what)
{
    bool good = found->findings->count == 1 && found->findings->list[0].kind == kind;
    OK(good, "%s: a %s, and nothing else", what, finding_kind_name(kind));
    found_show(found);
    return good ? &found->findings->list[0] : NULL;
}

/* Whether a value is what it should be; SHARE: it may be off by so much of WANTED. */
bool is_range(const struct range *range, uint64_t first, uint64_t last);

bool is_about(double value, double wanted, double share);

/* Whether FINDING's cause is so many milliseconds more of METRIC in REGION. */
bool has_cause(const struct found *found, const struct finding *finding, const char *metric,
               const char *region, double ms);

bool is_on(const struct finding *finding, uint32_t rank);

bool says(const struct finding *finding, const char *words);

/* 10 ms, and a little noise. */
struct made_iteration flat(uint64_t *random);

/* The first finding of a kind, which must be there. */
static inline bool found_kind(const struct found *found, enum finding_kind kind,
                              const struct finding **finding)
{
    *finding = NULL;
    for (size_t i = 0; i < found->findings->count && !*finding; i++)
        if (found->findings->list[i].kind == kind)
            *finding = &found->findings->list[i];
    OK(*finding, "a %s", finding_kind_name(kind));
    return *finding;
}

#endif
